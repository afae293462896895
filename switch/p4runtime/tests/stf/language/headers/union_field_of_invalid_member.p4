// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A write to a field of an invalid header changes nothing else (section 8.26): the member that is valid stays so.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header a_t { bit<8> v; }
header b_t { bit<16> v; }
header_union u_t { a_t a; b_t b; }
struct headers_t { data_t data; u_t u; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.u.a);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.data.e == 1) { hdr.u.b.v = 0x1234; }
    }
}

#include "../end.p4"
