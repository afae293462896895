// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A header may have fields of struct, bool, int and serializable enum type.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

enum bit<8> Kind { a = 1, b = 2 }
struct inner_t { bit<4> hi; int<4> lo; }
header h_t { Kind kind; inner_t i; bool flag; bit<7> rest; int<8> n; }
struct headers_t { data_t data; h_t h; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.h);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.h.kind == Kind.b) { hdr.data.e = 1; }
        if (hdr.h.i.lo < 0) { hdr.data.f = 1; }
        if (hdr.h.flag) { hdr.data.g = 1; }
        hdr.h.kind = Kind.a;
        hdr.h.i.lo = -hdr.h.i.lo;
        hdr.h.flag = !hdr.h.flag;
        hdr.h.n = hdr.h.n >> 1;
    }
}

#include "../end.p4"
