// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
struct metadata_t { byte_t m; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.x == (byte_t){#}) { hdr.data.e = 1; }
        hdr.x = { 7 };
        if (hdr.x != (byte_t){#}) { hdr.data.f = 1; }
        if (hdr.x == { 7 }) { hdr.data.g = 1; }
        meta.m = hdr.x;
        hdr.x = {#};
        if (meta.m.isValid() && meta.m.v == 7) { hdr.data.h = 1; }
    }
}

#include "../end.p4"
