// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

const bit<16> K = 0x1234;
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        int<4> x = (int<4>)hdr.data.e[3:0];
        hdr.data.f = (bit<8>)(x ++ 4w5);
        hdr.data.g = K[11:4];
        int<8> y = -3;
        hdr.data.h = 5w0 ++ y[2:0];
        hdr.data.c = (16w0xABCD)[15:8] ++ (hdr.data.e + 1)[7:0];
        hdr.data.d = (bit<16>)(x ++ x ++ (int<8>)hdr.data.e);
        hdr.data.a = 0xFF[7:0] ++ (hdr.data.e[7:0])[3:0] ++ 20w0;
    }
}

#include "../end.p4"
