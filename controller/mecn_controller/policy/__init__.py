# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What a queue is to do: profiles, their curves and the table entries that they become."""
