// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The version of v1model whose externs take indices of any type.

#define V1MODEL_VERSION 20200408
#include "../begin.p4"
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    register<bit<8>, bit<4>>(16) r;
    counter<bit<9>>(512, CounterType.packets) c;
    meter<bit<3>>(8, MeterType.bytes) m;
    apply {
        PortId_t p = sm.ingress_port;
        bit<8> v;
        r.read(v, hdr.data.e[3:0]);
        r.write(hdr.data.e[3:0], v + 1);
        c.count(p);
        m.execute_meter(3, hdr.data.g);
        hdr.data.f = v;
    }
}
#include "../end.p4"
// #include <core.p4> is in begin.p4
