// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct metadata_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        byte_t local;
        packet.extract(hdr.data);
        packet.extract<byte_t>(_);
        packet.extract(local);
        meta.v = local.v;
        hdr.x = local;
        hdr.x.v = hdr.x.v + 1;
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.e = meta.v; }
}

#include "../end.p4"
