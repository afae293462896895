# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Packet tests with PTF: the base test, the targets it runs on, and the runner."""
