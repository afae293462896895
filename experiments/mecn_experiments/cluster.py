# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The same runs on a Dask cluster.

Workers need this package in the same version, and nothing else: the compiled program travels with the first
job, and each worker process sets up switches of its own.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING

from .bench import Bench
from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from distributed import Future

    from .dataset import Row
    from .declaration import Job
    from .program import Program

CONNECT_S = 10
_benches: dict[Program, Bench] = {}
_lock = Lock()


def run_on_cluster(
    address: str, program: Program, key: str, jobs: Sequence[Job], *, done: Callable[[Job, Row], None]
) -> None:
    """Runs the jobs of paper `key` on the workers of the scheduler at `address` (tcp://host:port); `done` is
    called in this thread with each result as it comes."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise ExperimentError("--scheduler needs Dask: pip install 'mecn[cluster]'") from None
    try:
        client = Client(address, timeout=CONNECT_S)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ExperimentError(f"--scheduler {address}: {str(error) or 'no answer'}") from None
    with client:
        shared = client.scatter(program, broadcast=True)  # type: ignore[no-untyped-call]
        futures = {client.submit(_work, shared, key, job, pure=False): job for job in jobs}
        try:
            for future in as_completed(futures):  # type: ignore[no-untyped-call]
                made_by, row = _result(address, future)
                if made_by != version("mecn"):
                    raise ExperimentError(f"--scheduler {address}: a worker has version {made_by} of mecn")
                done(futures[future], row)
        finally:
            client.cancel(list(futures))  # type: ignore[no-untyped-call]


def _result(address: str, future: Future[tuple[str, Row]]) -> tuple[str, Row]:
    """What a run gave. Workers and scheduler may have ended meanwhile."""
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    try:
        made_by, row = future.result()
    except (CancelledError, KilledWorker, CommClosedError, OSError) as error:
        why = str(error) or type(error).__name__
        raise ExperimentError(
            f"--scheduler {address}: a run was lost: {why}; what was finished is kept"
        ) from None
    return str(made_by), row


def _work(program: Program, key: str, job: Job) -> tuple[str, Row]:
    """One run, in a worker."""
    from .registry import find

    with _lock:
        bench = _benches.setdefault(program, Bench(program))
    return version("mecn"), find(key).simulate(json.loads(job.recipe), job.seed, bench)
