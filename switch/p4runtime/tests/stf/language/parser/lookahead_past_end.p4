// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

struct metadata_t { bit<16> v; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        meta.v = packet.lookahead<bit<16>>();
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.PacketTooShort) { hdr.data.e = 1; }
        hdr.data.c = meta.v;
    }
}

#include "../end.p4"
