# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Programs that are small and ask for much are refused by a limit, at once, with an error that names it."""

from pathlib import Path

import mecn_native
import pytest

from . import hostile
from .costs import cost


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (hostile.nested_comparisons(400), "loaded"),
        (hostile.nested_comparisons(5000), "nested deeper than 1000 levels"),
        (hostile.counter_arrays(1000), "more than 536870912 bytes"),
        (hostile.wide_parameters(200), "more than 65536 words"),
        (hostile.compared_stacks(20_000), "10000"),
    ],
    ids=["within", "nesting", "arrays", "widths", "stacks"],
)
def test_programs_end_at_their_budget(text: str, limit: str) -> None:
    found = cost("json", text)
    assert limit in found.said
    assert found.seconds < 3
    assert found.kib < 150_000


@pytest.mark.parametrize("passes", [1, 16, 100])
def test_a_packet_that_is_always_recirculated_ends(passes: int, tmp_path: Path) -> None:
    path = tmp_path / "circle.p4"
    count = "bit<32> n; seen.read(n, 0); seen.write(0, n + 1);"
    text = hostile.p4(local="register<bit<32>>(1) seen;", body=count)
    always = "{ apply { recirculate_preserving_field_list(0); } }"
    path.write_text(
        text.replace(
            f"control E({hostile.PARAMETERS}, {hostile.METADATA}) {{ apply {{ }} }}",
            f"control E({hostile.PARAMETERS}, {hostile.METADATA}) {always}",
        )
    )
    json = mecn_native.compile_p4(path).bmv2_json.encode()
    switch = mecn_native.Switch.from_json(json, max_passes=passes)
    assert len(switch.process(1, bytes(64))) == passes + 1
    assert switch.register_read("I.seen", 0) == passes + 1
