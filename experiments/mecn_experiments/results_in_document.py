# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""An experiment's claims and named tables in Markdown, from its data file; put into its document.

python -m mecn_experiments.results_in_document 003             # print them
python -m mecn_experiments.results_in_document 003 --write     # into docs/experiments/003.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .documents import put
from .errors import ExperimentError
from .experiment import load
from .program import CHECKOUT
from .registry import find
from .verdicts import verdict_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .experiment import Results

DOCUMENTS = CHECKOUT / "docs" / "experiments"


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a bar within a cell is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in escaped)


def texts(results: Results) -> dict[str, str]:
    """The claims, and each table that has a key."""
    claims = [
        (claim.id, claim.says, f"{outcome.measured} {outcome.why}".strip(), verdict_text(outcome))
        for claim, outcome in results.outcomes()
    ]
    found = {"claims": markdown(("claim", "the paper says", "measured", "verdict"), claims)}
    for table in results.tables():
        if table.key:
            head = [f"{title}, {unit}" if unit else title for title, unit in table.columns]
            found[table.key] = f"{table.title}:\n\n{markdown(head, table.rows)}"
    return found


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paper", help="as in `mecn experiment list`")
    parser.add_argument("--results", type=Path, default=Path("results"), help="folder of all results")
    parser.add_argument("--write", action="store_true", help="put them into the paper's document")
    arguments = parser.parse_args()
    try:
        paper = find(arguments.paper)
        found = texts(load(paper, arguments.results / paper.key, {}))
        for name, text in found.items():
            print(text, end="\n\n")
            if arguments.write:
                put(DOCUMENTS / f"{paper.key}.md", name, text)
    except ExperimentError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
