// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

type bit<8> port_id_t;
const port_id_t NOWHERE = 0;
const int FLAGS = 0x10 | 0x06 ^ 0x02;
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        port_id_t at = NOWHERE;
        if ((port_id_t)hdr.data.h == NOWHERE) { hdr.data.e = 1; }
        at = (port_id_t)hdr.data.h;
        hdr.data.f = (bit<8>)at;
        hdr.data.g = FLAGS & 0xF6;
    }
}

#include "../end.p4"
