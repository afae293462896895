# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The figures, each with the runs that it needs and how it is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..declaration import Figure
from ..plots import Look, widths
from ..statistics import estimate
from ..style import BLUE, GREY, ORANGE, new_figure, style
from . import variants
from .drawing import COLOURS, curves, distributions, finished, look, scatter
from .measures import (
    ecn_gain,
    goodput,
    group_goodput_ratio,
    normalised_fairness,
    of_class,
    outstanding,
    pair_ratios,
    round_trip_ratio,
)
from .scenarios import (
    ECN,
    PD2_MS,
    PD_MAX_MS,
    RED,
    SCHEMES,
    TELNETS,
    Point,
    each,
    eight_round_trips,
    two_round_trips,
    web_and_ftp,
    with_udp,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..dataset import Dataset, Row
    from ..declaration import Drawing, Recipe
    from .parameters import Parameters
    from .scenarios import Scheme, Udp

    Runs = Callable[[Parameters], Sequence[Recipe]]
    Guide = tuple[str, Callable[[float], float], str]
    """Name, function and line style of a line of theory."""

FEW_WEB = 10
"""Web sessions of Figures 4 and 5."""
BOTH_WAYS_SESSIONS = (4, 16)
"""FTP sessions in each direction of Figure 18."""
BACK_FTP, BACK_FTP_OF_WEB, BACK_WEB = 10, 5, 10
"""Sessions of the reverse path of Figures 19, 20 and 22."""
HIGH_LOSS = 0.1
"""The paper's region of high loss (Figures 7 and 8)."""
FIGURE_4_SCHEMES: tuple[Scheme, ...] = ("dt", "r1")
DROP_TAIL: tuple[Scheme, ...] = ("dt",)
WITHOUT_ECN: tuple[Scheme, ...] = ("dt", *RED)
LETTERS = "abcdef"
IDENTITY: Guide = ("x", lambda x: x, "--")


def grid(
    points: Callable[[Parameters], Sequence[dict[str, Any]]], schemes: Sequence[Scheme] = SCHEMES
) -> Runs:
    """Every scheme at every point."""
    return lambda parameters: each(parameters, schemes, points(parameters))


# ---- Kinds of figures --------------------------------------------------------------------------------------


def sessions(
    key: str,
    title: str,
    says: str,
    runs: Runs,
    x: str,
    axis: str,
    *panels: tuple[str, ...],
    label: str = "goodput of a session (kbps)",
    schemes: Sequence[Scheme] = SCHEMES,
) -> Figure:
    """Mean goodput of classes of flows over how many there are. x: the column; panels: class, title, and the
    label where it is the panel's own."""

    def panel(data: Dataset, letter: str, kind: str, caption: str, own_label: str = "") -> Drawing:
        return curves(
            data,
            key=key + letter,
            title=caption,
            axis=axis,
            label=own_label or label,
            x=x,
            measure=lambda row: goodput(kind)(row) / 1e3,
            schemes=schemes,
        )

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        letters = LETTERS if len(panels) > 1 else ("",)
        return [panel(data, letter, *of) for letter, of in zip(letters, panels, strict=False)]

    return Figure(key, title, says, runs, draw)


def ratios(
    key: str, title: str, says: str, runs: Runs, *guides: Guide, schemes: Sequence[Scheme] = SCHEMES
) -> Figure:
    """Flows with two round trips: the ratio of the groups' goodputs over that of their round trips."""

    def pairs(data: Dataset, scheme: Scheme) -> list[tuple[float, float]]:
        return [(round_trip_ratio(row), group_goodput_ratio(row)) for row in data.select(scheme=scheme)]

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        drawing = scatter(
            key=key,
            title=title,
            axis="RTT1 / RTT2",
            label="goodput2 / goodput1",
            points=[(look(scheme), pairs(data, scheme)) for scheme in schemes],
            guides=guides,
        )
        return [drawing]

    return Figure(key, title, says, runs, draw)


def udp_losses(key: str, title: str, says: str, *panels: tuple[str, Udp, bool]) -> Figure:
    """Loss rates of UDP flows beside TCP, as distributions over flows and seeds. panels: what is drawn,
    source of the datagrams, whether TCP has SACK."""
    name = title.partition(":")[0]

    def runs(parameters: Parameters) -> Sequence[Recipe]:
        return [recipe for _, udp, sack in panels for recipe in with_udp(parameters, udp, sack=sack)]

    def losses(data: Dataset, scheme: Scheme, udp: Udp, *, sack: bool) -> list[float]:
        rows = data.select(scheme=scheme, udp=udp, sack=sack)
        return [loss for row in rows for loss in of_class(row, "flow_loss", "udp")]

    def draw(data: Dataset, _parameters: Parameters) -> list[Drawing]:
        return [
            distributions(
                key=f"{key}{letter}",
                title=f"{name} ({letter}): {what}",
                axis="loss rate of a UDP flow",
                lines=[(scheme, losses(data, scheme, udp, sack=sack)) for scheme in SCHEMES],
                level=HIGH_LOSS,
            )
            for letter, (what, udp, sack) in zip(LETTERS, panels, strict=False)
        ]

    return Figure(key, title, says, runs, draw)


# ---- Figures of their own kind -----------------------------------------------------------------------------


def _drops_of(row: Row, kind: str) -> list[tuple[float, float]]:
    """Throughput and loss of each flow of a class, in per cent of the sums over all flows."""
    sent = [rate / (1 - loss) for rate, loss in zip(row["flow_goodput_bps"], row["flow_loss"], strict=True)]
    dropped = [rate * loss for rate, loss in zip(sent, row["flow_loss"], strict=True)]
    return [
        (100 * rate / sum(sent), 100 * drops / (sum(dropped) or 1))
        for rate, drops, name in zip(sent, dropped, row["flow_class"], strict=True)
        if name == kind
    ]


def _drops(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    kinds = (
        Look("ftp", ORANGE, marker="s"),
        Look("web", BLUE, marker="o"),
        Look("telnet", GREY, marker="x"),
    )

    def drawing(letter: str, scheme: Scheme) -> Drawing:
        (row,) = data.select(scheme=scheme, seed=1)
        return scatter(
            key=f"fig4{letter}",
            title=f"Figure 4: drops and throughput of each flow, {scheme}",
            axis="share of all throughput (%)",
            label="share of all drops (%)",
            points=[(kind, _drops_of(row, kind.name)) for kind in kinds],
            guides=[("equal", lambda x: x, ":")],
        )

    return [drawing(letter, scheme) for letter, scheme in zip("ab", FIGURE_4_SCHEMES, strict=True)]


def _over_n(
    data: Dataset,
    key: str,
    title: str,
    label: str,
    column: str,
    measure: Callable[[Row], float],
    level: float | None,
) -> Drawing:
    """A measure of runs with n ECN-capable flows and n others."""
    return curves(
        data,
        key=key,
        title=title,
        axis="n",
        label=label,
        x=lambda row: row[column] / 2,
        measure=measure,
        schemes=ECN,
        level=level,
    )


def _mixed_ftp(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    gain = "Figure 9 (a): n ECN-capable FTP sessions beside n others"
    waiting = "Figure 9 (b): outstanding packets of a flow"
    return [
        _over_n(data, "fig9a", gain, "goodput ratio", "ftp", ecn_gain, 1.0),
        _over_n(data, "fig9b", waiting, "packets outstanding", "ftp", outstanding, None),
    ]


def _mixed_web(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    title = "Figure 10: n ECN-capable web sessions beside n others"
    return [_over_n(data, "fig10", title, "goodput ratio", "web", ecn_gain, 1.0)]


def _window_runs(parameters: Parameters) -> Sequence[Recipe]:
    return [Point(scheme="dt", ftp=2, round_trips_ms=(PD_MAX_MS, PD2_MS), trace=True).recipe(parameters)]


def _windows(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    (row,) = data.select(seed=1)
    with style():
        figure, axes = new_figure()
        words = []
        lines = (("T1", PD_MAX_MS, ORANGE, "-"), ("T2", PD2_MS, BLUE, "--"))
        for (name, trip, colour, line), time, window in zip(
            lines, row["cwnd_time_s"], row["cwnd_packets"], strict=True
        ):
            label = f"{name}, {trip:g} ms"
            axes.plot(time, window, color=colour, linestyle=line, drawstyle="steps-post", label=label)
            words.append(f"{name}: between {min(window):.3g} and {max(window):.3g} packets.")
        axes.set_xlabel("time (s)")
        axes.set_ylabel("congestion window (packets)")
        axes.set_ylim(bottom=0)
        return [finished(figure, axes, "fig12", "Figure 12: windows of two flows, drop-tail", words)]


def _eight(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    guides: list[Guide] = [
        ("x", lambda x: x, "-"),
        ("1.5 x", lambda x: 1.5 * x, "--"),
        ("0.5 x", lambda x: 0.5 * x, ":"),
    ]

    def pairs(scheme: Scheme) -> list[tuple[float, float]]:
        return [pair for row in data.select(scheme=scheme) for pair in pair_ratios(row)]

    return [
        scatter(
            key=f"fig14{letter}",
            title=f"Figure 14: 8 FTP sessions with different round trips, {scheme}",
            axis="RTT of a flow / least RTT",
            label="goodput at least RTT / its goodput",
            points=[(look(scheme), pairs(scheme))],
            guides=guides,
        )
        for letter, scheme in zip("ab", WITHOUT_ECN, strict=False)
    ]


def _fairness(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    with style():
        figure, axes = new_figure()
        results = [
            estimate([normalised_fairness(row) for row in data.select(scheme=scheme)]) for scheme in SCHEMES
        ]
        axes.bar(
            SCHEMES,
            [result.mean for result in results],
            0.7,
            yerr=widths(results),
            color=[COLOURS[scheme.removesuffix("e")] for scheme in SCHEMES],
            hatch=["//" if scheme in ECN else "" for scheme in SCHEMES],
            edgecolor="white",
            ecolor=GREY,
            capsize=3,
        )
        axes.set_ylim(min(0.8, min(result.mean for result in results) - 0.05), 1)
        axes.set_xlabel("scheme")
        axes.set_ylabel("normalised fairness")
        words = [f"{scheme} {result.mean:.3f}." for scheme, result in zip(SCHEMES, results, strict=True)]
        return [finished(figure, axes, "fig15", "Figure 15: normalised fairness", words)]


def _both_ways(data: Dataset, _parameters: Parameters) -> list[Drawing]:
    def rates(scheme: Scheme, n: int) -> list[float]:
        rows = data.select(scheme=scheme, ftp=n)
        return [rate / 1e3 for row in rows for rate in of_class(row, "flow_goodput_bps", "ftp")]

    return [
        distributions(
            key=f"fig18{letter}",
            title=f"Figure 18: goodput of each forward FTP session, {n} in each direction",
            axis="goodput of a session (kbps)",
            lines=[(scheme, rates(scheme, n)) for scheme in SCHEMES],
        )
        for letter, n in zip("ab", BOTH_WAYS_SESSIONS, strict=True)
    ]


FIGURES = (
    sessions(
        "fig3",
        "Figure 3: effect of RED on short-lived and long-lived TCP",
        '"the Web sessions receive 10-30% higher average goodput with RED than with DT, regardless of the RED'
        ' parameters used"; the FTP sessions receive slightly lower goodput.',
        lambda parameters: web_and_ftp(parameters, sack=False),
        "web",
        "web sessions",
        ("web", "Figure 3 (a): web sessions beside 5 FTP sessions", "web goodput (kbps)"),
        ("ftp", "Figure 3 (b): the FTP sessions", "FTP goodput (kbps)"),
    ),
    Figure(
        "fig4",
        "Figure 4: packet drops against throughput",
        '"there is not much difference between dt and r1": web and FTP sessions have about the same loss'
        " rates.",
        grid(lambda _: [{"ftp": 5, "web": FEW_WEB, "telnet": TELNETS}], FIGURE_4_SCHEMES),
        _drops,
    ),
    sessions(
        "fig5",
        "Figure 5: web sessions with smaller drop-tail buffers",
        'From 1.4 down to 0.2 bandwidth-delay products "the average goodput received by the Web sessions'
        ' experiences a 10-30% increase".',
        grid(
            lambda parameters: [
                {"ftp": 5, "web": FEW_WEB, "telnet": TELNETS, "buffer_bdp": buffer}
                for buffer in parameters.buffers_bdp
            ],
            DROP_TAIL,
        ),
        "buffer_bdp",
        "buffer (bandwidth-delay products)",
        ("web", "Figure 5: web sessions and the buffer of drop-tail"),
        label="web goodput (kbps)",
        schemes=DROP_TAIL,
    ),
    sessions(
        "fig6",
        "Figure 6: web sessions, TCP/Sack1",
        '"with dt, the Web sessions receive 10% lower goodput when all flows use TCP/Sack1 instead of'
        ' TCP/Reno"; with the others SACK makes little difference.',
        lambda parameters: web_and_ftp(parameters, sack=True),
        "web",
        "web sessions",
        ("web", "Figure 6: web sessions, all flows with SACK"),
        label="web goodput (kbps)",
    ),
    udp_losses(
        "fig7",
        "Figure 7: loss rate of CBR UDP flows",
        'SACK or ECN "can significantly increase the loss rate for UDP traffic"; with fixed spacing drop-tail'
        " has a much bigger tail at the high loss rates.",
        ("CBR with fixed spacing, FTP with Reno", "cbr-fixed", False),
        ("CBR with random spacing, FTP with Reno", "cbr-random", False),
        ("CBR with random spacing, FTP with SACK", "cbr-random", True),
    ),
    udp_losses(
        "fig8",
        "Figure 8: loss rate of ON/OFF UDP flows",
        'RED with ECN or SACK raises the loss rate; "the use of RED without ECN actually reduces the loss'
        ' rate for UDP traffic".',
        ("ON/OFF UDP, FTP with Reno", "on-off", False),
        ("ON/OFF UDP, FTP with SACK", "on-off", True),
    ),
    Figure(
        "fig9",
        "Figure 9: n ECN-capable and n other FTP sessions",
        '"ECN-capable sources consistently out-performs non-ECN-capable sources by 5-30%"; the ratio rises'
        " and"
        " later falls, with its peak at 3 to 4 outstanding packets.",
        grid(lambda parameters: [{"ftp": 2 * n, "mixed": True} for n in parameters.ecn_pairs], ECN),
        _mixed_ftp,
    ),
    Figure(
        "fig10",
        "Figure 10: n ECN-capable and n other web sessions",
        '"the shape of the curve is very similar to Fig. 9 (a), except that the peak goodput ratio is much'
        ' smaller".',
        grid(lambda parameters: [{"web": 2 * n, "mixed": True} for n in parameters.ecn_web_pairs], ECN),
        _mixed_web,
    ),
    ratios(
        "fig11",
        "Figure 11: 6 FTP sessions with 2 round trips, drop-tail",
        '"the goodput ratio always satisfies" 0.5 (RTT1/RTT2)^2 <= goodput2/goodput1 <= (RTT1/RTT2)^2.',
        lambda parameters: two_round_trips(parameters, DROP_TAIL),
        ("x²", lambda x: x * x, "--"),
        ("0.5 x²", lambda x: x * x / 2, ":"),
        schemes=DROP_TAIL,
    ),
    Figure(
        "fig12",
        "Figure 12: congestion windows of two flows with drop-tail, RTT1 > RTT2",
        "A loss of the flow with the short round trip costs the other one a packet with a probability of a"
        " half to one.",
        _window_runs,
        _windows,
    ),
    ratios(
        "fig13",
        "Figure 13: 6 FTP sessions with 2 round trips, RED",
        "Goodput2/Goodput1 is about RTT1/RTT2, because with RED all flows see about the same loss rate.",
        lambda parameters: two_round_trips(parameters, RED),
        IDENTITY,
        schemes=RED,
    ),
    Figure(
        "fig14",
        "Figure 14: 8 FTP sessions with different round trips",
        'With dt the ratios are "centered around line Y = X and are well-bounded by" 1.5X and 0.5X; with RED'
        ' they are "clustered much closer to line Y = X".',
        lambda parameters: eight_round_trips(parameters, WITHOUT_ECN),
        _eight,
    ),
    Figure(
        "fig15",
        "Figure 15: normalised fairness of 8 FTP sessions with different round trips",
        '"DT is significantly less fair compared to RED".',
        lambda parameters: eight_round_trips(parameters, SCHEMES),
        _fairness,
    ),
    ratios(
        "fig16",
        "Figure 16: 30 web sessions with 2 round trips",
        '"no matter what queue management scheme is used, Goodput2/Goodput1" is about RTT1/RTT2.',
        grid(
            lambda parameters: [
                {"web": 30, "round_trips_ms": (pd1, PD2_MS)} for pd1 in parameters.web_round_trips_ms
            ]
        ),
        IDENTITY,
    ),
    sessions(
        "fig17",
        "Figure 17: forward FTP sessions with as many in the reverse path",
        '"the average goodput is slightly higher with DT than with RED when the number of competing FTP'
        ' sessions is small"; with many there is little difference.',
        grid(lambda parameters: [{"ftp": n, "back_ftp": n} for n in parameters.both_ways]),
        "ftp",
        "FTP sessions in each direction",
        ("ftp", "Figure 17: FTP in both directions"),
        label="forward goodput of a session (kbps)",
    ),
    Figure(
        "fig18",
        "Figure 18: distribution of the goodput of FTP sessions, 4 and 16 in each direction",
        'With few flows dt gives more than RED plus ECN and about as much as RED; "when the congestion level'
        ' is high, DT gives worse performance than RED".',
        grid(lambda _: [{"ftp": n, "back_ftp": n} for n in BOTH_WAYS_SESSIONS]),
        _both_ways,
    ),
    sessions(
        "fig19",
        "Figure 19: FTP sessions in the forward path, 10 in the reverse path",
        'In the forward path the schemes differ little. In the reverse path goodput "with DT ... continuously'
        ' decreases"; with RED it "soon stabilizes at a level much higher".',
        grid(lambda parameters: [{"ftp": n, "back_ftp": BACK_FTP} for n in parameters.forward_ftp]),
        "ftp",
        "FTP sessions in the forward path",
        ("ftp", "Figure 19 (a): FTP, forward path"),
        ("back-ftp", "Figure 19 (b): 10 FTP sessions, reverse path"),
    ),
    sessions(
        "fig20",
        "Figure 20: web sessions in the forward path, 5 FTP sessions in the reverse path",
        "The schemes make very little difference to the web sessions; FTP in the reverse path stabilizes with"
        " RED and keeps falling with drop-tail.",
        grid(lambda parameters: [{"web": n, "back_ftp": BACK_FTP_OF_WEB} for n in parameters.forward_web]),
        "web",
        "web sessions in the forward path",
        ("web", "Figure 20 (a): web sessions, forward path"),
        ("back-ftp", "Figure 20 (b): 5 FTP sessions, reverse path"),
    ),
    sessions(
        "fig21",
        "Figure 21: web sessions in both directions",
        '"there is very little difference in goodput with different queue management policies".',
        grid(lambda parameters: [{"web": n, "back_web": n} for n in parameters.forward_web]),
        "web",
        "web sessions in each direction",
        ("web", "Figure 21: web sessions in both directions, forward path"),
    ),
    sessions(
        "fig22",
        "Figure 22: web sessions in the forward path, 10 in the reverse path",
        '"the results is qualitatively similar to Fig. 20".',
        grid(lambda parameters: [{"web": n, "back_web": BACK_WEB} for n in parameters.forward_web]),
        "web",
        "web sessions in the forward path",
        ("web", "Figure 22 (a): web sessions, forward path"),
        ("back-web", "Figure 22 (b): 10 web sessions, reverse path"),
    ),
    variants.FIGURE,
)
