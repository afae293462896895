// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Externs write slices, and elements of stacks by run-time index.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[2] s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s.next);
        packet.extract(hdr.s.next);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(2) r;
    apply {
        r.write(1, 0x42);
        r.read(hdr.data.c[11:4], 1);
        r.read(hdr.s[hdr.data.e].v, 1);
        random(hdr.data.d[7:0], 8w9, 8w9);
        hash(hdr.s[hdr.data.f].v, HashAlgorithm.identity, 8w0, { 8w0x66 }, 16w256);
    }
}

#include "../end.p4"
