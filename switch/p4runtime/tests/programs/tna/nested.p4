// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Controls in controls, each twice, and actions of the top level.

#include "frame.p4"

action top_level(inout bit<16> field, bit<16> value) {
    field = value;
}

control Classify(inout bit<16> index, in bit<48> address)(bit<32> entries) {
    action set_index(bit<16> value) {
        index = value;
    }
    table classes {
        key = { address : exact @name("address"); }
        actions = { set_index; NoAction; }
        size = entries;
    }
    apply {
        classes.apply();
    }
}

INGRESS {
    Classify(256) sources;
    Classify(512) destinations;
    @name("renamed") action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    @name("output") table forward {
        key = { md.index : exact; }
        actions = { send; top_level(hdr.ethernet.ether_type); NoAction; }
        size = 1024;
    }
    apply {
        sources.apply(md.index, hdr.ethernet.src_addr);
        destinations.apply(md.index, hdr.ethernet.dst_addr);
        forward.apply();
    }
}

SWITCH
