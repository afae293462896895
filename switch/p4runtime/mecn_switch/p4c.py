# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The command `mecn-p4c`: the P4 front end with p4c's flags."""

import sys

import mecn_native


def main() -> int:
    """Compiles as the command line says; the exit status is 1 if there were errors."""
    return mecn_native.p4c_main(sys.argv)
