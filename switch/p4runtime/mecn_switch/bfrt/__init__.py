# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BF Runtime, the control plane of a Tofino, in front of the embedded switch.

messages   the messages of bfruntime.proto
info       what a bf-rt.json says; fixed: what the chip has, whatever the program
values     keys and data, wire <-> Python
model      what a table can do; match, profiles, arrays, parsing, copies, ports: the tables
device     the program and its tables: batches, reads
service    gRPC methods, streams, notifications
"""

from .server import BfRuntimeServer

__all__ = ["BfRuntimeServer"]
