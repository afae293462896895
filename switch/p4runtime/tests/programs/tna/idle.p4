// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Idle timeouts, with and without notifications.

#include "frame.p4"

INGRESS {
    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    table forward {
        key = { hdr.ethernet.dst_addr : exact; }
        actions = { send; NoAction; }
        idle_timeout = true;
        size = 1024;
    }
    @idletime_precision(1)
    table polled {
        key = { hdr.ethernet.src_addr : exact; }
        actions = { send; NoAction; }
        idle_timeout = true;
        size = 1024;
    }
    apply {
        forward.apply();
        polled.apply();
    }
}

SWITCH
