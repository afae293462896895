# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Which switch is meant when nothing is said."""

DEFAULT_ADDRESS = "127.0.0.1:9559"
"""The port that IANA registered for P4Runtime, on this machine."""
DEFAULT_DEVICE_ID = 1
DEFAULT_ELECTION_ID = 1
DEFAULT_DRAIN_S = 1.0
"""How long an old curve is kept for packets that were admitted under it and are still queued, seconds."""
