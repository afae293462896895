// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[4] s; }
parser Sub(packet_in p, inout byte_t[4] s, out bit<8> n) {
    state start {
        n = 1;
        p.extract(s.next);
        transition select(s.last.v) { 0xFF: accept; default: more; }
    }
    state more {
        p.extract(s.next);
        n = 2;
        transition accept;
    }
}
struct metadata_t { bit<8> n; bit<8> m; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() sub;
    state start {
        packet.extract(hdr.data);
        sub.apply(packet, hdr.s, meta.n);
        sub.apply(packet, hdr.s, meta.m);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.e = meta.n; hdr.data.f = meta.m; }
}

#include "../end.p4"
