# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The embedded switch as a process: a P4Runtime server in front of `mecn_native.Switch`.

A request takes one way through the modules:

    service    gRPC methods: who may do what (arbitration), batches, error details
    pipeline   a forwarding pipeline config: P4Info and engine, checked against each other
    translate  wire entries <-> engine entries, strictly by the P4Info
    tables, counters   what a request on such an entity does

Section numbers in comments are those of the P4Runtime specification, version 1.5.
"""

from .server import P4RuntimeServer

__all__ = ["P4RuntimeServer"]
