// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Without members nothing is done; members are chosen by hash.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    action_profile(8) plain;
    action set(bit<8> v) { hdr.data.h = v; }
    table t {
        key = { hdr.data.e: exact; hdr.data.a: selector; }
        actions = { set; NoAction; }
        implementation = action_selector(HashAlgorithm.crc16, 32w16, 32w8);
        default_action = NoAction();
    }
    table u {
        key = { hdr.data.e: exact; }
        actions = { set; NoAction; }
        implementation = plain;
        default_action = NoAction();
    }
    apply { if (t.apply().hit) { hdr.data.g = 1; } u.apply(); }
}

#include "../end.p4"
