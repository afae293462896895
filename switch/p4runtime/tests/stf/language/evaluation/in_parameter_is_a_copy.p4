// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A callee's write to the control's variable does not change its own parameter.

#include "../begin.p4"

control Sub(in bit<8> x, inout data_t d) {
    apply {
        d.e = d.e + 1;
        d.f = x;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() s;
    apply { s.apply(hdr.data.e, hdr.data); }
}

#include "../end.p4"
