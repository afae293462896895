# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Routing: next hop, time to live, checksum; what a router must not forward."""

from __future__ import annotations

import pytest
from mecn_controller import Route
from mecn_controller.push import apply_sync
from scapy.layers.inet import ICMP, IP, UDP, IPOption
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from target import OTHER_PORT, SLOW_PORT, Target, decode, frame


@pytest.mark.parametrize("port", [SLOW_PORT, OTHER_PORT])
@pytest.mark.parametrize("udp", [False, True], ids=["tcp", "udp"])
def test_packet_leaves_towards_its_next_hop(target: Target, port: int, udp: bool) -> None:
    sent = frame(port=port, ttl=64, udp=udp)
    (departure,) = target.forward(sent)
    packet = decode(departure.frame)
    assert departure.port == port
    assert packet.src == f"02:00:00:00:0{port}:fe"
    assert packet.dst == f"02:00:00:00:0{port}:01"
    assert packet[IP].ttl == 63
    # Nothing else has changed.
    before = Ether(sent)
    assert bytes(packet[IP].payload) == bytes(before[IP].payload)
    for name in ("version", "ihl", "tos", "len", "id", "flags", "frag", "proto", "src", "dst"):
        assert getattr(packet[IP], name) == getattr(before[IP], name), name


def test_longest_prefix_wins(target: Target) -> None:
    host_route = Route("10.0.2.1/32", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:02")
    apply_sync([], address=target.server.address, routes=[host_route])
    (departure,) = target.forward(frame(port=SLOW_PORT))
    assert departure.port == OTHER_PORT
    assert decode(departure.frame).dst == "02:00:00:00:03:02"


@pytest.mark.parametrize("ttl", [0, 1])
def test_expired_packet_is_dropped(target: Target, ttl: int) -> None:
    assert target.send(frame(ttl=ttl)).kind == "dropped"


def test_last_hop_is_allowed(target: Target) -> None:
    (departure,) = target.forward(frame(ttl=2))
    assert decode(departure.frame)[IP].ttl == 1


def test_damaged_header_is_dropped(target: Target) -> None:
    for position in range(14, 34):
        damaged = bytearray(frame())
        damaged[position] ^= 0x10
        assert target.send(bytes(damaged)).kind == "dropped", f"octet {position - 14} of the IPv4 header"


def test_unroutable_packet_is_dropped(target: Target) -> None:
    lost = Ether() / IP(src="10.0.1.1", dst="192.0.2.1") / UDP()
    assert target.send(bytes(lost)).kind == "dropped"


def test_what_is_not_ipv4_is_dropped(target: Target) -> None:
    assert target.send(bytes(Ether() / ARP())).kind == "dropped"


def test_ipv4_options_are_not_supported(target: Target) -> None:
    packet = Ether() / IP(src="10.0.1.1", dst="10.0.2.1", options=[IPOption(b"\x94\x04\x00\x00")]) / UDP()
    assert target.send(bytes(packet)).kind == "dropped"


@pytest.mark.parametrize("length", range(0, 42, 3))
def test_truncated_frame_is_dropped(target: Target, length: int) -> None:
    assert target.send(frame()[:length]).kind == "dropped"


def test_fragment_without_transport_header_passes(target: Target) -> None:
    # The first octets of a later fragment are payload, whatever the protocol says.
    payload = bytes(range(8))
    fragment = Ether() / IP(src="10.0.1.1", dst="10.0.2.1", proto=6, frag=100) / Raw(payload)
    (departure,) = target.forward(bytes(fragment))
    assert bytes(decode(departure.frame)[IP].payload) == payload


def test_other_protocols_pass(target: Target) -> None:
    echo = Ether() / IP(src="10.0.1.1", dst="10.0.2.1") / ICMP() / Raw(b"ping")
    (departure,) = target.forward(bytes(echo))
    assert bytes(decode(departure.frame)[IP].payload) == bytes(echo[IP].payload)


def test_padding_is_kept(target: Target) -> None:
    # A minimum-size Ethernet frame has octets after the end of the IP packet.
    short = bytes(Ether() / IP(src="10.0.1.1", dst="10.0.2.1") / UDP(sport=1, dport=2))
    padded = short + bytes(60 - len(short))
    (departure,) = target.forward(padded)
    assert departure.frame is not None
    assert len(departure.frame) == 60
    assert departure.frame[34:] == padded[34:]
