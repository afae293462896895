# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What is done if something else has not happened in time."""

import threading
import time
from collections.abc import Callable, Hashable


class Deadlines:
    """Actions by key; somebody must call `expire` now and then. Safe to use from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[Hashable, tuple[float, Callable[[], object]]] = {}

    def set(self, key: Hashable, seconds: float, action: Callable[[], object]) -> None:
        """In place of what was set for this key before."""
        with self._lock:
            self._due[key] = (time.monotonic() + seconds, action)

    def clear(self, key: Hashable) -> None:
        """It has happened in time."""
        with self._lock:
            self._due.pop(key, None)

    def expire(self) -> None:
        """Does what is due."""
        now = time.monotonic()
        with self._lock:
            late = [key for key, (due, _) in self._due.items() if due <= now]
            actions = [self._due.pop(key)[1] for key in late]
        for action in actions:
            action()
