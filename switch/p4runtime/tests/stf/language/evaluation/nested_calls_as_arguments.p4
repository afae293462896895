// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Arguments are evaluated from left to right.

#include "../begin.p4"

bit<8> inc(inout bit<8> x) {
    x = x + 1;
    return x;
}
bit<8> sub(in bit<8> x, in bit<8> y, in bit<8> z) {
    return (x << 4) + (y << 2) + z;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.f = sub(inc(hdr.data.e), inc(hdr.data.e), hdr.data.e);
        hdr.data.g = sub(hdr.data.h, inc(hdr.data.h), inc(hdr.data.h));
    }
}

#include "../end.p4"
