# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The embedded switch as a process: a P4Runtime server in front of `mecn_native.Switch`.

A request takes one way through the modules:

    service    gRPC methods: who may do what (roles, arbitration), batches, error details; streams
    device     the pipelines of one switch, and what a request does to them
    pipeline   a forwarding pipeline config: P4Info (p4info, schema) and engine, checked against each other
    translate  wire entries <-> engine entries, strictly by the P4Info
    tables, counters, registers   what a request on such an entity does
    dataplane  what carries packets; packet_io   controller headers of packet-in and packet-out

Section numbers in comments are those of the P4Runtime specification, version 1.5.
"""

from .dataplane import Dataplane, LocalDataplane
from .server import P4RuntimeServer
from .transport import Tls

__all__ = ["Dataplane", "LocalDataplane", "P4RuntimeServer", "Tls"]
