# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Questions about MECN beside UDP and with data in both directions, each with the rule that decides it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..declaration import Claim
from ..verdicts import Cases, Outcome, below, both, not_inferior, text
from .claims import EVERYWHERE, WHERE, cheaper, of_scheme
from .figures import BESIDE_UDP, BOTH_WAYS
from .scenarios import FRONT, MIXED, PASSING

if TYPE_CHECKING:
    from ..dataset import Dataset
    from ..paired import Sample
    from .parameters import Parameters
    from .scenarios import Scenario

GOODPUT = 0.02
"""Goodputs that differ by less than this share count as equal."""
LOSS = 0.005
"""Loss rates that differ by less than half a percentage point count as equal."""
RIVALS = ("drop-tail", "gentle RED", "ECN")


def _quotient(data: Dataset, scenario: Scenario, scheme: str, other: str, column: str) -> Sample:
    """One scheme's measure over another's."""
    return of_scheme(data, scenario, scheme, column) / of_scheme(data, scenario, other, column)


def _tcp_beside_udp(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in BESIDE_UDP:
        for other in RIVALS:
            ratio = _quotient(data, scenario, "MECN", other, "ftp_bps")
            cases[f"{scenario.name} ({other})"] = not_inferior(GOODPUT, ratio, over=1)
            cases.tell(f"{scenario.name}, {other} {text(ratio, digits=2)}")
    return cases.outcome("MECN's FTP goodput over that with others: ", "; ")


def _udp_is_spared(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in BESIDE_UDP:
        losses = {name: of_scheme(data, scenario, name, "udp_loss") for name in (*RIVALS, "MECN")}
        for name in RIVALS:
            cases[f"{scenario.name} ({name})"] = below(losses["MECN"] - losses[name], LOSS)
        told = ", ".join(f"{name} {text(loss, 100)}" for name, loss in losses.items())
        cases.tell(f"{scenario.name}: {told}")
    return cases.outcome("Loss rate of UDP, %: ", "; ")


def _tcp_both_ways(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in BOTH_WAYS:
        for other in RIVALS:
            ratios = [_quotient(data, scenario, "MECN", other, name) for name in ("ftp_bps", "back_ftp_bps")]
            for way, ratio in zip(("forward", "reverse"), ratios, strict=True):
                cases[f"{scenario.name}, {way} ({other})"] = not_inferior(GOODPUT, ratio, over=1)
            told = " and ".join(text(ratio, digits=2) for ratio in ratios)
            cases.tell(f"{scenario.name}, {other} {told}")
    return cases.outcome("MECN's forward and reverse FTP goodput over that with others: ", "; ")


def _passing(data: Dataset, _parameters: Parameters) -> Outcome:
    cases = Cases()
    for scenario in BESIDE_UDP:
        loss = _quotient(data, scenario, PASSING, "MECN", "udp_loss")
        tcp = _quotient(data, scenario, PASSING, "MECN", "ftp_bps")
        cases[scenario.name] = both(below(loss, 0.5), not_inferior(GOODPUT, tcp, over=1))
        cases.tell(f"{scenario.name}: {text(loss, digits=2)} and {text(tcp, digits=2)}")
    return cases.outcome("UDP's loss and FTP goodput over those where Not-ECT is dropped: ", "; ")


CLAIMS = (
    Claim(
        "beyond-9",
        WHERE,
        "Beside UDP, MECN gives TCP at least the goodput that drop-tail, gentle RED and ECN give it.",
        "Mean goodput of the bulk transfers is above 0.98 times that with each of them.",
        ("mixed",),
        _tcp_beside_udp,
    ),
    Claim(
        "beyond-10",
        WHERE,
        "UDP loses no more with MECN than with drop-tail, gentle RED and ECN.",
        "The mean loss rate of UDP flows is not higher by half a percentage point.",
        ("mixed",),
        _udp_is_spared,
    ),
    Claim(
        "beyond-11",
        WHERE,
        "With data in both directions MECN gives TCP at least the goodput of drop-tail, gentle RED and ECN.",
        "As beyond-9, in each direction.",
        ("mixed",),
        _tcp_both_ways,
    ),
    Claim(
        "beyond-12",
        WHERE,
        "Beside UDP and with data in both directions MECN has less delay than drop-tail, and is as"
        " efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("mixed",),
        cheaper("MECN", "drop-tail", MIXED),
    ),
    Claim(
        "beyond-13",
        WHERE,
        "There, too, mark-front gives MECN less delay than mark-tail, and it is as efficient.",
        f"As beyond-2.{EVERYWHERE}",
        ("mixed",),
        cheaper(FRONT, "MECN", MIXED),
    ),
    Claim(
        "beyond-14",
        WHERE,
        "To pass what cannot be marked, instead of dropping it, spares UDP and costs TCP nothing.",
        "UDP's loss rate is less than half, mean goodput of the bulk transfers above 0.98 times.",
        ("mixed",),
        _passing,
    ),
)
