// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Words that are keywords in some places only.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header h_t { bit<8> key; bit<8> actions; bit<8> state; bit<8> entries; bit<8> type; bit<8> apply; bit<8> priority; bit<8> size; }
struct headers_t { h_t h; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { state start { packet.extract(hdr.h); transition accept; } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> entries = 1;
    action key(bit<8> priority) { hdr.h.key = priority; }
    table actions {
        key = { hdr.h.state: exact; }
        actions = { key; }
        default_action = key(9);
    }
    apply {
        actions.apply();
        bit<8> state = hdr.h.type + entries;
        hdr.h.apply = state;
    }
}

#include "../end.p4"
