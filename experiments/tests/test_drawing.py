# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Details of figures."""

from mecn_experiments.plots import tick_labels


def test_labels_do_not_touch() -> None:
    assert tick_labels([15, 30, 60, 120, 240, 480, 600]) == ["15", "30", "60", "120", "240", "", "600"]
    assert tick_labels([15, 30, 60]) == ["15", "30", "60"]
    assert tick_labels([120]) == ["120"]
    assert tick_labels([]) == []
