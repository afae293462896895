// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An action selector over an action profile.

#include "frame.p4"

INGRESS {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) flow_hash;
    ActionProfile(64) hops;
    ActionSelector(hops, flow_hash, SelectorMode_t.FAIR, 32, 16) spread;

    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }

    table routes {
        key = {
            hdr.ipv4.dst_addr : lpm;
            hdr.ipv4.src_addr : selector;
            hdr.ipv4.protocol : selector;
        }
        actions = { send; NoAction; }
        implementation = spread;
        size = 1024;
    }

    apply {
        routes.apply();
    }
}

SWITCH
