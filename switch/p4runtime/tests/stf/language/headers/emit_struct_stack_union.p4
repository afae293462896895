// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Emit of a struct emits its parts in order; invalid ones are left out.

#define OWN_HEADERS
#define OWN_DEPARSER
#include "../begin.p4"

header a_t { bit<8> v; }
header_union u_t { a_t a; a_t b; }
struct group_t { a_t[2] s; u_t u; a_t l; }
struct headers_t { data_t data; group_t g; a_t z; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.g.s[1] = { 0x01 };
        hdr.g.u.b = { 0x02 };
        hdr.g.l = { 0x03 };
        hdr.z = { 0x04 };
        if (hdr.data.e == 1) { hdr.g.l.setInvalid(); hdr.g.s[0] = { 0x05 }; }
    }
}
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.z);
        packet.emit(hdr.data);
        packet.emit(hdr.g);
        packet.emit(hdr.z);
    }
}

#include "../end.p4"
