// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_PARSER
#define OWN_METADATA
#include "../begin.p4"

struct metadata_t { bit<8> way; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.h, { hdr.data.e, hdr.data.f }) {
            (1, { 2, 3 }): first;
            (1, _): second;
            default: accept;
        }
    }
    state first { meta.way = 1; transition accept; }
    state second {
        transition select(hdr.data.e) {
            { 7 }: first;
            default: third;
        }
    }
    state third { meta.way = 3; transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.g = meta.way; }
}

#include "../end.p4"
