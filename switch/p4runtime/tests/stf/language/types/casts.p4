// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Chains of casts between widths, signs and bool.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.c = (bit<16>)hdr.data.e;
        hdr.data.d = (bit<16>)(int<16>)(int<8>)hdr.data.e;
        hdr.data.f = (bit<8>)(bit<4>)hdr.data.e;
        hdr.data.g = (bit<8>)(bit<1>)(hdr.data.e == 0x9A);
        if ((bool)hdr.data.e[7:7]) { hdr.data.h = 1; }
        hdr.data.a = (bit<32>)(int<32>)(int<4>)(bit<4>)(hdr.data.e >> 0);
        hdr.data.b = (bit<32>)(-1) ^ (bit<32>)(int<32>)-2;
    }
}

#include "../end.p4"
