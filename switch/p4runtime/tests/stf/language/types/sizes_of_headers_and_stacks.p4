// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#include "../begin.p4"

header h_t { bit<12> x; bit<4> y; }
header v_t { bit<8> l; varbit<24> v; }
header_union u_t { h_t h; v_t v; }
struct headers_t { data_t data; h_t h; v_t v; h_t[5] s; u_t u; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = (bit<8>)hdr.h.minSizeInBits();
        hdr.data.f = (bit<8>)hdr.h.minSizeInBytes();
        hdr.data.g = (bit<8>)hdr.v.maxSizeInBits();
        hdr.data.h = (bit<8>)hdr.v.minSizeInBytes();
        hdr.data.c = (bit<16>)hdr.s.size;
        hdr.data.d = (bit<16>)(hdr.u.minSizeInBits() + hdr.u.maxSizeInBits());
    }
}

#include "../end.p4"
