# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""IPv6: routed and marked as IPv4 is."""

from __future__ import annotations

import pytest
from mecn_controller import LocalRoute, NoRoute, Route
from mecn_controller.runtime.session import apply_sync
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import (
    ICMPv6EchoRequest,
    ICMPv6TimeExceeded,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    RouterAlert,
)
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from target import (
    CE,
    CODEPOINTS,
    ECT_0,
    ECT_1,
    NOT_ECT,
    OTHER_PORT,
    SLOW_PORT,
    Target,
    ecn_of,
    ethernet,
    frame,
)

HOST = "2001:db8:2::1"
SOURCE = "2001:db8:1::1"
ROUTES = (
    Route("2001:db8:2::/64", SLOW_PORT, "02:00:00:00:02:fe", "02:00:00:00:02:01"),
    Route("2001:db8:3::/64", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:01"),
)
SEGMENT = TCP(sport=5001, dport=5002, flags="A", seq=1, ack=1) / Raw(bytes(range(100)))


@pytest.fixture
def routed(target: Target) -> Target:
    """With IPv6 routes beside those of IPv4."""
    apply_sync([], address=target.server.address, routes=ROUTES)
    return target


def frame6(*, ecn: int = ECT_0, dscp: int = 0, hlim: int = 64, dst: str = HOST, src: str = SOURCE) -> bytes:
    """A TCP segment over IPv6."""
    return bytes(ethernet() / IPv6(src=src, dst=dst, tc=dscp << 2 | ecn, fl=0xABCDE, hlim=hlim) / SEGMENT)


def decode6(data: bytes | None) -> Packet:
    """What left, by scapy; fails if its upper layer has a checksum that is not what scapy computes."""
    assert data is not None
    packet = Ether(data)
    for layer, field in ((TCP, "chksum"), (UDP, "chksum"), (ICMPv6EchoRequest, "cksum")):
        if layer in packet:
            again = packet.copy()
            delattr(again[layer], field)
            assert getattr(Ether(bytes(again))[layer], field) == getattr(packet[layer], field)
    return packet


def ecn6(data: bytes | None) -> int:
    """ECN field of an IPv6 frame."""
    return int(decode6(data)[IPv6].tc) & 3


def without_hop(data: bytes) -> bytes:
    """What routing must not change: all but MAC addresses and hop limit."""
    return data[12:21] + data[22:]


@pytest.mark.parametrize(("host", "port"), [(HOST, SLOW_PORT), ("2001:db8:3::9", OTHER_PORT)])
def test_packet_leaves_towards_its_next_hop(routed: Target, host: str, port: int) -> None:
    sent = frame6(dst=host, dscp=46, hlim=64)
    (departure,) = routed.forward(sent)
    packet = decode6(departure.frame)
    assert departure.port == port
    assert (packet.src, packet.dst) == (f"02:00:00:00:0{port}:fe", f"02:00:00:00:0{port}:01")
    assert packet[IPv6].hlim == 63
    assert departure.frame is not None
    assert without_hop(departure.frame) == without_hop(sent)


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 96, 127, 128])
def test_longest_prefix_wins(routed: Target, length: int) -> None:
    bits = int.from_bytes(bytes.fromhex("20010db8000400005555666677778888"), "big")
    prefix = bits >> 128 - length << 128 - length
    text = ":".join(f"{prefix >> 112 - 16 * i & 0xFFFF:x}" for i in range(8))
    shorter = Route(
        "::/0" if length else "2001:db8:2::/64", SLOW_PORT, "02:00:00:00:02:fe", "02:00:00:00:02:01"
    )
    longer = Route(f"{text}/{length}", OTHER_PORT, "02:00:00:00:03:fe", "02:00:00:00:03:01")
    apply_sync([], address=routed.server.address, routes=[shorter, longer])
    (departure,) = routed.forward(frame6(dst="2001:db8:4:0:5555:6666:7777:8888"))
    assert departure.port == OTHER_PORT
    if length > 0:
        other = bits ^ 1 << 128 - length
        text = ":".join(f"{other >> 112 - 16 * i & 0xFFFF:x}" for i in range(8))
        if text.startswith("2"):
            (departure,) = routed.forward(frame6(dst=text))
            assert departure.port == SLOW_PORT


def test_no_route_no_way_out(routed: Target) -> None:
    assert routed.send(frame6(dst="2001:db8:9::1")).kind == "dropped"
    apply_sync(
        [],
        address=routed.server.address,
        routes=[Route("::/0", OTHER_PORT, ROUTES[1].src_mac, ROUTES[1].dst_mac), NoRoute("2001:db8:9::/64")],
    )
    assert routed.send(frame6(dst="2001:db8:9::1")).kind == "dropped"
    assert routed.send(frame6(dst="2001:db8:8::1")).kind == "enqueued"


@pytest.mark.parametrize(
    "source", ["::", "::1", "::ffff:10.0.1.1", "0:1::1", "fe80::1", "febf::1", "ff02::1", "ff0e::1"]
)
def test_source_that_no_router_forwards_is_dropped(routed: Target, source: str) -> None:
    assert routed.send(frame6(src=source)).kind == "dropped"


@pytest.mark.parametrize("source", ["64:ff9b::a00:101", "fec0::1", "fc00::1", "1::1"])
def test_sources_beside_them_pass(routed: Target, source: str) -> None:
    assert routed.send(frame6(src=source)).kind == "enqueued"


@pytest.mark.parametrize("destination", ["::", "::1", "ff0e::1", "ff05::2"])
def test_destination_that_no_router_forwards_to_is_dropped(routed: Target, destination: str) -> None:
    default = Route("::/0", OTHER_PORT, ROUTES[1].src_mac, ROUTES[1].dst_mac)
    apply_sync([], address=routed.server.address, routes=[default])
    assert routed.send(frame6(dst=destination)).kind == "dropped"
    assert routed.send(frame6(dst="2001:db8:9::1")).kind == "enqueued"


def test_wrong_version_is_dropped(routed: Target) -> None:
    for version in (0, 4, 5, 7, 15):
        broken = bytearray(frame6())
        broken[14] = version << 4
        assert routed.send(bytes(broken)).kind == "dropped", version


def test_truncated_frame_is_dropped(routed: Target) -> None:
    whole = frame6()
    for length in range(len(whole)):
        assert routed.send(whole[:length]).kind == "dropped", length
    assert routed.send(whole).kind == "enqueued"


UPPER_LAYERS = {
    "udp": UDP(sport=1, dport=2) / Raw(b"x"),
    "icmp": ICMPv6EchoRequest(data=b"ping"),
    "time exceeded": ICMPv6TimeExceeded() / IPv6(src=HOST, dst=SOURCE, hlim=1, tc=2) / TCP(sport=3, dport=4),
    "hop-by-hop": IPv6ExtHdrHopByHop(options=[RouterAlert()]) / UDP(sport=1, dport=2) / Raw(b"x"),
    "destination options": IPv6ExtHdrDestOpt() / SEGMENT,
    "routing": IPv6ExtHdrRouting(addresses=[HOST]) / SEGMENT,
    "first fragment": IPv6ExtHdrFragment(offset=0, m=1, nh=6) / Raw(bytes(SEGMENT)[:8]),
    "later fragment": IPv6ExtHdrFragment(offset=5, m=0, nh=6) / Raw(b"payload"),
    "no next header": Raw(b""),
}


@pytest.mark.parametrize("upper", UPPER_LAYERS)
def test_what_follows_the_header_is_payload(routed: Target, upper: str) -> None:
    """Also where it is marked: extension headers, fragments and quoted packets stay as they are."""
    routed.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"})
    routed.slow()
    header = (
        IPv6(src=SOURCE, dst=HOST, tc=ECT_0, nh=59)
        if upper == "no next header"
        else IPv6(src=SOURCE, dst=HOST, tc=2)
    )
    sent = bytes(ethernet() / header / UPPER_LAYERS[upper])
    routed.burst([sent, sent])
    unmarked, marked = (departure.frame for departure in routed.drain())
    assert unmarked is not None
    assert marked is not None
    assert without_hop(unmarked) == without_hop(sent)
    assert decode6(marked)[IPv6].tc == CE
    assert marked[16:21] + marked[22:] == sent[16:21] + sent[22:]


@pytest.mark.parametrize("ecn", CODEPOINTS)
@pytest.mark.parametrize("scheme", ["ecnm", "mecn"])
def test_marks_are_those_of_ipv4(routed: Target, scheme: str, ecn: int) -> None:
    """Packet by packet in one burst: IPv4 and IPv6 in turn, marked by the same queue."""
    middle = {"mid_th": 3} if scheme == "mecn" else {}
    profile = {
        "scheme": scheme,
        "min_th": 2,
        "max_th": 6,
        "max_p": 1,
        "weight": 1,
        "mark_point": "tail",
        "not_ect": "pass",
        **middle,
    }
    routed.apply(profile)
    routed.slow()
    routed.burst([frame(ecn=ecn), frame6(ecn=ecn)] * 10)
    left = [departure.frame for departure in routed.drain()]
    assert len(left) == 20
    old = [ecn_of(data) for data in left[0::2]]
    new = [ecn6(data) for data in left[1::2]]
    assert old[4:] == new[4:]
    expected = {NOT_ECT: NOT_ECT, ECT_0: CE, ECT_1: CE, CE: CE}[ecn]
    assert new[4:] == [expected] * 6
    assert new[0] == ecn


def test_incipient_mark(routed: Target) -> None:
    profile = {"scheme": "mecn", "min_th": 2, "mid_th": 30, "max_th": 60, "max_p": 1, "weight": 1}
    routed.apply({**profile, "mark_point": "tail"})
    routed.slow()
    routed.burst([frame6(ecn=ECT_0)] * 40)
    marks = [ecn6(departure.frame) for departure in routed.drain()]
    assert set(marks[:3]) == {ECT_0}
    assert ECT_1 in marks[3:31]
    assert set(marks) == {ECT_0, ECT_1, CE}


def test_classes_of_both_protocols(routed: Target) -> None:
    """The DSCP class of the traffic class decides on the profile."""
    routed.apply({"scheme": "threshold", "threshold": 0, "mark_point": "tail"}, dscp=(10,))
    routed.slow()
    routed.burst([frame6(dscp=10), frame6(dscp=10), frame6(dscp=12), frame(dscp=12), frame(dscp=10)])
    left = [departure.frame for departure in routed.drain()]
    marks = [ecn6(data) for data in left[:3]] + [ecn_of(data) for data in left[3:]]
    assert marks == [ECT_0, CE, ECT_0, ECT_0, CE]


def test_drop_before_the_queue(routed: Target) -> None:
    profile = {"scheme": "ecn", "min_th": 1, "max_th": 3, "max_p": 1, "weight": 1, "above_max_th": "drop"}
    routed.apply({**profile, "mark_point": "tail"})
    routed.slow()
    kinds = [outcome.kind for outcome in routed.burst([frame6()] * 6)]
    assert kinds == ["enqueued"] * 3 + ["dropped"] * 3


def test_protocols_do_not_mix(routed: Target) -> None:
    """An IPv4 packet under IPv6's type, and the other way round."""
    four = bytes(ethernet(0x86DD) / Raw(bytes(IP(src="10.0.1.1", dst="10.0.2.1") / ICMP())))
    six = bytes(ethernet(0x0800) / Raw(frame6()[14:]))
    assert routed.send(four).kind == "dropped"
    assert routed.send(six).kind == "dropped"


def test_own_address(routed: Target) -> None:
    apply_sync([], address=routed.server.address, routes=[LocalRoute("2001:db8:2::fe/128")])
    (departure,) = routed.forward(frame6(dst="2001:db8:2::fe", hlim=1))
    assert departure.port == 510
