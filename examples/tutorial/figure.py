# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""A figure of one's own from data files: python examples/tutorial/figure.py RESULTS FIGURE.svg.

How much of the time the queue was longer than so many packets, for each seed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from matplotlib.figure import Figure


def main(results: Path, picture: Path) -> None:
    """Reads runs.parquet of `mecn simulate`, draws, and prints a number for each seed."""
    figure = Figure(figsize=(5, 3.2), layout="constrained")
    axes = figure.subplots()
    for run in sorted(results.glob("seed-*/run.parquet")):
        (row,) = pq.read_table(run).to_pylist()
        depth = np.sort(np.asarray(row["trace_qdepth"], dtype=float))
        longer = 100 * (1 - np.arange(len(depth)) / len(depth))
        axes.step(depth, longer, where="post", label=run.parent.name)
        print(f"{run.parent.name}: {np.median(depth):.0f} packets or fewer for half of the time")
    axes.set(xlabel="queue (packets)", ylabel="time with a longer queue (%)")
    axes.legend()
    figure.savefig(picture)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
