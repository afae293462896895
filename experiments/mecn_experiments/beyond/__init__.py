# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Questions that the papers leave open: multi-level ECN in the scenarios of papers that did not know it."""
