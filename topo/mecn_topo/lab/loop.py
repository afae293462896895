# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The one event loop of the process: gRPC stays with the first that it meets, so that one must not end."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Coroutine


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def run_async(work: Coroutine[None, None, None]) -> None:
    """Runs something to its end."""
    _loop().run_until_complete(work)
