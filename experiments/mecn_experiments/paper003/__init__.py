# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Quet et al., "Guidelines for optimizing multi-level ECN, using fluid flow based TCP model": ECN against
MECN."""
