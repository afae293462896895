// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Counters of packets, of bytes and of both, as arrays and of a table's entries.

#include "frame.p4"

INGRESS {
    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS) packets;
    Counter<bit<64>, PortId_t>(512, CounterType_t.BYTES) octets;
    Counter<bit<64>, PortId_t>(512, CounterType_t.PACKETS_AND_BYTES) both;
    DirectCounter<bit<32>>(CounterType_t.PACKETS_AND_BYTES) hits;

    action send(PortId_t port) {
        hits.count();
        ig_tm_md.ucast_egress_port = port;
    }
    action miss() {
        hits.count();
        ig_dprsr_md.drop_ctl = 1;
    }

    table forward {
        key = { hdr.ethernet.dst_addr : exact; }
        actions = { send; @defaultonly miss; }
        default_action = miss();
        counters = hits;
        size = 1024;
    }

    apply {
        packets.count(ig_intr_md.ingress_port);
        octets.count(ig_intr_md.ingress_port);
        both.count(ig_intr_md.ingress_port);
        forward.apply();
    }
}

SWITCH
