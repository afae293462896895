// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_PARSER
#define NO_INGRESS
#include "../begin.p4"

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select((int<8>)hdr.data.e) {
            -1: m1;
            -10 .. -5: low;
            5 .. 10: high;
            default: accept;
        }
    }
    state m1 { hdr.data.f = 1; transition accept; }
    state low { hdr.data.f = 2; transition accept; }
    state high { hdr.data.f = 3; transition accept; }
}

#include "../end.p4"
