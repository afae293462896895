# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What ns-2 did in a paper's year: the one table from which the papers' TCP and RED settings follow.

`python -m mecn_experiments.ns2_defaults` prints it; `--write` puts it into docs/validation.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from .declaration import Chosen, Given, Parameters
from .documents import table_command
from .fields import (
    CongestionAvoidance,
    HoldAtOneSegment,
    HoldBelowOneSegment,
    IdlePacketBytes,
    InitialRto,
    InitialWindow,
    LossCutsWindow,
    MaxRto,
    MinRto,
    RetransmissionTimer,
    Spacing,
    TimerGranularity,
)
from .program import CHECKOUT

DOCUMENT = CHECKOUT / "docs" / "validation.md"
Era = Literal["1997 to April 2001", "June 2001", "2.35 (2011)"]
ERAS: tuple[Era, ...] = ("1997 to April 2001", "June 2001", "2.35 (2011)")
OLD = ERAS[0]
"""The simulator's time of all papers that follow the table. 000 was at a conference of July 2001; 003's
multi-level ECN was added to the simulator for a paper of July 2001 (its reference 1); 004 cites the
simulator's early site, and nothing after 2000."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row: a parameter of ours, and the simulator's value at each time."""

    name: str
    """Of ours, as in papers' parameters."""
    theirs: str
    values: tuple[Any, Any, Any]
    """At each of :data:`ERAS`."""
    sources: tuple[str, str, str]
    """Of each value."""
    note: str = ""


_97 = "ns-default.tcl 1.82 (December 1997)"
_235 = "ns-default.tcl of 2.35"
_CODE = "tcp.cc of 2.35"
_OFF = "tcp.cc of 2.35 with the option off, which was added later"
_RED = "red.cc of 2.35"


def _changed(date: str) -> str:
    return f"{_235}: changed {date}"


def _same(name: str, theirs: str, value: object, source: str, note: str = "") -> Setting:
    return Setting(name, theirs, (value,) * 3, (source,) * 3, note)


TABLE = (
    Setting("initial_window", "windowInit_", (1, 2, 2), (_97, _changed("26 May 2001"), _235)),
    Setting(
        "initial_rto_s",
        "rtxcur_init_",
        (6.0, 6.0, 3.0),
        (_97, _97, _changed("21 January 2006")),
        "before the first measurement; a SYN has it only since May 2001 (`syn_`)",
    ),
    Setting(
        "min_rto_s",
        "minrto_",
        (0.2, 1.0, 0.2),
        ("tcp.cc: two ticks, there was no other bound", _changed("14 May 2001"), _changed("14 October 2004")),
    ),
    Setting(
        "max_rto_s",
        "maxrto_",
        (3600.0, 3600.0, 60.0),
        (_97, _97, _changed("28 March 2007")),
        "100,000 s there; the back-off ends at 64 times the timeout, before either",
    ),
    Setting("timer_granularity_s", "tcpTick_", (0.1, 0.1, 0.01), (_97, _97, _changed("7 March 2002"))),
    Setting(
        "retransmission_timer",
        "rtt_update, rtt_backoff, timerfix_, rfc2988_",
        ("whole-ticks", "whole-ticks", "rfc6298"),
        (_OFF, _OFF, _changed("7 March 2002")),
        "since 11 May 2001 an ACK restarts the timer with its own measurement (`timerfix_`); 2.35 keeps the"
        " arithmetic in ticks, of 0.01 s",
    ),
    _same("congestion_avoidance", "windowOption_ 1", "per-ack", _97, "1/cwnd packets for each ACK"),
    _same("delayed_acks", "Agent/TCPSink", False, _97, "TCPSink/DelAck is another class"),
    _same(
        "loss_cuts_window",
        "slowdown(CLOSE_SSTHRESH_HALF)",
        True,
        _CODE,
        "half of the window, not of what is outstanding",
    ),
    Setting(
        "cuts_whole_segments",
        "precisionReduce_ false",
        (True, True, False),
        (_OFF, _OFF, _changed("24 January 2006")),
        "a halved window is a whole number of packets",
    ),
    _same(
        "hold_at_one_segment",
        "send_much",
        True,
        _CODE,
        "a window below one packet sends nothing until the timer",
    ),
    _same("hold_below_one_segment", "send_much", True, _CODE, "the same"),
    _same(
        "ecn_retransmissions",
        "output()",
        True,
        _CODE,
        "what is sent again is ECN-capable and can carry CWR; no paper's runs here follow this",
    ),
    Setting("limited_transmit", "singledup_", (False, False, True), (_97, _97, _changed("28 November 2001"))),
    Setting(
        "weight",
        "q_weight_",
        (0.002, 0.002, None),
        (_97, _97, _changed("29 December 2001") + " to -1, automatic"),
    ),
    _same("spacing", "wait_ true", "wait", _97, "gaps uniform on 1/p to 2/p packets"),
    _same("min_depth", "qlen > 1", 2, _RED, "RED leaves alone what meets fewer packets"),
    _same("idle_packet_bytes", "mean_pktsize_", 500, _97, "packets that an idle link could have sent"),
    Setting("gentle", "gentle_", (False, True, True), (_97, _changed("23 April 2001"), _235)),
    Setting(
        "queue_in_bytes",
        "bytes_, queue_in_bytes_",
        (False, False, True),
        (_97, _97, _changed("11 October 2004")),
    ),
)


def default(name: str) -> Any:  # noqa: ANN401 - a number, a flag or a name
    """The simulator's value of a setting at the papers' time."""
    return _setting(name).values[ERAS.index(OLD)]


def origin(name: str) -> Chosen:
    """Where a default comes from that follows the table."""
    setting = _setting(name)
    return Chosen(f"ns-2, {OLD}: {setting.theirs} ({setting.sources[ERAS.index(OLD)]})")


def _setting(name: str) -> Setting:
    for setting in TABLE:
        if setting.name == name:
            return setting
    raise KeyError(name)


class SimulatorParameters(Parameters):
    """What the papers of ns-2's early years have in common: its TCP and RED of their time."""

    spacing: Spacing = default("spacing")
    idle_packet_bytes: IdlePacketBytes = default("idle_packet_bytes")
    initial_window: InitialWindow = default("initial_window")
    retransmission_timer: RetransmissionTimer = default("retransmission_timer")
    initial_rto_s: InitialRto = default("initial_rto_s")
    min_rto_s: MinRto = default("min_rto_s")
    max_rto_s: MaxRto = default("max_rto_s")
    timer_granularity_s: TimerGranularity = default("timer_granularity_s")
    congestion_avoidance: CongestionAvoidance = default("congestion_avoidance")
    hold_at_one_segment: HoldAtOneSegment = default("hold_at_one_segment")
    hold_below_one_segment: HoldBelowOneSegment = default("hold_below_one_segment")
    loss_cuts_window: LossCutsWindow = default("loss_cuts_window")

    @classmethod
    def origins(cls) -> dict[str, Given | Chosen]:
        """What has no origin of its own follows the table."""
        followed = {row.name: origin(row.name) for row in TABLE if row.name in cls.model_fields}
        return followed | super().origins()


def table() -> str:
    """The table as Markdown."""
    lines = [
        "| here | ns-2 | " + " | ".join(ERAS) + " | note |",
        "|---" * (3 + len(ERAS)) + "|",
    ]
    for row in TABLE:
        found = list(zip(row.values, row.sources, strict=True))
        cells = [
            f"{_text(value)} ({source})" if i == 0 or (value, source) != found[i - 1] else "the same"
            for i, (value, source) in enumerate(found)
        ]
        lines.append(f"| `{row.name}` | {row.theirs} | {' | '.join(cells)} | {row.note} |")
    return "\n".join(lines)


def _text(value: object) -> str:
    if value is None:
        return "automatic"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def main() -> int:
    """Prints the table, or writes it into the document."""
    return table_command(__doc__, DOCUMENT, "ns-2 defaults", table)


if __name__ == "__main__":
    raise SystemExit(main())
