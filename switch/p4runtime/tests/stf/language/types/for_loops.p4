// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Counting loops, break and continue, nested loops.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        for (bit<8> i = 0; i < 5; i = i + 1) {
            if (i == hdr.data.h) { continue; }
            hdr.data.e = hdr.data.e + i;
        }
        for (bit<8> i = 0; i < 10; i = i + 2) {
            if (i > hdr.data.h) { break; }
            hdr.data.f = hdr.data.f + 1;
        }
        for (bit<8> i in 1 .. 3) {
            for (bit<8> j in 8w1 .. 2) {
                hdr.data.g = hdr.data.g + i * j;
            }
        }
    }
}

#include "../end.p4"
