// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Value sets of one field and of a struct, and metadata of ports.

#define OWN_PARSER
#include "frame.p4"

struct port_t {
    bit<16> vrf;
    bit<32> label;
}

struct pair_t {
    bit<16> kind;
    bit<8>  tail;
}

parser IngressParser(packet_in pkt, out headers_t hdr, out metadata_t md,
                     out ingress_intrinsic_metadata_t ig_md) {
    value_set<bit<16>>(8) types;
    value_set<pair_t>(4) pairs;

    state start {
        pkt.extract(ig_md);
        md.value = 0;
        md.color = 0;
        port_t port = port_metadata_unpack<port_t>(pkt);
        md.index = port.vrf;
        transition parse_ethernet;
    }
    state parse_ethernet {
        pkt.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            types: parse_ipv4;
            default: look_further;
        }
    }
    state look_further {
        transition select(hdr.ethernet.ether_type, hdr.ethernet.src_addr[7:0]) {
            pairs: parse_ipv4;
            default: accept;
        }
    }
    state parse_ipv4 {
        pkt.extract(hdr.ipv4);
        transition accept;
    }
}

INGRESS {
    action send(PortId_t port) {
        ig_tm_md.ucast_egress_port = port;
    }
    table forward {
        key = { md.index : exact @name("vrf"); }
        actions = { send; NoAction; }
        size = 128;
    }
    apply {
        forward.apply();
    }
}

SWITCH
