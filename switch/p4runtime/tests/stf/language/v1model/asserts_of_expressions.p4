// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Conditions of `assert` and `assume` that hold.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        assert(hdr.data.e == 1);
        assume(hdr.data.e == 1 && hdr.data.isValid() || hdr.data.f > 4);
        assert(hdr.data.isValid());
        bool b = hdr.data.f == 0;
        assert(b);
        hdr.data.h = 7;
    }
}

#include "../end.p4"
