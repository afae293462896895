# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What the papers' theory says of a profile: margins, fluid model, tuning, adaptation."""
