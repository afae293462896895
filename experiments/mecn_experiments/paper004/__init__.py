# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Liu and Jain, "Improving Explicit Congestion Notification with the Mark-Front Strategy"."""
