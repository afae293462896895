// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct inner_t { byte_t[2] s; byte_t last; }
struct outer_t { inner_t i; byte_t first; }
struct headers_t { data_t data; outer_t o; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.o.i.s.next);
        packet.extract(hdr.o.i.s.next);
        packet.extract(hdr.o.first);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        inner_t copy = hdr.o.i;
        hdr.o.i.s.pop_front(1);
        hdr.o.i.last = copy.s[0];
        if (copy.last.isValid()) { hdr.data.e = 1; }
    }
}

#include "../end.p4"
