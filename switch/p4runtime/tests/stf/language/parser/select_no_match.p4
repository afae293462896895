// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// No case fits: error.NoMatch, and ingress sees it.

#define OWN_PARSER
#include "../begin.p4"

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e) { 1: accept; 2: reject; }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.NoMatch) { hdr.data.f = 0xAA; }
        if (sm.parser_error == error.NoError) { hdr.data.f = 0xBB; }
    }
}

#include "../end.p4"
