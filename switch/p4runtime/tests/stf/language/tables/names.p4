// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Annotated names of tables, actions and keys; a leading dot makes a name absolute.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    @name("put") action set(@name("value") bit<8> v) { hdr.data.h = v; }
    @name(".top.act") action other() { hdr.data.g = 1; }
    @name("first") table t {
        key = { hdr.data.e: exact @name("the.key"); }
        actions = { set; other; @defaultonly NoAction; }
        default_action = NoAction();
    }
    @name(".absolute") table u {
        key = { hdr.data.f: exact; }
        actions = { set; NoAction; }
        default_action = NoAction();
    }
    apply { t.apply(); u.apply(); }
}

#include "../end.p4"
