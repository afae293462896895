# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments in real time: labs on this machine, their data and figures, and how they compare."""
