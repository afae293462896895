# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and page, drawn from made-up results."""

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from mecn_experiments.dataset import Dataset
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper003 import report
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


def test_all_figures_are_valid_svg_with_text_and_lines(made_up: MakeUp) -> None:
    parameters = Parameters()
    files = report.draw(made_up(parameters), parameters)
    assert set(files) == FIGURES | {"index.html"}
    for name in FIGURES:
        root = ElementTree.fromstring(files[name])
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(root.findall(".//{http://www.w3.org/2000/svg}path")) > 10
        assert "dc:date" not in files[name]


def test_drawing_twice_gives_the_same_bytes(made_up: MakeUp) -> None:
    parameters = Parameters(sources=(2, 5), duration_s=20)
    data = made_up(parameters)
    assert report.draw(data, parameters) == report.draw(data, parameters)


def test_page_refers_to_nothing_outside_itself(made_up: MakeUp, check_page: CheckPage) -> None:
    parameters = Parameters()
    html = report.draw(made_up(parameters), parameters)["index.html"]
    figures, ids = check_page(html)
    assert figures == len(FIGURES) + 1  # and the topology
    assert {name.removesuffix(".svg") for name in FIGURES} <= ids
    assert html.count("<svg") == html.count('role="img" aria-label="') == len(FIGURES) + 1


def test_page_says_what_was_changed(made_up: MakeUp) -> None:
    parameters = Parameters(max_p=0.25, seeds=1)
    html = report.draw(made_up(parameters), parameters)["index.html"]
    assert "max_p = 0.25 (default 0.1)" in html
    assert "--set max_p=0.25" in html
    assert "cannot be decided" in html  # one seed gives no interval
    plain = report.draw(made_up(Parameters()), Parameters())["index.html"]
    assert "differs from the default" not in plain


def test_missing_runs_are_named(made_up: MakeUp) -> None:
    parameters = Parameters()
    data = made_up(Parameters(sources=(2, 5)))
    with pytest.raises(ExperimentError, match="no run with scenario = ECN 1/4, n_sources = 10"):
        report.draw(data, parameters)
