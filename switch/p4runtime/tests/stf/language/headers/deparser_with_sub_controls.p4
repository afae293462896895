// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_DEPARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; byte_t y; }
control Two(packet_out p, in byte_t a, in byte_t b)(bool twice) {
    apply {
        p.emit(a);
        if (twice) { p.emit(a); }
        p.emit(b);
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.x = { 1 }; hdr.y = { 2 }; if (hdr.data.e == 1) { hdr.y.setInvalid(); } }
}
control Rest(packet_out p, in headers_t h) {
    Two(true) two;
    apply { two.apply(p, h.x, h.y); }
}
control D(packet_out packet, in headers_t hdr) {
    Two(false) two;
    apply {
        packet.emit(hdr.data);
        two.apply(packet, hdr.y, hdr.x);
        Rest.apply(packet, hdr);
    }
}

#include "../end.p4"
