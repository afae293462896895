# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The virtual network's Python face: what it refuses, what it returns, that it can be stopped."""

import math
import signal
import struct
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest
from mecn_native import (
    CWND_CAUSES,
    ActionCall,
    MatchField,
    Network,
    NetworkError,
    NetworkResult,
    Node,
    NotFoundError,
    Switch,
    TableUpdate,
    TcpConfig,
)

FIXTURE = Path(__file__).resolve().parents[3] / "netsim" / "tests" / "data" / "marker.json"
GATEWAYS = {"A": "02:00:00:00:00:02", "B": "02:00:00:00:00:01"}


def hosts(network: Network) -> tuple[Node, Node]:
    a = network.add_host("A", address="10.0.1.1", gateway_mac=GATEWAYS["A"])
    b = network.add_host("B", address="10.0.2.1", gateway_mac=GATEWAYS["B"])
    return a, b


def switch(threshold: int | None = None) -> Switch:
    """Sends what is for A out of port 1, what is for B out of port 2, and marks there above a threshold."""
    made = Switch.from_json(FIXTURE.read_bytes())
    for port, prefix in ((1, 0x0A000100), (2, 0x0A000200)):
        made.update(
            TableUpdate.Insert(
                "Ingress.ipv4_lpm", [MatchField.Lpm(prefix, 24)], 0, ActionCall("Ingress.forward", [port])
            )
        )
    if threshold is not None:
        action = ActionCall("Egress.set_threshold", [threshold])
        made.update(TableUpdate.Insert("Egress.threshold", [MatchField.Exact(2)], 0, action))
    return made


def bottleneck(threshold: int | None = None, limit_packets: int | None = None) -> tuple[Network, Node, Node]:
    network = Network(seed=5)
    r = network.add_switch("R", switch(threshold))
    a, b = hosts(network)
    network.link(a, r, port=1, rate_bps=10_000_000, delay_s=0.002)
    network.link(b, r, port=2, rate_bps=1_500_000, delay_s=0.020, limit_packets=limit_packets)
    network.watch_port(r, 2, average_register="Egress.depth", average_index=2)
    return network, a, b


def doubles(data: bytes) -> list[float]:
    return [value for (value,) in struct.iter_unpack("<d", data)]


def words(data: bytes) -> list[int]:
    return [value for (value,) in struct.iter_unpack("<I", data)]


def test_handles() -> None:
    network = Network()
    a, b = hosts(network)
    r = network.add_switch("R", switch())
    assert (a.name, a.kind, a.address, a.mac) == ("A", "host", "10.0.1.1", "02:00:00:00:00:01")
    assert (r.kind, r.address, r.mac) == ("switch", None, None)
    assert network.add_sink("Z").kind == "sink"
    assert a != b
    assert len({a, b, r}) == 3
    assert hosts(Network())[0] != a


REFUSED: list[tuple[Callable[[Network, Node, Node], object], str]] = [
    (
        lambda n, a, r: n.link(a, r, port=511, rate_bps=1, delay_s=0.0),
        "switch R has no port 511: ports are 0 to 510",
    ),
    (lambda n, a, r: n.link(a, r, port=1, rate_bps=0, delay_s=0.0), "rate_bps must be 1 to 10^15"),
    (lambda n, a, r: n.link(a, r, port=1, rate_bps=-5, delay_s=0.0), "rate_bps must be 1 to 10^15, not -5"),
    (
        lambda n, a, r: n.link(a, r, port=1, rate_bps=5, delay_s=math.nan),
        "delay_s must be 0 to 1e9 seconds, not NaN",
    ),
    (lambda n, a, r: n.link(r, a, port=1, rate_bps=5, delay_s=0.0), "node R is not a host or sink"),
    (
        lambda n, a, r: n.link(a, r, port=1, rate_bps=5, delay_s=0.0, limit_packets=-1),
        "limit_packets must be 0 to 2^32 - 1, or None, not -1",
    ),
    (lambda n, a, _r: n.link_hosts(a, a, rate_bps=5, delay_s=0.0), "both ends are A"),
    (lambda n, _a, _r: n.add_host("C", address="10.0.1"), 'address "10.0.1" is not an IPv4 address'),
    (
        lambda n, _a, _r: n.add_host("C", address="10.0.1.1"),
        "host C cannot have address 10.0.1.1: host A has it",
    ),
    (
        lambda n, _a, _r: n.add_host("C", address="10.0.9.1", mac="2:0:0:0:0:1"),
        'mac "2:0:0:0:0:1" is not a MAC address like 02:00:00:00:00:01',
    ),
    (lambda n, a, r: n.add_bulk_flow(a, r), "node R is not a host"),
    (lambda _n, a, _r: Network().add_bulk_flow(a, a), "node A belongs to another network"),
    (lambda n, _a, r: n.watch_port(r, 1), "port 1 of switch R is watched but has no link"),
    (lambda n, _a, _r: n.run(until_s=0.0), "until_s must be above 0 and at most 10^9"),
    (lambda n, _a, _r: n.run(until_s=1.0, warmup_s=1.0), "warmup_s must be less than until_s"),
    (lambda _n, _a, _r: TcpConfig(beta=(0.5, 2.5, 2.0)), "beta for incipient must be 1 to 4000, not 0.5"),
    (lambda _n, _a, _r: TcpConfig(mss=70_000), "mss must be 1 to 65455, not 70000"),
    (lambda _n, _a, _r: TcpConfig(dscp=64), "TCP configuration: dscp must be 0 to 63"),
    (
        lambda _n, _a, _r: TcpConfig(ecn="x"),  # type: ignore[arg-type]
        'ecn must be "off", "classic" or "multilevel", not "x"',
    ),
    (
        lambda _n, _a, _r: TcpConfig(loss_recovery="x"),  # type: ignore[arg-type]
        'loss_recovery must be "reno", "newreno" or "sack", not "x"',
    ),
    (lambda n, a, r: n.add_web_flow(a, r, page_bytes=0), "node R is not a host"),
    (lambda _n, a, _r: Network().add_cbr_flow(a, a), "node A belongs to another network"),
]


@pytest.mark.parametrize(("attempt", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_refusals_are_one_sentence(attempt: Callable[[Network, Node, Node], object], sentence: str) -> None:
    network = Network()
    a, _ = hosts(network)
    r = network.add_switch("R", switch())
    with pytest.raises(NetworkError) as caught:
        attempt(network, a, r)
    assert str(caught.value) == sentence


def test_a_missing_register_is_named() -> None:
    network, a, _ = bottleneck()
    assert a.name == "A"
    r = network.add_switch("R2", switch())
    network.link(network.add_sink("Z"), r, port=0, rate_bps=1, delay_s=0.0)
    with pytest.raises(NetworkError, match="switch R2: its program has no register nothing"):
        network.watch_port(r, 0, average_register="nothing")
    with pytest.raises(NetworkError, match="switch R2: its program has no counter nothing"):
        network.watch_port(r, 0, early_drop_counter="nothing")


def run_marked() -> NetworkResult:
    network, a, b = bottleneck(threshold=10)
    network.add_bulk_flow(a, b, start_jitter_s=0.5, tcp=TcpConfig(ecn="classic"), trace_cwnd=True)
    return network.run(until_s=40.0, warmup_s=10.0)


def test_results() -> None:
    result = run_marked()
    assert result.window_s == (10.0, 40.0)
    (flow,) = result.flows
    assert flow.ecn_negotiated
    assert 0.0 <= flow.start_s < 0.5
    assert flow.finished_s is None
    assert flow.goodput_bps == pytest.approx(flow.acked_packets * 960 * 8 / 30.0)
    assert flow.reductions_moderate > 0
    assert flow.reductions_incipient == flow.reductions_loss == flow.timeouts == 0
    assert flow.delay.min_s <= flow.delay.mean_s <= flow.delay.percentile_s(95.0) <= flow.delay.max_s
    assert flow.delay.count == result.delay.count > 0

    times, causes = doubles(flow.cwnd_time_s), [CWND_CAUSES[i] for i in flow.cwnd_causes]
    assert len(times) == len(causes) == len(words(flow.cwnd_trace_bytes))
    assert len(times) == len(words(flow.ssthresh_trace_bytes))
    assert times == sorted(times)
    assert "moderate" in causes

    (port,) = result.ports
    assert (port.switch, port.port) == ("R", 2)
    assert port.ecn_counts[3] == port.marked_ce > 0
    assert port.marked_incipient == port.tail_drops == port.early_drops == 0
    assert sum(port.ecn_counts) == port.sent_packets
    assert port.busy_s == pytest.approx(port.utilisation * 30.0)
    assert port.utilisation + port.fraction_idle == pytest.approx(1.0)
    depth = words(port.trace_depth)
    assert len(depth) == len(doubles(port.trace_time_s)) == len(doubles(port.trace_average))
    assert max(depth) >= port.depth_max >= port.depth_mean >= port.depth_min
    assert result.switches[0].sent_packets >= port.sent_packets
    assert all(host.misdelivered_frames == host.damaged_frames == 0 for host in result.hosts)


def test_the_same_seed_gives_the_same_bytes() -> None:
    assert run_marked().to_bytes() == run_marked().to_bytes()
    network, a, b = bottleneck(threshold=10)
    network.add_bulk_flow(a, b, start_jitter_s=0.5)
    first, other = network.run(until_s=1.0), network.run(until_s=1.0, seed=6)
    assert (first.seed, other.seed) == (5, 6)
    assert first.flows[0].start_s != other.flows[0].start_s


def test_a_run_leaves_no_state_behind() -> None:
    network, a, b = bottleneck(limit_packets=5)
    network.add_bulk_flow(a, b)
    first = network.run(until_s=5.0)
    assert first.ports[0].tail_drops > 0
    assert network.run(until_s=5.0).to_bytes() == first.to_bytes()


def test_nothing_measured_is_nan() -> None:
    network, a, b = bottleneck()
    network.add_bulk_flow(a, b, start_s=5.0)
    (flow,) = network.run(until_s=1.0).flows
    assert math.isnan(flow.srtt_s)
    assert math.isnan(flow.delay.mean_s)
    assert math.isnan(flow.delay.percentile_s(50.0))
    assert (flow.acked_bytes, flow.goodput_bps, flow.established) == (0, 0.0, False)


def test_the_keyboard_interrupts_a_run() -> None:
    network, a, b = bottleneck()
    network.add_bulk_flow(a, b)

    def interrupt(_signum: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            network.run(until_s=1e8)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
    assert time.monotonic() - begin < 10.0


def test_sources() -> None:
    network, a, b = bottleneck(limit_packets=50)
    tcp = TcpConfig(loss_recovery="sack", limited_transmit=True, processing_time_s=0.003)
    network.add_web_flow(
        a, b, tcp=tcp, page_bytes=20_000, think_s=(0.5, 1.5), trace_cwnd=True, trace_limit=50
    )
    network.add_telnet_flow(a, b, start_jitter_s=1.0)
    network.add_cbr_flow(a, b, spacing="random")
    network.add_pareto_flow(a, b, mean_on_s=0.5)
    web, telnet, cbr, pareto = network.run(until_s=60.0).flows
    assert web.web_pages > 20
    assert web.acked_bytes // 20_000 == web.web_pages
    assert 0.0 < web.web_active_s < 60.0
    assert 0 <= web.sent_segments - web.received_segments < 0.05 * web.sent_segments
    assert len(words(web.flight_trace_bytes)) == len(doubles(web.srtt_trace_s)) == 50
    assert web.cwnd_trace_lost > 0
    assert telnet.acked_bytes > 0
    assert telnet.acked_bytes % 960 == 0
    assert cbr.datagrams_sent == pytest.approx(60.0 / 0.07, rel=0.05)
    assert cbr.datagrams_sent - cbr.datagrams_received <= 1
    assert 0 < pareto.datagrams_received < cbr.datagrams_received
    assert not cbr.established


def test_a_link_may_differ_by_direction() -> None:
    network = Network()
    a, b = hosts(network)
    network.link_hosts(
        a, b, rate_bps=8_000_000, delay_s=0.001, reverse_rate_bps=1_000_000, reverse_delay_s=0.005
    )
    network.add_bulk_flow(a, b, limit_bytes=960)
    (flow,) = network.run(until_s=1.0).flows
    assert flow.finished_s == pytest.approx(2 * 0.006 + (48 + 1000) * 1e-6 + (48 + 40) * 8e-6)


def test_steps_change_nothing_and_what_is_written_between_them_holds() -> None:
    network, a, b = bottleneck()
    network.add_bulk_flow(a, b, start_jitter_s=0.5, tcp=TcpConfig(ecn="classic"))
    whole = network.run(until_s=20.0, warmup_s=5.0)
    stepped = network.start(until_s=20.0, warmup_s=5.0)
    for step in range(1, 200):
        stepped.run_until(step * 0.1)
    assert stepped.now_s == 19.9
    assert stepped.finish().to_bytes() == whole.to_bytes()

    r = network.add_switch("R2", switch())
    steered = network.start(until_s=20.0)
    steered.run_until(10.0)
    update = TableUpdate.Insert(
        "Egress.threshold", [MatchField.Exact(2)], 0, ActionCall("Egress.set_threshold", [5])
    )
    assert steered.update_tables(r, [update, update]) is not None
    assert steered.entries(r, "Egress.threshold") == []
    assert steered.update_tables(r, [update]) is None
    assert len(steered.entries(r, "Egress.threshold")) == 1
    assert steered.take_digests(r) == []
    assert steered.counter_read(r, "Ingress.drops", 0) == (0, 0)
    with pytest.raises(NetworkError, match="time_s must be neither before the present nor after the end"):
        steered.run_until(9.0)
    with pytest.raises(NetworkError, match="node A belongs to another network"):
        steered.entries(hosts(Network())[0], "Egress.threshold")
    with pytest.raises(NotFoundError):
        steered.entries(r, "nothing")
    steered.finish()
    with pytest.raises(NetworkError, match="has been finished"):
        steered.finish()
