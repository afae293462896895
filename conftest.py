# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What holds for all tests."""

from hypothesis import settings

# A busy machine is no fault of the code under test.
settings.register_profile("mecn", deadline=None)
settings.load_profile("mecn")
