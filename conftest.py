# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

import signal

from hypothesis import settings

# A busy machine is no fault of the code under test.
settings.register_profile("mecn", deadline=None)
settings.load_profile("mecn")

# A shell makes what runs in the background deaf to Ctrl-C, and so the commands that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
