// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[4] s; }
void add(inout bit<8> x, in bit<8> y) { x = x + y; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); transition more; }
    state more {
        packet.extract(hdr.s.next);
        transition select(hdr.s.last.v) { 0xFF: accept; default: more; }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action hit() { hdr.data.h = 1; }
    table t {
        key = { hdr.s[hdr.data.e].v: exact @name("v"); }
        actions = { hit; NoAction; }
        default_action = NoAction();
    }
    apply {
        hdr.data.g = hdr.s[hdr.data.e].v;
        t.apply();
        add(hdr.s[hdr.data.e].v, 0x10);
        hdr.s[hdr.data.e + 1].v = hdr.s[hdr.data.e].v;
        hdr.s[hdr.data.f[1:0]].setInvalid();
        if (hdr.s[hdr.data.f].isValid()) { hdr.data.c = 1; } else { hdr.data.c = 2; }
        if (hdr.s[hdr.data.e] == hdr.s[hdr.data.e + 1]) { hdr.data.d = 1; }
        hdr.s[hdr.data.f] = hdr.s[hdr.data.e];
    }
}

#include "../end.p4"
