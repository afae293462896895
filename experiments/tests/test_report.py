# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Figures and page, drawn from made-up results."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from mecn_experiments.dataset import Dataset
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper003 import report
from mecn_experiments.paper003.parameters import Parameters

MakeUp = Callable[[Parameters], Dataset]
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
VOID = {"meta", "link", "br", "img", "hr", "input"}


class Page(HTMLParser):
    """Checks that elements are closed in order, and collects references and ids."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.ids: list[str] = []
        self.figures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.figures += tag == "figure"
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "data", "action", "srcset") and value is not None:
                self.references.append(value)
            if name == "id" and value is not None:
                self.ids.append(value)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(html: str) -> Page:
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


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


def test_page_refers_to_nothing_outside_itself(made_up: MakeUp) -> None:
    parameters = Parameters()
    html = report.draw(made_up(parameters), parameters)["index.html"]
    page = parsed(html)
    assert page.figures == len(FIGURES)
    assert all(reference.startswith("#") for reference in page.references)
    assert len(page.ids) == len(set(page.ids)), "an id is used twice"
    assert {reference[1:] for reference in page.references} <= set(page.ids)
    assert {found[1:] for found in re.findall(r"url\((#[^)]*)\)", html)} <= set(page.ids)
    assert not re.search(r"@import|<script|<link|url\((?!#)", html)
    assert html.count('role="img"') == len(FIGURES)


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
