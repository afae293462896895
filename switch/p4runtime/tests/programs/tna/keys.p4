// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Every kind of match, slices, names of their own, default actions, entries of the program.

#include "frame.p4"

INGRESS {
    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }
    action rewrite(@name("mac") bit<48> dst_addr, PortId_t port) {
        hdr.ethernet.dst_addr = dst_addr;
        ig_tm_md.ucast_egress_port = port;
    }

    table by_address {
        key = { hdr.ipv4.dst_addr : lpm; }
        actions = { rewrite; drop; }
        const default_action = drop();
        size = 512;
    }
    table by_flow {
        key = {
            hdr.ipv4.src_addr : ternary;
            hdr.ipv4.protocol : exact @name("protocol");
            hdr.ipv4.dst_addr[31:16] : ternary;
        }
        actions = { send; @defaultonly NoAction; }
        default_action = NoAction();
        size = 256;
    }
    table by_length {
        key = { hdr.ipv4.total_len : range; ig_intr_md.ingress_port : exact; }
        actions = { send; drop; NoAction; }
        size = 64;
    }
    table by_type {
        key = { hdr.ethernet.ether_type : exact; }
        actions = { @tableonly send; NoAction; }
        const entries = {
            0x0806 : send(7);
        }
    }

    apply {
        if (hdr.ipv4.isValid()) {
            by_address.apply();
            by_flow.apply();
            by_length.apply();
        } else {
            by_type.apply();
        }
    }
}

SWITCH
