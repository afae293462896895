# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a switch's queues do, now: from reports and counters to terminal, web page, Prometheus and files.

sources (P4Runtime, or a running `mecn serve`) -> monitor (state of each port) -> snapshots and samples.
"""
