// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

enum Kind { a, b, c }
enum bit<8> Level { low = 1, high = 9 }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Kind k = Kind.a;
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { k: exact; (Level)hdr.data.e: exact @name("level"); hdr.data.f == 1: exact @name("flag"); sm.parser_error: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
        const entries = {
            (Kind.b, Level.low, true, error.NoError): set(1);
            (Kind.c, Level.high, false, error.NoError): set(2);
        }
    }
    apply {
        if (hdr.data.g == 1) { k = Kind.b; } else if (hdr.data.g == 2) { k = Kind.c; }
        t.apply();
    }
}

#include "../end.p4"
