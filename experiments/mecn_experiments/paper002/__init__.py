# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Zhang and Qiu: RED among flows of different kinds, transports, round trips and directions."""
