// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

typedef bit<8> octet_t;
type octet_t port_t;
enum port_t Named { first = 1, second = (port_t)2 }
enum bit<4> Small { a = 1, b = 15 }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        port_t p = (port_t)hdr.data.e;
        if (p == (port_t)3) { hdr.data.f = (octet_t)p + 1; }
        Small s = (Small)hdr.data.g[3:0];
        if (s == Small.b) { hdr.data.g = (bit<8>)(bit<4>)s; }
        hdr.data.h = (bit<8>)(bit<4>)Small.a ++ 4w0 == 12w0x10 ? 8w1 : 0;
    }
}

#include "../end.p4"
