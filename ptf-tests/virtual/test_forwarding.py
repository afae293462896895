# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Frames that Linux would not send: shorter than an Ethernet header. The rest is in tests/forwarding.py."""

from __future__ import annotations

import pytest

from target import Target, frame


@pytest.mark.parametrize("length", range(15))
def test_truncated_frame_is_dropped(target: Target, length: int) -> None:
    assert target.send(frame()[:length]).kind == "dropped"
