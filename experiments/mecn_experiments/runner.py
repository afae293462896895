# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Many independent simulations on all cores, with results in the order of the list."""

from __future__ import annotations

import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Job = TypeVar("Job")
Result = TypeVar("Result")


def default_jobs() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    jobs: Sequence[Job], work: Callable[[Job], Result], *, threads: int, done: Callable[[], None]
) -> list[Result]:
    """Does the work for each job; `done` is called in this thread as each one ends.

    Threads are enough: the simulation lets go of the interpreter's lock. The first error, or Ctrl-C, drops
    the jobs that have not begun and is raised once those that have are over.
    """
    with ThreadPoolExecutor(max_workers=threads, thread_name_prefix="run") as pool:
        futures = [pool.submit(work, job) for job in jobs]
        try:
            pending = set(futures)
            while pending:
                finished, pending = wait(pending, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in finished:
                    future.result()
                    done()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    return [future.result() for future in futures]
