// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Constants of type int have no limit; wide and negative ones.

#include "../begin.p4"

const int BIG = 1 << 100;
const int NEG = -7;
const bit<8> LOW = (bit<8>)(BIG >> 97);
const bit<16> MASK = (16w1 << 9) - 1;
const int<8> S = -128;
const bool T = BIG > 5 && NEG < 0;
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = LOW;
        hdr.data.f = (bit<8>)(BIG % 1000);
        hdr.data.g = (bit<8>)(22 / 7);
        hdr.data.h = T ? 8w1 : 2;
        hdr.data.c = MASK;
        hdr.data.d = (bit<16>)(int<16>)S;
        hdr.data.a = 0xFFFF_FFFF & ~32w0xF0;
        hdr.data.b = (bit<32>)((BIG - 1) % 0x10000 - 0x5432) | 32w0b1010_0000 << 16 | 0o17;
    }
}

#include "../end.p4"
