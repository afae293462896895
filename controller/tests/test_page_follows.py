# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The page's sliders follow what changes elsewhere: a rule, another controller; unless they are held."""

from __future__ import annotations

import asyncio
import math
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from mecn_controller import parse_profile
from mecn_controller.runtime.keeper import Assignment
from mecn_controller.runtime.session import SwitchSession
from mecn_controller.theory.adaptation import AdaptiveRed

if TYPE_CHECKING:
    from tests import serving as helper
    from tests.traffic import Testbed
else:
    import mecn_controller_serving as helper

PORT = 2
RESTING, RISING = 15, 22
"""Packets that wait: max_p rests while their average is in Adaptive RED's target range, 12 to 16 here, and
rises above it."""
PROFILE = parse_profile(
    {
        "name": "steered",
        "scheme": "ecn",
        "min_th": "10 ms",
        "max_th": "24000 B",
        "max_p": 0.05,
        "time_constant_ms": 50,
        "report_period_ms": 50,
        "link_rate": "3.2Mbps",
        "link_packet_bytes": 1000,
    }
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = os.environ.get("MECN_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
PATIENCE_S = 120


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.05)


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on PATH (Debian: chromium), nor in MECN_CHROMIUM")
def test_sliders_follow_unless_they_are_held(testbed: Testbed, tmp_path: Path) -> None:
    from playwright.async_api import async_playwright

    async def run(depths: dict[int, float]) -> None:
        async with (
            asyncio.timeout(2 * PATIENCE_S),
            helper.serving(
                testbed.address,
                [Assignment(PROFILE, PORT)],
                tmp_path,
                rules=[lambda profile: AdaptiveRed(profile, interval_s=0.1, bounds=(0.01, 1.0))],
            ) as serve,
            async_playwright() as playwright,
        ):
            await serve.event("applied")

            def present() -> float:
                return float(serve.declaration.present(0).max_p)  # type: ignore[attr-defined]

            assert CHROMIUM is not None
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], timeout=1000 * PATIENCE_S
            )
            page = await browser.new_page(viewport={"width": 390, "height": 844})
            page.set_default_timeout(1000 * PATIENCE_S)
            await page.goto(serve.url)
            section = page.locator(f"#port-{PORT}")
            await section.get_by_text("max_p is steered").wait_for()
            words = section.locator(".slider output")
            units = [await words.nth(n).inner_text() for n in (0, 1, 3)]
            assert units == ["10 ms = 4 packets", "24000 B = 24 packets", "50 ms"]

            # The rule moves max_p, and with it the slider.
            slider = page.get_by_label("max_p")
            begin = float(await slider.input_value())
            depths[PORT] = RISING
            while float(await slider.input_value()) < begin + 0.1:
                await asyncio.sleep(0.1)
            depths[PORT] = RESTING

            # Held, it stays where the hand is, whatever the rule does; let go, that is in force.
            box = await slider.bounding_box()
            assert box is not None
            await slider.scroll_into_view_if_needed()
            box = await slider.bounding_box()
            assert box is not None
            await page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + box["height"] / 2)
            await page.mouse.down()
            at_hand = await slider.input_value()
            before = present()
            depths[PORT] = RISING
            # The queue stays deep meanwhile: on a busy machine it may sink, and max_p with it.
            await until(lambda: present() > max(before + 0.05, 2 * 10 ** float(at_hand)))
            await asyncio.sleep(1.0)  # five readings
            assert await slider.input_value() == at_hand
            depths[PORT] = RESTING
            await page.mouse.up()
            await section.locator(".answer").filter(has_text="in force").wait_for()
            await section.get_by_text("changed here").wait_for()
            applied = serve.history.stack(PORT)[-1]
            assert (applied.by, applied.data["max_p"]) == (
                "web",
                pytest.approx(10 ** float(at_hand), rel=0.05),
            )
            # The rule goes on from there.
            depths[PORT] = RISING
            await until(lambda: present() > 10 ** float(at_hand) + 0.03)
            depths[PORT] = RESTING

            # A slider moves in the profile's unit, and the rest keeps its own.
            await page.get_by_label("min_th").fill("5")
            # In force, and not only asked for: a change that another controller meets half way is taken back.
            await until(lambda: [each["event"] for each in serve.events()].count("changed") == 2)
            assert serve.declaration.present(0).min_th == 2  # type: ignore[attr-defined]
            written = serve.declaration.present(0).written
            assert dict(written) == {"min_th": "5 ms", "max_th": "24000 B", "time_constant_ms": 50}

            # What another controller does is seen, too.
            async with SwitchSession(testbed.address, election_id=9) as other:
                await other.use_pipeline()
                await other.apply_profile(PROFILE.replace(min_th=8, max_p=0.3), port=PORT, drain_s=0)
                await section.get_by_text("changed by another controller").wait_for()
                await words.first.filter(has_text="20 ms = 8 packets").wait_for()
                assert float(await slider.input_value()) == pytest.approx(math.log10(0.3), abs=0.011)
            await words.first.filter(has_text="5 ms = 2 packets").wait_for()
            if folder := os.environ.get("MECN_SCREENSHOTS"):
                for width in (390, 1200):
                    await page.set_viewport_size({"width": width, "height": 1000})
                    await asyncio.sleep(1.5)
                    await page.screenshot(path=f"{folder}/page-{width}.png", full_page=True)
            await browser.close()

    with testbed.traffic({PORT: RESTING}, rate_pps=400, flows=3) as load:
        asyncio.run(run(load.depths))
