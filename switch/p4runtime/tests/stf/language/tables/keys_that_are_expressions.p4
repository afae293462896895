// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#include "../begin.p4"

bit<8> low(in bit<16> v) { return v[7:0]; }
header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = {
            hdr.data.a[15:8]: exact @name("slice");
            hdr.data.e ++ hdr.data.f: ternary @name("concat");
            (bit<4>)hdr.data.g: exact @name("cast");
            low(hdr.data.c): exact @name("call");
            hdr.x.isValid(): exact @name("valid");
            hdr.data.d > 5: exact @name("greater");
            hdr.data.b & 0xFF: exact @name("masked");
        }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    apply { t.apply(); }
}

#include "../end.p4"
