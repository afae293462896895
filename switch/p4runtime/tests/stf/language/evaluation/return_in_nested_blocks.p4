// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

bit<8> classify(in bit<8> x) {
    if (x > 10) {
        if (x > 20) {
            return 3;
        }
        {
            {
                return 2;
            }
        }
    } else if (x == 0) {
        return 0;
    }
    return 1;
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action act() {
        if (hdr.data.e == 0) {
            hdr.data.g = 1;
            return;
        }
        hdr.data.g = 2;
    }
    apply {
        hdr.data.f = classify(hdr.data.e);
        act();
        if (hdr.data.e == 5) {
            return;
        }
        hdr.data.h = 1;
    }
}

#include "../end.p4"
