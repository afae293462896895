# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn demo`: a marked queue on the page within seconds, which the page can change."""

import csv
import os
import re
import shutil
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from demonstration import PATIENCE_S, ask, demonstration, port_when
from matplotlib.image import imread
from mecn_experiments.demo_command import SCHEMES, demo
from mecn_experiments.demo_network import demo_profile, demo_scenario

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("MECN_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with demonstration("--speed", "5x") as (found, _):
        yield found


def test_both_levels_are_marked_and_a_slider_takes_effect(url: str) -> None:
    levels = ("passed", "incipient", "ce")
    port = port_when(url, lambda port: min(port["totals"].get(level, 0) for level in levels) > 20)
    assert 1e6 < port["rates"]["bits_per_s"] < 2e6
    answer = ask(f"{url}api/policies/0", {"changes": {"max_th": 30}})
    assert answer["policy"]["changed"]
    assert port_when(url, lambda port: port["policies"][0]["severe_from"] == 30)
    assert not ask(f"{url}api/policies/0/reset", {})["policy"]["changed"]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: chromium), nor in MECN_CHROMIUM")
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_draws_queue_and_marks(url: str, width: int) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(url)
        page.wait_for_selector("svg.queue polyline", state="attached", timeout=1000 * PATIENCE_S)
        page.wait_for_selector("svg.marks rect", state="attached", timeout=1000 * PATIENCE_S)
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        browser.close()
    assert overflow <= 0


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: chromium), nor in MECN_CHROMIUM")
def test_the_page_pauses_zooms_saves_and_says_when_sliders_are_off(url: str, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(1000 * PATIENCE_S)
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(url)
        page.wait_for_selector("svg.marks rect", state="attached")
        assert page.locator(".curve-legend [data-key]:visible").all_inner_texts() == [
            "incipient",
            "CE",
            "all packets",
            "average now",
        ]
        page.get_by_role("button", name="Pause").click()
        still = page.locator("svg.queue polyline").first.get_attribute("points")
        assert page.locator("svg.queue").get_by_text("paused").count() == 1
        page.wait_for_timeout(1500)
        assert page.locator("svg.queue polyline").first.get_attribute("points") == still
        page.get_by_label("show").select_option("15")
        assert page.locator("svg.queue").get_by_text(re.compile("15 s")).count() == 1
        with page.expect_download() as saved:
            page.get_by_role("button", name="CSV").click()
        saved.value.save_as(tmp_path / "samples.csv")
        with page.expect_download() as saved:
            page.get_by_role("button", name="PNG").click()
        saved.value.save_as(tmp_path / "port.png")
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector("svg.queue >> text=now")
        assert page.locator("fieldset:disabled").count() == 0
        browser.close()
    rows = list(csv.DictReader((tmp_path / "samples.csv").open()))
    assert len(rows) > 10
    assert {row["source"] for row in rows} == {"report"}
    assert float(rows[-1]["time"]) - float(rows[0]["time"]) <= 15
    assert (tmp_path / "port.png").read_bytes().startswith(b"\x89PNG")
    assert imread(tmp_path / "port.png").shape[1] > 600
    assert not problems


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_a_profile_that_reports_and_falls_when_idle(scheme: str) -> None:
    (placed,) = demo_scenario("004", scheme, 2).placements
    assert placed.profile.scheme == scheme
    assert placed.profile.report_period_ms == demo_profile(scheme).report_period_ms
    assert placed.profile.mean_service_time_us == pytest.approx(8e3 / 1.5)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: chromium), nor in MECN_CHROMIUM")
@pytest.mark.parametrize("width", [1280, 390])
def test_two_schemes_side_by_side_and_sliders_off_at_the_end(width: int) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright, demonstration("--compare", "ecn") as (url, process):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.set_default_timeout(1000 * PATIENCE_S)
        page.goto(url)
        frames = [page.frame_locator("iframe").nth(number) for number in (0, 1)]
        for frame, scheme in zip(frames, ("mecn", "ecn"), strict=True):
            frame.locator(".policy h3", has_text=re.compile(f"^{scheme}$")).wait_for()
            frame.locator("svg.marks rect").first.wait_for(state="attached")
            assert frame.locator("fieldset:disabled").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
        frames[0].get_by_text("Sliders are off: the controller does not answer.").wait_for()
        assert frames[0].locator("fieldset:disabled").count() == 1
        browser.close()


TWO_SWITCHES = """
name: two queues
mtu: 1000
hosts: [S, D]
switches: [R1, R2]
links:
  - {between: [S, R1], rate: 40mbit, delay: 1ms}
  - {between: [R1, R2], rate: 4mbit, delay: 5ms}
  - {between: [R2, D], rate: 3mbit, delay: 1ms}
profiles:
  - {switch: R1, towards: R2, profile: low.yaml}
  - {switch: R2, towards: D, profile: low.yaml}
"""


def test_every_switch_of_a_topology_of_ones_own_has_its_part_of_the_page(tmp_path: Path) -> None:
    (tmp_path / "low.yaml").write_text("{name: low, scheme: threshold, threshold: 5}")
    (tmp_path / "two.yaml").write_text(TWO_SWITCHES)
    with demonstration("--topology", str(tmp_path / "two.yaml"), "--speed", "5x") as (url, _):
        with urllib.request.urlopen(url) as answer:
            assert answer.read().count(b"<iframe") == 2
        first = port_when(f"{url}0/", lambda port: port["totals"].get("passed", 0) > 500)
        second = port_when(f"{url}1/", lambda port: port["totals"].get("ce", 0) > 20)
        assert first["totals"]["ce"] < second["totals"]["ce"], "the second link is slower"
        assert second["average"] > 0
        ask(f"{url}1/api/policies/0", {"changes": {"threshold": 12}})
        port_when(f"{url}1/", lambda port: port["policies"][0]["severe_from"] == 13)
        assert port_when(f"{url}0/", lambda _port: True)["policies"][0]["severe_from"] == 6


@pytest.mark.parametrize("arguments", [["--speed", "fast"], ["--speed", "0"], ["--flows", "0"]])
def test_a_wrong_option_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(demo, arguments)
    assert result.exit_code == 2
    assert arguments[1] in result.output
