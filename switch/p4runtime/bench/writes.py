# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""P4Runtime writes per second: routes, each in a request of its own, and many in one."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from mecn_controller import Route
from mecn_controller.runtime.session import SwitchSession

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mecn_controller.policy.entries import Entry

    from bench.contestants import Contestant


def routes(first: int, count: int) -> list[Entry]:
    """Routes number first, first + 1..., to different networks."""
    prefixes = (f"10.{number >> 8}.{number & 255}.0/24" for number in range(first, first + count))
    return [Route(each, 2, "02:00:00:00:02:fe", "02:00:00:00:02:01").entry() for each in prefixes]


def measure(contestant: Contestant, count: int) -> tuple[float, float]:
    """Updates per second one after the other, and in one batch."""

    async def rate(session: SwitchSession, batches: Sequence[Sequence[Entry]]) -> float:
        for batch in batches:
            for entry in batch:
                session.check_entry(entry)  # makes the messages, which is not the switch's time
        begin = time.perf_counter()
        for batch in batches:
            await session.insert(batch)
        return sum(map(len, batches)) / (time.perf_counter() - begin)

    async def run(address: str) -> tuple[float, float]:
        async with SwitchSession(address) as session:
            await session.set_pipeline(contestant.p4info, contestant.bmv2_json)
            single = await rate(session, [[entry] for entry in routes(0, count)])
            return single, await rate(session, [routes(count, count)])

    with contestant.start() as switch:
        return asyncio.run(run(switch.address))
