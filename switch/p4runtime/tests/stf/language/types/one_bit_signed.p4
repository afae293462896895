// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// int<1> has the values 0 and -1.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        int<1> x = (int<1>)hdr.data.e[0:0];
        if (x == 1s0) { hdr.data.f = 1; }
        if (x == -1) { hdr.data.f = 2; }
        if (x < 0) { hdr.data.g = 3; }
        hdr.data.h = (bit<8>)(int<8>)x;
    }
}

#include "../end.p4"
