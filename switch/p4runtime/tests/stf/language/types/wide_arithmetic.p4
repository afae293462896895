// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Fields wider than a machine word.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header wide_t { bit<128> x; bit<128> y; bit<72> z; }
struct headers_t { wide_t w; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { state start { packet.extract(hdr.w); transition accept; } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.w.x = hdr.w.x + hdr.w.y;
        hdr.w.y = (hdr.w.y << 4) - 1;
        if (hdr.w.x > hdr.w.y) { hdr.w.z[71:64] = 0xAA; }
        hdr.w.z[63:0] = hdr.w.x[95:32];
    }
}

#include "../end.p4"
