// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets_and_bytes) seen;
    direct_meter<bit<2>>(MeterType.packets) rate;
    bit<2> colour = 3;
    action set(bit<8> v) { hdr.data.h = v; seen.count(); rate.read(colour); }
    action none() { seen.count(); rate.read(colour); }
    table t {
        key = { hdr.data.e: exact; }
        actions = { set; none; }
        default_action = none();
        counters = seen;
        meters = rate;
        size = 4;
    }
    apply { t.apply(); hdr.data.g = (bit<8>)colour; }
}

#include "../end.p4"
