# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What a profile is written to: the interface (`base`), and what stands behind it.

`mecn_controller.runtime.session.SwitchSession` is the P4Runtime one, `virtual` a switch of the virtual
network, `bfrt` a Tofino.
"""

from mecn_controller.runtime.targets.base import Dialect, Target

__all__ = ["Dialect", "Target"]
