# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies in Mininet.

Mininet comes with Debian and Ubuntu and lives in the system's Python (the package on PyPI does not build). So
there are two processes: `nodes.py` runs there, with nothing but the standard library and Mininet, on a plan
that `plan.py` has written here.
"""
