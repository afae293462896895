# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Many independent simulations on all cores, with results in the order of the list."""

from __future__ import annotations

import os
from queue import SimpleQueue
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Job = TypeVar("Job")
Result = TypeVar("Result")


def default_jobs() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    jobs: Sequence[Job],
    work: Callable[[Job], Result],
    *,
    threads: int,
    done: Callable[[Job, Result], None],
) -> list[Result]:
    """Does the work for each job; `done` is called in this thread with each result as it comes.

    Threads are enough: the simulation lets go of the interpreter's lock. The first error, or Ctrl-C, drops
    the jobs that have not begun and is raised once those that have are over.
    """
    # Not concurrent.futures: an interrupt inside its wait() leaves locks behind that the threads wait for.
    pool = _Pool(jobs, work)
    names = [f"run-{i}" for i in range(min(threads, len(jobs)))]
    workers = [Thread(target=pool.run, name=name, daemon=True) for name in names]
    try:
        for worker in workers:
            worker.start()
        for _ in jobs:
            ended = pool.finished.get()
            if isinstance(ended, BaseException):
                raise ended
            done(jobs[ended], pool.results[ended])
    finally:
        pool.stop.set()
        for worker in workers:
            if worker.ident is not None:
                worker.join()
    return [pool.results[i] for i in range(len(jobs))]


class _Pool(Generic[Job, Result]):
    """What the threads share."""

    def __init__(self, jobs: Sequence[Job], work: Callable[[Job], Result]) -> None:
        self.results: dict[int, Result] = {}
        self.finished: SimpleQueue[BaseException | int] = SimpleQueue()
        self.stop = Event()
        self._jobs = iter(enumerate(jobs))
        self._lock = Lock()
        self._work = work

    def run(self) -> None:
        """Takes jobs until there are none or something went wrong."""
        while not self.stop.is_set():
            with self._lock:
                item = next(self._jobs, None)
            if item is None:
                return
            index, job = item
            try:
                self.results[index] = self._work(job)
            except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
                self.stop.set()
                self.finished.put(error)
                return
            self.finished.put(index)
