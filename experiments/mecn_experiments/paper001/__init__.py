# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Puzis and Tarasov, "Effectiveness of ECN and RED Based Congestion Detection"."""
