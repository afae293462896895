// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Return ends the sub-control only, exit all.

#include "../begin.p4"

control Sub(inout data_t d) {
    apply {
        if (d.e == 1) {
            return;
        }
        d.f = 0x11;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Sub() sub;
    apply {
        sub.apply(hdr.data);
        hdr.data.g = 0x22;
    }
}

#include "../end.p4"
