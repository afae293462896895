// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A cast of an action's parameter as an argument of an extern.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    counter(16, CounterType.packets) seen;
    register<bit<8>>(16) last;
    action set(bit<9> i, bit<8> base) {
        seen.count((bit<32>)i);
        last.write((bit<32>)i, base);
        last.read(hdr.data.f, (bit<32>)i);
        hash(hdr.data.c, HashAlgorithm.crc16, (bit<16>)base, { hdr.data.a }, (bit<16>)1);
    }
    table t {
        key = { hdr.data.e: exact; }
        actions = { set; NoAction; }
        const entries = { 1: set(3, 0x55); }
        default_action = NoAction();
    }
    apply { t.apply(); }
}

#include "../end.p4"
