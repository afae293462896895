# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and page, drawn from made-up results."""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from mecn_experiments.dataset import Dataset
from mecn_experiments.experiment import Results, draw
from mecn_experiments.paper003.paper import PAPER
from mecn_experiments.paper003.parameters import Parameters

MakeUp = Callable[[Parameters], Dataset]
CheckPage = Callable[[str], tuple[int, set[str]]]
FIGURES = {
    *(f"figure-{number:02d}.svg" for number in (4, 6, 7, 8, 9, 10, 11, 12, 14)),
    "figure-04-queue.svg",
    "figure-13-link-efficiency.svg",
    "figure-13-oscillation.svg",
    "empty-queue.svg",
    "queue-deviation.svg",
    "jitter.svg",
    "whole-deviation.svg",
    "ablation.svg",
    "ablation-frontier.svg",
}


@pytest.fixture(scope="module")
def drawn(made_up: MakeUp, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with all pictures and the page of a run with default parameters."""
    folder = tmp_path_factory.mktemp("drawn")
    draw(Results(PAPER, Parameters(), made_up(Parameters())), folder)
    return folder


def test_all_figures_are_valid_svg_with_text_and_lines(drawn: Path) -> None:
    assert {path.name for path in drawn.iterdir()} == FIGURES | {"index.html"}
    for name in FIGURES:
        text = (drawn / name).read_text()
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(root.findall(".//{http://www.w3.org/2000/svg}path")) > 10
        assert "dc:date" not in text


def test_page_refers_to_nothing_outside_itself(drawn: Path, check_page: CheckPage) -> None:
    html = (drawn / "index.html").read_text()
    figures, ids = check_page(html)
    assert figures == len(FIGURES)
    assert {f"claim003-{number}" for number in range(1, 12)} <= ids
    assert html.count("<svg") == html.count('role="img" aria-label="') == len(FIGURES)


def test_page_says_what_was_changed(drawn: Path, made_up: MakeUp, tmp_path: Path) -> None:
    assert "(changed)" not in (drawn / "index.html").read_text()
    parameters = Parameters(max_p=0.25, seeds=1, duration_s=30)
    draw(Results(PAPER, parameters, made_up(parameters)), tmp_path)
    html = (tmp_path / "index.html").read_text()
    assert "0.25 (changed)" in html
    assert "undecided" in html  # one seed gives no interval


def test_figures_without_runs_are_named(made_up: MakeUp, tmp_path: Path) -> None:
    data = made_up(Parameters(sources=(2, 5)))
    draw(Results(PAPER, Parameters(sources=(2, 5, 10)), data), tmp_path)
    html = (tmp_path / "index.html").read_text()
    named = re.search(r"Not run with these parameters: ([^<]*)\.", html)
    assert named is not None
    assert {"fig4", "fig8", "empty", "deviation", "jitter"} <= set(named[1].split(", "))
    assert "fig6" not in named[1].split(", ")
