# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""VLAN tags, IPv4 options and padding: what a router carries along."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mecn_controller import Route
from mecn_controller.runtime.session import apply_sync
from scapy.layers.inet import IP, TCP, UDP, IPOption
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q
from scapy.packet import Packet, Raw

from target import CE, ECT_0, SLOW_PORT, Target, decode, ecn_of, ethernet, frame

TAGS = {
    "customer tag": Dot1Q(vlan=100, prio=5, dei=1),
    "service tag": Dot1AD(vlan=4095, prio=0, dei=0),
    "both": Dot1AD(vlan=7, prio=3) / Dot1Q(vlan=8, prio=2, dei=1),
    "two customer tags": Dot1Q(vlan=1) / Dot1Q(vlan=4094, prio=7),
}
UPPER_LAYERS = {
    "ipv4": IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0) / TCP(sport=1, dport=2) / Raw(b"payload"),
    "ipv6": IPv6(src="2001:db8:1::1", dst="2001:db8:2::1", tc=ECT_0)
    / TCP(sport=1, dport=2)
    / Raw(b"payload"),
}


def tagged(tags: Packet, upper: Packet) -> bytes:
    """A frame with VLAN tags."""
    return bytes(ethernet() / tags / upper)


@pytest.fixture
def routed(target: Target) -> Target:
    """With an IPv6 route, too, and a policy that marks every ECN-capable packet that meets another."""
    route = Route("2001:db8:2::/64", SLOW_PORT, "02:00:00:00:02:fe", "02:00:00:00:02:01")
    apply_sync([], address=target.server.address, routes=[route])
    target.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
    target.slow()
    return target


@pytest.mark.parametrize("tags", TAGS)
@pytest.mark.parametrize("upper", UPPER_LAYERS)
def test_tags_stay_and_what_is_behind_them_is_routed_and_marked(
    routed: Target, tags: str, upper: str
) -> None:
    sent = tagged(TAGS[tags], UPPER_LAYERS[upper])
    routed.burst([sent, sent])
    unmarked, marked = routed.drain()
    assert unmarked.port == marked.port == SLOW_PORT
    plain = [bytes(ethernet() / UPPER_LAYERS[upper])] * 2
    routed.burst(plain)
    for with_tags, without in zip((unmarked, marked), routed.drain(), strict=True):
        assert with_tags.frame is not None
        assert without.frame is not None
        length = len(sent) - len(plain[0])
        # The tags stand where they stood; all else is as without them: TTL, mark, checksum, MAC addresses.
        assert with_tags.frame[12 : 14 + length] == sent[12 : 14 + length]
        assert with_tags.frame[:12] + with_tags.frame[12 + length :] == without.frame
    assert marked.frame is not None
    assert marked.frame != unmarked.frame


def test_three_tags_are_too_many(routed: Target) -> None:
    three = Dot1Q(vlan=1) / Dot1Q(vlan=2) / Dot1Q(vlan=3)
    assert routed.send(tagged(three, UPPER_LAYERS["ipv4"])).kind == "dropped"


@pytest.mark.parametrize("tags", TAGS)
@pytest.mark.parametrize("upper", UPPER_LAYERS)
def test_truncated_tagged_frame_is_dropped(routed: Target, tags: str, upper: str) -> None:
    whole = tagged(TAGS[tags], UPPER_LAYERS[upper])
    for length in range(len(whole)):
        assert routed.send(whole[:length]).kind == "dropped", length
    assert routed.send(whole).kind == "enqueued"


def test_tag_before_something_else(routed: Target) -> None:
    assert routed.send(tagged(Dot1Q(vlan=1, type=0x88CC), Raw(bytes(60)))).kind == "dropped"
    assert routed.send(tagged(Dot1Q(vlan=1), ARP())).port == 510


# ---- IPv4 options --------------------------------------------------------------------------------

OPTIONS = {
    "router alert": [IPOption(b"\x94\x04\x00\x00")],
    "record route": [IPOption(b"\x07\x27\x04" + bytes(36)), IPOption(b"\x00")],
    "timestamp": [IPOption(b"\x44\x0c\x05\x00" + bytes(8))],
    "no operation": [IPOption(b"\x01")] * 3 + [IPOption(b"\x00")],
    "all that fit": [IPOption(b"\x01")] * 40,
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("transport", [TCP(sport=1, dport=2), UDP(sport=1, dport=2)], ids=["tcp", "udp"])
def test_options_stay_and_the_checksum_covers_them(routed: Target, options: str, transport: Packet) -> None:
    packet = (
        IP(src="10.0.1.1", dst="10.0.2.1", tos=ECT_0, options=OPTIONS[options]) / transport / Raw(b"data")
    )
    sent = bytes(ethernet() / packet)
    routed.burst([sent, sent])
    for departure, ecn in zip(routed.drain(), (ECT_0, CE), strict=True):
        after = decode(departure.frame)
        assert after[IP].tos == ecn
        assert after[IP].ttl == 63
        assert departure.frame is not None
        assert departure.frame[34:] == sent[34:]


def test_damaged_option_is_dropped(routed: Target) -> None:
    packet = (
        ethernet() / IP(src="10.0.1.1", dst="10.0.2.1", options=OPTIONS["timestamp"]) / UDP(sport=1, dport=2)
    )
    whole = bytes(packet)
    for position in range(34, 46):
        damaged = bytearray(whole)
        damaged[position] ^= 0x40
        assert routed.send(bytes(damaged)).kind == "dropped", position
    for length in range(len(whole)):
        assert routed.send(whole[:length]).kind == "dropped", length
    assert routed.send(whole).kind == "enqueued"


def test_total_length_must_cover_the_options(routed: Target) -> None:
    options = OPTIONS["timestamp"]
    header = IP(src="10.0.1.1", dst="10.0.2.1", options=options, proto=59)
    for length, kind in ((20, "dropped"), (31, "dropped"), (32, "enqueued")):
        header.len = length
        assert routed.send(bytes(ethernet() / header)).kind == kind, length


# ---- Padding -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [60, 64, 100])
@pytest.mark.parametrize("upper", UPPER_LAYERS)
def test_padding_is_kept(routed: Target, upper: str, length: int) -> None:
    """Octets after the end of the IP packet, also where its transport header would reach into them."""
    packet = UPPER_LAYERS[upper].copy()
    packet[TCP].remove_payload()
    bare = bytes(ethernet() / packet)
    padding = bytes(range(1, 1 + length))[: max(0, length - len(bare))]
    (departure,) = routed.forward(bare + padding)
    assert departure.frame is not None
    assert len(departure.frame) == len(bare) + len(padding)
    assert departure.frame[len(bare) :] == padding


# ---- Everything ----------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=120), kind=st.sampled_from([0x0800, 0x86DD, 0x8100, 0x88A8, 0x0806, None]))
def test_any_octets_are_dropped_or_stay_what_they_are(routed: Target, data: bytes, kind: int | None) -> None:
    """What leaves for a host has the length that came; what goes to the controller is as it came."""
    sent = data if kind is None else bytes(ethernet(kind)) + data
    outcome = routed.send(sent)
    for departure in routed.drain():
        assert departure.frame is not None
        if departure.port == 510:
            assert departure.frame[3:] == sent
        else:
            assert len(departure.frame) == len(sent)
    assert outcome.kind in ("dropped", "enqueued")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    position=st.integers(0, 153),
    value=st.integers(0, 255),
    length=st.integers(0, 200),
)
def test_a_changed_octet(routed: Target, position: int, value: int, length: int) -> None:
    """A frame with one octet changed, cut or padded: what leaves has a checksum that is right."""
    data = bytearray(frame())
    data[position] = value
    sent = bytes(data[:length]) + bytes(max(0, length - len(data)))
    routed.send(sent)
    for departure in routed.drain():
        assert departure.frame is not None
        if departure.port == SLOW_PORT and departure.frame[12:14] == b"\x08\x00":
            decode(departure.frame)
            assert ecn_of(departure.frame) in (sent[15] & 3, CE)
