# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""One switch and what stands on it: connection, session, writing, reading back, keeping, history."""
