// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    table t {
        key = { hdr.data.e: exact; }
        actions = { NoAction; }
        const entries = { 1: NoAction(); }
    }
    table u {
        key = { hdr.data.f: exact; }
        actions = { NoAction; }
        const entries = { 1: NoAction(); }
    }
    apply {
        bool missed = t.apply().miss;
        if (!u.apply().miss) {
            hdr.data.h = 1;
        }
        if (missed) {
            hdr.data.g = 1;
        }
    }
}

#include "../end.p4"
