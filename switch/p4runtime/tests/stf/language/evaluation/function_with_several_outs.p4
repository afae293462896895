// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

void split(in bit<16> v, out bit<8> hi, out bit<8> lo) {
    hi = v[15:8];
    lo = v[7:0];
}
bit<8> max(in bit<8> x, in bit<8> y) {
    if (x > y) { return x; }
    return y;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        split(hdr.data.c, hdr.data.e, hdr.data.f);
        split(hi = hdr.data.d[7:0], lo = hdr.data.d[15:8], v = hdr.data.d);
        hdr.data.g = max(max(hdr.data.e, hdr.data.f), max(1, 2));
    }
}

#include "../end.p4"
