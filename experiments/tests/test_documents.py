# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Tables in documents: where commands put them, and that the documents have a place for each."""

from pathlib import Path

import pytest
from mecn_experiments import validation
from mecn_experiments.beyond import reverse
from mecn_experiments.documents import put
from mecn_experiments.errors import ExperimentError
from mecn_experiments.paper000 import adaptive_shares
from mecn_experiments.paper002 import against_ns2


def test_a_table_replaces_the_one_before(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text(
        "# A\n\n<!-- x: begin -->\nold\n<!-- x: end -->\n\n<!-- y: begin -->\n<!-- y: end -->\n"
    )
    for _ in range(2):
        put(document, "x", "| new |")
    put(document, "y", "other")
    assert document.read_text() == (
        "# A\n\n<!-- x: begin -->\n| new |\n<!-- x: end -->\n\n<!-- y: begin -->\nother\n<!-- y: end -->\n"
    )


def test_a_document_without_a_place_is_left_alone(tmp_path: Path) -> None:
    document = tmp_path / "page.md"
    document.write_text("<!-- x: begin -->\n")
    with pytest.raises(ExperimentError, match="x: end"):
        put(document, "x", "text")
    assert document.read_text() == "<!-- x: begin -->\n"


@pytest.mark.parametrize(
    ("module", "name"),
    [(validation, "table"), (against_ns2, "ns-2"), (adaptive_shares, "shares"), (reverse, "reverse")],
)
def test_each_command_s_document_has_its_place(module: object, name: str) -> None:
    text = module.DOCUMENT.read_text(encoding="utf-8")  # type: ignore[attr-defined]
    assert text.count(f"<!-- {name}: begin -->\n") == text.count(f"<!-- {name}: end -->\n") == 1
