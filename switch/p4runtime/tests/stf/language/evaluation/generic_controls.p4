// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control Move<T>(inout T to, in T from)(bool really = true) {
    T kept;
    apply {
        kept = from;
        if (really) { to = kept; }
    }
}
control Wrapper<T>(inout T a, inout T b) {
    Move<T>() there;
    apply { there.apply(a, b); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Move<bit<8>>() eight;
    Move<bit<16>>(false) never;
    Wrapper<bit<32>>() whole;
    apply {
        eight.apply(hdr.data.e, hdr.data.h);
        never.apply(hdr.data.c, 3);
        whole.apply(hdr.data.a, hdr.data.b);
        Move<bit<8>>.apply(hdr.data.f, 9);
    }
}

#include "../end.p4"
