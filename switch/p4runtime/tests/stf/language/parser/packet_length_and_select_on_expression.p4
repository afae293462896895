// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_PARSER
#include "../begin.p4"

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e + hdr.data.f, hdr.data.g ++ hdr.data.h) {
            (3, 0x0102): yes;
            (4, 0x0100 .. 0x01FF): yes;
            default: accept;
        }
    }
    state yes { hdr.data.c = 1; transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.d = (bit<16>)sm.packet_length; }
}

#include "../end.p4"
