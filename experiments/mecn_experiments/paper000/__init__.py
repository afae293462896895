# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Kinicki and Zheng, "A Performance Study of Explicit Congestion Notification (ECN) with Heterogeneous TCP
Flows"."""
