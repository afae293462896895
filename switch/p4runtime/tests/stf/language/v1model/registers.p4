// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Registers of several widths, signed ones, and what an index out of bounds does.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    register<bit<8>>(4) r8;
    register<int<16>>(4) s16;
    register<bit<48>>(2) r48;
    register<bit<1>>(8) r1;
    apply {
        bit<8> v;
        int<16> s;
        bit<48> w;
        bit<1> flag;
        r8.read(v, (bit<32>)hdr.data.e);
        r8.write((bit<32>)hdr.data.e, v + 1);
        hdr.data.f = v;
        s16.read(s, 0);
        s16.write(0, s - 3);
        if (s < -4) { hdr.data.g = 1; }
        hdr.data.c = (bit<16>)s;
        r48.read(w, 1);
        r48.write(1, w + 0x100000001);
        hdr.data.a = w[47:16];
        r1.read(flag, 7);
        r1.write(7, ~flag);
        hdr.data.h = (bit<8>)flag;
    }
}

#include "../end.p4"
