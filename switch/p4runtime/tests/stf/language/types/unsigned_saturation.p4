// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.g = hdr.data.e |+| hdr.data.f;
        hdr.data.h = hdr.data.e |-| hdr.data.f;
        hdr.data.c = hdr.data.d |+| 0xFFF0;
    }
}

#include "../end.p4"
