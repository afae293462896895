// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    counter(8, CounterType.packets) p;
    counter(8, CounterType.bytes) b;
    counter(8, CounterType.packets_and_bytes) both;
    apply {
        p.count((bit<32>)hdr.data.e);
        b.count(3);
        both.count(7);
    }
}

#include "../end.p4"
