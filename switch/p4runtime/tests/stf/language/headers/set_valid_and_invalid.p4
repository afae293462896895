// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.x.setValid();
        hdr.x.v = 0x42;
        if (hdr.data.e == 1) { hdr.x.setInvalid(); }
        if (hdr.data.e == 2) { hdr.x.setInvalid(); hdr.x.setValid(); hdr.x.v = 1; }
        if (hdr.x.isValid()) { hdr.data.f = 1; } else { hdr.data.f = 2; }
    }
}

#include "../end.p4"
