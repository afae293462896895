# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m mecn_controller` is `mecn`."""

from mecn_controller.commands.main import main

main()
