# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Parameters as a user types them."""

from __future__ import annotations

import json
from typing import Any

from .errors import ExperimentError


def parse_setting(setting: str) -> tuple[str, Any]:
    """`key=value`, the value as JSON or, failing that, as text; `1,2,3` is a list."""
    key, equals, text = setting.partition("=")
    if not equals or not key.strip():
        raise ExperimentError(f"--set {setting}: must be KEY=VALUE")
    text = text.strip()
    for candidate in (text, f"[{text}]"):
        try:
            return key.strip(), json.loads(candidate)
        except json.JSONDecodeError:
            continue
    return key.strip(), text
