// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        tuple<bit<8>, bit<16>> t = { hdr.data.e, hdr.data.c };
        tuple<bit<8>, bit<16>> u = t;
        u = { u[0] + 1, t[1] + 1 };
        hdr.data.f = u[0];
        hdr.data.d = u[1];
        if (t == u) { hdr.data.g = 1; } else { hdr.data.g = 2; }
        if (t == { hdr.data.e, hdr.data.c }) { hdr.data.h = 1; }
    }
}

#include "../end.p4"
