# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""`mecn demo`: a marked queue on the page within seconds, which the page can change."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import CliRunner
from mecn_experiments.demo_command import SCHEMES, demo
from mecn_experiments.demo_network import demo_profile, demo_scenario

PATIENCE_S = 60
MAIN = "from mecn_controller.commands.main import main; main()"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("MECN_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The page of a running demonstration; Ctrl-C ends it with status 0."""
    command = [sys.executable, "-c", MAIN, "demo", "--web-port", "0", "--no-open", "--speed", "5x"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("http://127.0.0.1:"), line
            yield line.split()[0]
        finally:
            process.send_signal(signal.SIGINT)
            status = process.wait(PATIENCE_S)
        assert status == 0


def ask(url: str, data: object = None) -> Any:  # noqa: ANN401
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return json.load(answer)


def port_when(url: str, condition: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        ports = ask(f"{url}api/snapshot")["ports"]
        if ports and condition(ports[0]):
            return dict(ports[0])
        time.sleep(0.2)
    raise AssertionError("it did not come about")


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


@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_has_a_profile_that_reports_and_falls_when_idle(scheme: str) -> None:
    (placed,) = demo_scenario("004", scheme, 2).placements
    assert placed.profile.scheme == scheme
    assert placed.profile.report_period_ms == demo_profile(scheme).report_period_ms
    assert placed.profile.mean_service_time_us == pytest.approx(8e3 / 1.5)


@pytest.mark.parametrize("arguments", [["--speed", "fast"], ["--speed", "0"], ["--flows", "0"]])
def test_a_wrong_option_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(demo, arguments)
    assert result.exit_code == 2
    assert arguments[1] in result.output
