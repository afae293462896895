// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Variables of a sub-parser begin anew with every call.

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; byte_t y; byte_t z; }
struct metadata_t { bit<8> sum; bit<8> n; }
parser Sub(packet_in p, out byte_t b, in bit<8> plus, inout bit<8> sum) {
    bit<8> local = 1;
    state start {
        p.extract(b);
        local = local + plus;
        sum = sum + b.v + local;
        transition select(b.v) { 0xFF: again; default: accept; }
    }
    state again {
        local = local + 1;
        sum = sum + local;
        transition accept;
    }
}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() sub;
    state start {
        packet.extract(hdr.data);
        sub.apply(packet, hdr.x, 2, meta.sum);
        sub.apply(packet, hdr.y, hdr.x.v, meta.sum);
        Sub.apply(packet, hdr.z, 0, meta.sum);
        meta.n = 7;
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.e = meta.sum; hdr.data.f = meta.n; }
}

#include "../end.p4"
