// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action add() {
        for (bit<16> i = 0; i < 3000; i = i + 1) {
            hdr.data.a = hdr.data.a + (bit<32>)i;
        }
    }
    apply { add(); }
}

#include "../end.p4"
