# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""An end within seconds after SIGTERM, whatever the process does: loading, or writing to a pipe that nobody
reads."""

import os
import signal
import threading
import time

END_S = 4.0
"""How long a process may take to end in order, seconds."""


def end_in_time() -> None:
    """After SIGINT or SIGTERM the process ends in order, by its own handlers, or is ended with status 1.

    To be called by the main thread, after handlers were set.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    # Written to by the handler in C, so also while the main thread runs no Python.
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading,), name="end", daemon=True).start()


def _watch(reading: int) -> None:
    while not {signal.SIGINT, signal.SIGTERM} & set(os.read(reading, 64)):
        pass
    time.sleep(END_S)
    os._exit(1)
