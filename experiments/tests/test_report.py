# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and page, drawn from made-up results."""

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from mecn_experiments.dataset import Dataset
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper003 import report
from mecn_experiments.paper003.figures import draw_all
from mecn_experiments.paper003.parameters import Parameters

MakeUp = Callable[[Parameters], Dataset]
CheckPage = Callable[[str], tuple[int, set[str]]]
FIGURES = {
    "figure-06.svg",
    "figure-07.svg",
    "figure-08.svg",
    "figure-09.svg",
    "figure-10.svg",
    "figure-14.svg",
    "empty-queue.svg",
    "queue-deviation.svg",
    "jitter.svg",
}


@pytest.fixture(scope="module")
def drawn(made_up: MakeUp) -> dict[str, str]:
    """All files of a run with default parameters."""
    return draw(made_up(Parameters()), Parameters())


def draw(data: Dataset, parameters: Parameters) -> dict[str, str]:
    """Pictures and page by file name."""
    files = {f"{key}.svg": drawing.svg for key, drawing in draw_all(data, parameters).items()}
    return files | {"index.html": report.page(data, parameters)}


def test_all_figures_are_valid_svg_with_text_and_lines(drawn: dict[str, str]) -> None:
    assert set(drawn) == FIGURES | {"index.html"}
    for name in FIGURES:
        root = ElementTree.fromstring(drawn[name])
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(root.findall(".//{http://www.w3.org/2000/svg}path")) > 10
        assert "dc:date" not in drawn[name]


def test_page_refers_to_nothing_outside_itself(drawn: dict[str, str], check_page: CheckPage) -> None:
    html = drawn["index.html"]
    figures, ids = check_page(html)
    assert figures == len(FIGURES) + 1  # and the topology
    assert {name.removesuffix(".svg") for name in FIGURES} <= ids
    assert html.count("<svg") == html.count('role="img" aria-label="') == len(FIGURES) + 1


def test_page_says_what_was_changed(drawn: dict[str, str], made_up: MakeUp) -> None:
    assert "differs from the default" not in drawn["index.html"]
    parameters = Parameters(max_p=0.25, seeds=1, duration_s=10)
    html = draw(made_up(parameters), parameters)["index.html"]
    assert "max_p = 0.25 (default 0.1)" in html
    assert "--set max_p=0.25" in html
    assert "undecided" in html  # one seed gives no interval


def test_missing_runs_are_named(made_up: MakeUp) -> None:
    data = made_up(Parameters(sources=(2, 5)))
    with pytest.raises(ExperimentError, match="no queue trace of ECN 1/4, 10 sources"):
        draw(data, Parameters(trace_sources=10))
    with pytest.raises(ExperimentError, match="no run with scenario = ECN 1/4, n_sources = 10"):
        data.values("queue_mean", scenario="ECN 1/4", n_sources=10)
