# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What `mecn serve` offers over HTTP: the live page, its interface for programs, and metrics."""
