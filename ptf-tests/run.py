# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Packet tests: see `mecn_ptf/runner.py`."""

from __future__ import annotations

import sys

from mecn_ptf.runner import main

if __name__ == "__main__":
    sys.exit(main())
