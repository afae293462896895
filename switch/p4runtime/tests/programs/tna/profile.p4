// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An action profile that two tables share.

#include "frame.p4"

INGRESS {
    ActionProfile(128) ports;

    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }

    table by_destination {
        key = { hdr.ethernet.dst_addr : exact; }
        actions = { send; drop; NoAction; }
        implementation = ports;
        size = 1024;
    }

    apply {
        by_destination.apply();
    }
}

SWITCH
