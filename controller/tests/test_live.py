# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Live views of a switch with traffic: watch, record, and the page in a browser."""

from __future__ import annotations

import asyncio
import csv
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from mecn_controller import DropTail, Mecn, Threshold, names
from mecn_controller.runtime.keeper import Assignment, in_force
from mecn_controller.runtime.readback import PortCounters, read_counters
from mecn_controller.runtime.session import SwitchSession, apply_sync
from mecn_controller.runtime.tls import TlsFiles

if TYPE_CHECKING:
    from tests import serving as helper
    from tests import switches
    from tests.traffic import Testbed, Traffic
else:
    import mecn_controller_serving as helper
    import mecn_controller_switches as switches

PORT = 2
# Marks begin above the depth that the traffic keeps, until someone moves a threshold.
MECN = Mecn(
    name="m",
    min_th=20,
    mid_th=30,
    max_th=40,
    max_p=0.5,
    weight=0.05,
    report_period_ms=50,
    rtt_class_max_p=(0.5,),
)
DEPTH = 10
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("MECN_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
PATIENCE_S = 120
"""For machines that do much else besides; nothing is judged by time."""


def flowing(testbed: Testbed) -> Traffic:
    return testbed.traffic({PORT: DEPTH}, rate_pps=400, flows=5)


def mecn(*args: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "mecn_controller", *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, out, err


def test_watch_reads_beside_whoever_is_in_charge(testbed: Testbed, tmp_path: Path) -> None:
    async def run() -> tuple[tuple[int, str, str], dict[str, Any]]:
        async with helper.serving(testbed.address, [Assignment(MECN, PORT)], tmp_path) as serve:
            await serve.event("applied")
            where = ("--address", testbed.address, "--interval", "0.2", "--once")
            beside = mecn("watch", *where, "--json")
            with_depths = mecn("watch", "--from", serve.url, "--once", "--port", str(PORT))
            whole = json.loads((await asyncio.to_thread(ended, beside))[1])
            return await asyncio.to_thread(ended, with_depths), whole

    with flowing(testbed):
        (status, text, errors), whole = asyncio.run(run())
    (port,) = whole["ports"]
    assert (whole["status"], whole["with_reports"], port["average"]) == ("reading", False, None)
    assert port["rates"]["passed"] > 0
    assert port["policies"][0]["severe_from"] == 40
    assert (status, errors) == (0, "")
    assert "packets on average" in text
    assert "incipient 20" in text


def test_swaps_under_load(testbed: Testbed) -> None:
    """Packets go on while profiles change; those that come after a swap are treated by the new one."""
    marking, silent = Threshold(name="marking", threshold=1), DropTail(name="silent")

    async def grown(session: SwitchSession, level: str, packets: int) -> None:
        wanted = getattr(await counters(session), level)[0] + packets
        while getattr(await counters(session), level)[0] < wanted:
            await asyncio.sleep(0.02)

    async def counters(session: SwitchSession) -> PortCounters:
        return (await read_counters(session, [PORT]))[PORT]

    async def run() -> None:
        async with asyncio.timeout(2 * PATIENCE_S), SwitchSession(testbed.address) as session:
            await session.use_pipeline()
            for _ in range(5):
                await session.apply_profile(marking, port=PORT)
                await grown(session, "ce", 20)
                await session.apply_profile(silent, port=PORT)
                # More than wait in the queue, which were admitted under the other profile.
                await grown(session, "passed", 10 * DEPTH)
                before = await counters(session)
                await grown(session, "passed", 50)
                after = await counters(session)
                assert (after.ce, after.incipient) == (before.ce, before.incipient)
            assert after.early_drop == (0, 0)
            assert in_force(await session.read(names.AQM_TABLES), Assignment(silent, PORT))

    with flowing(testbed):
        asyncio.run(run())


def test_watch_says_in_one_line_what_is_wrong() -> None:
    for args, line in (
        (("--address", "127.0.0.1:1"), "127.0.0.1:1: cannot reach the switch: connection refused"),
        (("--from", "http://127.0.0.1:1"), "http://127.0.0.1:1: cannot be reached: "),
        (("--address", "192.0.2.1:9559"), "192.0.2.1:9559: is not this machine: give --tls-ca"),
        (("--from", "http://192.0.2.1:80"), "http://192.0.2.1:80: is not this machine: use https"),
        (("--from", "192.0.2.1:80"), "192.0.2.1:80: give a URL"),
    ):
        status, out, err = ended(mecn("watch", "--once", *args))
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert err.startswith(line)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_recording_is_whole_when_it_is_stopped(
    testbed: Testbed, tmp_path: Path, number: signal.Signals
) -> None:
    apply_sync([(MECN, PORT)], address=testbed.address, drain_s=0)
    text, parquet = tmp_path / "a.csv", tmp_path / "a.parquet"
    with flowing(testbed):
        recording = mecn(
            "record", "--csv", text, "--parquet", parquet, "--address", testbed.address, "--election-id", "1"
        )
        while not text.exists() or len(text.read_text().splitlines()) < 8:
            assert recording.poll() is None, recording.communicate()
            time.sleep(0.05)
        recording.send_signal(number)
        status, out, err = ended(recording)
    rows = pq.read_table(parquet).to_pylist()
    assert (status, out) == (0, "")
    assert err == f"{len(rows)} rows in {text} and {parquet}\n"
    with text.open(newline="") as lines:
        assert [row["begin_us"] for row in csv.DictReader(lines)] == [str(row["begin_us"]) for row in rows]
    assert {row["source"] for row in rows} == {"report"}
    # Each report begins where the last one ended: none is missing.
    assert len(rows) >= 7
    assert all(a["end_us"] == b["begin_us"] for a, b in itertools.pairwise(rows))
    assert all(row["max_depth"] >= row["min_depth"] for row in rows)
    # Five flows whose handshakes were seen. In the period in which it begins a flow can count in two classes.
    assert median(row["flows_1"] + row["flows_0"] for row in rows) == pytest.approx(5, abs=0.1)
    again = mecn("record", "--csv", text, "--address", testbed.address)
    assert ended(again)[::2] == (2, f"{text}: exists; --force writes it anew\n")


def test_a_recording_of_counters_beside_the_primary(testbed: Testbed, tmp_path: Path) -> None:
    apply_sync([(MECN, PORT)], address=testbed.address, drain_s=0)
    path = tmp_path / "a.parquet"
    where = ("--address", testbed.address, "--interval", "0.1")
    with flowing(testbed):
        status, _, err = ended(mecn("record", "--parquet", path, "--duration", "3", *where))
    assert status == 0, err
    rows = pq.read_table(path).to_pylist()
    assert {row["source"] for row in rows} == {"counters"}
    assert sum(row["passed"] for row in rows) > 0
    assert all(row["average"] is None for row in rows)


async def load(server: switches.Switch, tls: TlsFiles) -> None:
    async with SwitchSession(server.address, tls=tls) as session:
        await session.set_pipeline(server.program.p4info, server.program.bmv2_json)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes certificates with openssl")
def test_mutual_tls_to_the_switch_and_no_key_in_the_log(target: str, tmp_path: Path) -> None:
    keys = helper.make_keys(tmp_path)
    tls = switches.Keys(keys / "ca.pem", keys / "server.pem", keys / "server.key")
    client = TlsFiles(keys / "ca.pem", keys / "client.pem", keys / "client.key")
    profile, deployment = tmp_path / "m.yaml", tmp_path / "d.yaml"
    profile.write_text("name: m\nscheme: mecn\nmin_th: 1\nmid_th: 2\nmax_th: 4\nmax_p: 0.1\n")
    deployment.write_text("assignments: [{ports: [2], profile: m.yaml}]\n")
    token = tmp_path / "token"
    token.write_text("correct-horse-battery\n")
    mine = ("--tls-ca", keys / "ca.pem", "--tls-cert", keys / "client.pem", "--tls-key", keys / "client.key")
    page = ("--web-cert", keys / "server.pem", "--web-key", keys / "server.key", "--token-file", token)
    with switches.started(target, tls=tls) as server:
        asyncio.run(load(server, client))
        where = ("--address", server.address)
        serve = mecn("serve", deployment, *where, *mine, *page, "--web", "127.0.0.1:0", "--drain", "0")
        assert serve.stdout is not None
        lines: list[str] = []
        while not lines or json.loads(lines[-1])["event"] != "applied":
            lines.append(serve.stdout.readline())
            assert lines[-1], serve.communicate()
        url = json.loads(lines[0])["url"]
        seen = mecn("watch", "--once", "--from", url, "--token-file", token, "--tls-ca", keys / "ca.pem")
        status, text, err = ended(seen)
        assert (status, err) == (0, "")
        assert "port 2  DSCP any: mecn" in text
        shown = ended(mecn("show", *where, *mine))
        assert shown[0] == 0
        assert "scheme mecn" in shown[1]
        for args in ((), ("--tls-ca", keys / "ca.pem")):
            status, out, err = ended(mecn("show", *where, *args))
            assert (status, out, err.count("\n")) == (2, "", 1)
        serve.send_signal(signal.SIGTERM)
        status, out, err = ended(serve)
    assert status == 0
    log = "".join(lines) + out + err
    secrets = [token.read_text().strip()]
    secrets += (keys / "client.key").read_text().splitlines()[1:-1]
    secrets += (keys / "server.key").read_text().splitlines()[1:-1]
    assert not [secret for secret in secrets if secret in log]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: chromium), nor in MECN_CHROMIUM")
def test_moving_a_slider_changes_the_marks(testbed: Testbed, tmp_path: Path) -> None:
    from playwright.async_api import Page, async_playwright

    async def marks(page: Page) -> float:
        cell = page.locator(f"#port-{PORT} tr[data-level=incipient] td").first
        digits = (await cell.inner_text()).replace(",", "")
        return float(digits) if digits[:1].isdigit() else 0.0

    async def run() -> None:
        async with (
            asyncio.timeout(4 * PATIENCE_S),
            helper.serving(testbed.address, [Assignment(MECN, PORT)], tmp_path) as serve,
            async_playwright() as playwright,
        ):
            await serve.event("applied")
            assert CHROMIUM is not None
            # --no-sandbox: where tests run as root Chromium has no other way. The page is our own.
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM,
                args=["--no-sandbox", "--disable-gpu"],
                timeout=1000 * PATIENCE_S,
            )
            page = await browser.new_page(viewport={"width": 390, "height": 844})
            page.set_default_timeout(1000 * PATIENCE_S)
            problems: list[str] = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on(
                "console", lambda message: problems.append(message.text) if message.type == "error" else None
            )
            await page.goto(serve.url)

            # The queue is drawn, with its thresholds, and nothing is marked.
            section = page.locator(f"#port-{PORT}")
            await section.locator(".average-line").first.wait_for(state="attached")
            await section.locator(".queue .threshold").nth(2).wait_for(state="attached")
            assert await marks(page) == 0
            # The phone's page is no wider than the phone.
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")

            slider = page.get_by_label("min_th")
            assert await slider.input_value() == "20"
            # As a hand does: to a place on the rail, then let go.
            await slider.fill("2")
            answer = section.locator(".answer")
            await answer.filter(has_text="in force, profile id").wait_for()
            while await marks(page) == 0:
                await asyncio.sleep(0.1)
            await section.locator(".marks rect.fill-incipient").first.wait_for(state="attached")

            # A threshold beyond the next one is refused, and the slider goes back to what is in force.
            await slider.fill("35")
            refused = answer.filter(has_text="not applied: min_th (35) must be less than mid_th (30)")
            await refused.wait_for()
            assert await slider.input_value() == "2"

            # By keyboard: three steps to the right.
            await slider.focus()
            for _ in range(3):
                await slider.press("ArrowRight")
            while serve.declaration.assignments[0].profile.min_th != 5:  # type: ignore[attr-defined]
                await asyncio.sleep(0.1)
            await answer.filter(has_text="in force, profile id").wait_for()
            assert await slider.evaluate("element => element === document.activeElement")

            await section.get_by_role("button", name="Back to the file's profile").click()
            while await slider.input_value() != "20":
                await asyncio.sleep(0.1)
            while await marks(page) > 0:
                await asyncio.sleep(0.1)
            # The answer 422 is in the console, as it should be; nothing else is.
            assert [text for text in problems if "422" not in text] == []
            await browser.close()

    with flowing(testbed):
        asyncio.run(run())
