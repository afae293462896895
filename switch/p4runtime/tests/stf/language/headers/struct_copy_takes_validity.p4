// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#define OWN_DEPARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct two_t { byte_t x; byte_t y; }
struct more_t { two_t two; bit<8> n; }
struct headers_t { data_t data; two_t p; two_t q; }
struct metadata_t { more_t m; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.p.y);
        meta.m = { hdr.p, 5 };
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        more_t m = meta.m;
        hdr.q = m.two;
        hdr.data.f = m.n;
        if (hdr.q == hdr.p) { hdr.data.g = 1; }
        hdr.p.x = { 0x99 };
        if (m == meta.m) { hdr.data.c = 1; }
        if (hdr.q != hdr.p) { hdr.data.h = 1; }
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.data);
        packet.emit(hdr.p.x);
        packet.emit(hdr.p.y);
        packet.emit(hdr.q.x);
        packet.emit(hdr.q.y);
    }
}

#include "../end.p4"
