// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The value of an `in` parameter is taken before the call writes the `out` one.

#include "../begin.p4"

void set(out bit<8> x, in bit<8> y) {
    x = 0x55;
    x = x + y;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        set(hdr.data.e, hdr.data.e);
    }
}

#include "../end.p4"
