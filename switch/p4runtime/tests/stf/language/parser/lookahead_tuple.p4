// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

struct metadata_t { bit<8> m; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        tuple<bit<8>, bit<16>> t = packet.lookahead<tuple<bit<8>, bit<16>>>();
        meta.m = t[0] + t[1][7:0];
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { apply { hdr.data.e = meta.m; } }

#include "../end.p4"
