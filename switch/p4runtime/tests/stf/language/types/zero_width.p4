// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// bit<0> has one value.

#include "../begin.p4"

bit<0> f(in bit<0> x) { return x; }
struct empty_t { bit<0> nothing; bit<8> v; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        bit<0> z = 0;
        empty_t e = { 0, 5 };
        z = f(z);
        if (z == 0 && e.nothing == z) { hdr.data.e = e.v; }
    }
}

#include "../end.p4"
