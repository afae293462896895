// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// BMv2 divides unsigned values.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = hdr.data.g / hdr.data.h;
        hdr.data.f = hdr.data.g % hdr.data.h;
        hdr.data.c = hdr.data.d / 10;
    }
}

#include "../end.p4"
