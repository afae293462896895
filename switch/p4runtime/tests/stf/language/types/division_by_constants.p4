// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Division of int constants; of bit values by powers of two.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = 8w200 / 8w7;
        hdr.data.f = 8w200 % 8w7;
        hdr.data.g = hdr.data.h >> 2;
        hdr.data.c = 16w1000 / 10 * 3 - 16w7 % 4;
    }
}

#include "../end.p4"
