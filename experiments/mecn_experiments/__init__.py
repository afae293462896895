# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The papers' experiments: scenarios as data, runs through the P4 program, figures drawn from one file."""
