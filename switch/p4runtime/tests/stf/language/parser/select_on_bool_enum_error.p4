// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

enum bit<8> Kind { a = 1, b = 2 }
enum Plain { x, y }
struct metadata_t { bit<8> s; Plain p; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        meta.p = Plain.x;
        transition select(hdr.data.e == 1 || hdr.data.f == 1) { true: yes; false: no; }
    }
    state yes {
        meta.p = Plain.y;
        transition select((Kind)hdr.data.g) { Kind.a: a; Kind.b: b; default: accept; }
    }
    state no { meta.s = 9; transition accept; }
    state a { meta.s = 1; transition select(meta.p) { Plain.x: no; Plain.y: accept; } }
    state b { meta.s = 2; transition select(meta.p, hdr.data.h == 7) { (Plain.y, true): no; default: accept; } }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.c = (bit<16>)meta.s; }
}

#include "../end.p4"
