// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_METADATA
#include "../begin.p4"

struct learn_t { bit<8> x; bit<16> y; }
struct metadata_t { bit<8> n; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        digest<learn_t>(1, { hdr.data.e, hdr.data.c });
        digest(2, hdr.data);
        if (hdr.data.f == 1) { mark_to_drop(sm); }
        hdr.data.h = 1;
    }
}

#include "../end.p4"
