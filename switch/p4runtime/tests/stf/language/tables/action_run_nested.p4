// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A switch inside a branch of another table's.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action a() { hdr.data.f = hdr.data.f + 1; }
    action b() { hdr.data.f = hdr.data.f + 2; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { a; b; }
        default_action = b();
        const entries = { 1: a(); }
    }
    table u {
        key = { hdr.data.g: exact; }
        actions = { a; b; NoAction; }
        default_action = NoAction();
        const entries = { 1: a(); 2: b(); }
    }
    apply {
        switch (t.apply().action_run) {
            a: {
                switch (u.apply().action_run) {
                    a: { hdr.data.h = 0x11; }
                    b: { hdr.data.h = 0x12; exit; }
                }
                hdr.data.c = 1;
            }
            b: { hdr.data.h = 0x20; return; }
        }
        hdr.data.d = 1;
    }
}

#include "../end.p4"
