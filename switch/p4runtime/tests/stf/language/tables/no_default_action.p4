// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Without a default action nothing happens on a miss.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action a() { hdr.data.f = 1; }
    action b(bit<8> v) { hdr.data.f = v; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { a; b; }
    }
    table u { actions = { b; } }
    table u2 { key = { hdr.data.e: ternary; } actions = { a; } }
    apply {
        t.apply();
        if (u.apply().hit) { hdr.data.h = 1; }
        switch (u2.apply().action_run) { a: { hdr.data.g = 1; } default: { hdr.data.g = 2; } }
    }
}

#include "../end.p4"
