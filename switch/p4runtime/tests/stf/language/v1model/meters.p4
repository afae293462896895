// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Two-rate three-colour: a bucket of packets without refill turns from green to yellow to red.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    meter(4, MeterType.packets) m;
    bit<2> colour;
    apply {
        m.execute_meter(1, colour);
        hdr.data.e = (bit<8>)colour;
    }
}

#include "../end.p4"
