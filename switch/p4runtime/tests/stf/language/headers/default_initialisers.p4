// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// `...` stands for default values (8.26).

#define OWN_HEADERS
#include "../begin.p4"

struct s_t { bit<8> p; bit<8> q; bool b; }
header byte_t { bit<8> v; bit<8> w; }
struct headers_t { data_t data; byte_t x; byte_t y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        s_t s = { 7, ... };
        s_t t = { q = 9, ... };
        s_t u = ...;
        hdr.data.e = s.p + s.q;
        hdr.data.f = t.p + t.q;
        if (!u.b && u.p == 0) { hdr.data.g = 1; }
        hdr.x = { 1, ... };
        hdr.y = ...;
        if (!hdr.y.isValid()) { hdr.data.h = 1; }
    }
}

#include "../end.p4"
