// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An exit ends the pipeline, egress still runs.

#define OWN_EGRESS
#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action stop() { hdr.data.f = 1; exit; }
    action go() { hdr.data.f = 2; }
    table t {
        key = { hdr.data.e: exact; }
        actions = { stop; go; }
        const default_action = go();
        const entries = { 1: stop(); }
    }
    apply {
        t.apply();
        hdr.data.g = 1;
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.h = 1; }
}

#include "../end.p4"
