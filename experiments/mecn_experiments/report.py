# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Pages: one for a paper, and the report over all of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .declaration import Chosen, Given, Parameters
from .style import inline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .declaration import Claim, Drawing, Figure, Table
    from .experiment import Results
    from .verdicts import Outcome


SYMBOLS = (
    ("N", "number of sources, or flows"),
    (
        "min_th, mid_th, max_th",
        "average queue at which incipient marks begin, CE begins, every packet is signalled; packets",
    ),
    ("1/4, 1/2/4", "such thresholds of a scheme with one level, and with two"),
    ("max_p", "probability of a mark just below max_th"),
    ("w, alpha", "weight of a sample in the moving average of the queue"),
    ("T", "threshold of the actual queue, packets"),
    ("C, R0, W", "capacity, packets per second; round-trip time, s; window, packets"),
    ("K, K_MECN", "gain of the control loop, proportional to max_p"),
    ("delay margin", "additional delay at which the loop would begin to oscillate, s; negative: it does"),
    ("sensitivity", "1 / (1 + K): what is left of a disturbance of the queue"),
    ("link efficiency", "acknowledged data over what the link can carry, %"),
    ("DT, RED, ECN, ECNM", "no signal; early drops; CE marks, and drops at max_th; CE marks at max_th too"),
    ("MECN, MECN*, AECN, ARED", "two levels of marks; the same with more gain; max_p adapted to the load"),
    ("CE, ECT(1), ECE, CWR", "codepoints of IP, and bits of TCP, that carry marks (RFC 3168)"),
    ("± x", "half width of the 95 % confidence interval of the mean over seeds"),
)
"""What the figures and claims of all papers use."""


@dataclass(frozen=True)
class ParameterRow:
    """A parameter as the page shows it."""

    name: str
    value: str
    changed: bool
    meaning: str
    origin: str


@dataclass(frozen=True)
class Section:
    """What a page says about one paper."""

    key: str
    title: str
    citation: str
    figures: Sequence[tuple[Figure, Sequence[Drawing]]]
    missing: Sequence[Figure]
    outcomes: Sequence[tuple[Claim, Outcome]]
    tables: Sequence[Table]
    parameters: Sequence[ParameterRow]
    versions: dict[str, str]
    runs: int


def paper_page(results: Results) -> str:
    """The page of one paper."""
    section = _section(results)
    return render("report.html.j2", {"title": section.title, "sections": [section], "symbols": SYMBOLS})


def report_page(papers: Sequence[Results]) -> str:
    """The report over several papers."""
    title = "The papers' claims, measured on the P4 program"
    sections = [_section(results) for results in papers]
    return render("report.html.j2", {"title": title, "sections": sections, "symbols": SYMBOLS})


def _section(results: Results) -> Section:
    paper = results.paper
    drawings = results.drawings()
    return Section(
        paper.key,
        paper.title,
        paper.citation,
        [(figure, drawings[figure.key]) for figure in paper.figures if figure.key in drawings],
        [figure for figure in paper.figures if figure.key not in drawings],
        results.outcomes(),
        results.tables(),
        parameter_rows(results.parameters),
        dict(sorted(results.data.versions.items())),
        len(results.data.rows),
    )


TALLY = re.compile(r"As claimed in (\d+ of \d+) cases(?:; not: (.+?))?(?:; open: (.+?))?\.")
"""What `verdicts.every` says of the cases of a claim."""


def tally(why: str) -> list[tuple[str, str]]:
    """How the cases of a claim went, as rows of a table; none if that is not what is said."""
    found = TALLY.fullmatch(why)
    if found is None:
        return []
    rows = (("as claimed", found[1]), ("not", found[2]), ("open", found[3]))
    return [(name, text) for name, text in rows if text]


def parts(measured: str) -> list[str]:
    """What was measured, case by case."""
    return measured.split("; ")


def parameter_rows(parameters: Parameters) -> list[ParameterRow]:
    """Every parameter with its value and where its default comes from."""
    model = type(parameters)
    defaults, origins = model(), model.origins()
    rows = []
    for name, field in model.model_fields.items():
        value, default = getattr(parameters, name), getattr(defaults, name)
        match origins.get(name):
            case Given(where):
                origin = f"given by the paper: {where}"
            case Chosen(because):
                origin = f"our choice: {because}"
            case _:
                origin = ""
        rows.append(ParameterRow(name, value_text(value), value != default, field.description or "", origin))
    return rows


def value_text(value: Any) -> str:  # noqa: ANN401
    """A parameter's value as people write it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, tuple):
        return ", ".join(
            "/".join(map(value_text, x)) if isinstance(x, tuple) else value_text(x) for x in value
        )
    return "" if value is None else str(value)


def render(template: str, context: dict[str, Any]) -> str:
    """A page from a template of this package; text is escaped, a name that the context lacks is an error."""
    environment = Environment(
        loader=PackageLoader("mecn_experiments"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"tally": tally, "parts": parts}
    environment.filters["inline_svg"] = lambda svg, alt: Markup(inline(svg, alt))  # noqa: S704 - our own drawing
    return environment.get_template(template).render(context)
