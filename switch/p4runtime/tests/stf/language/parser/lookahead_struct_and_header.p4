// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

struct pair_t { bit<8> x; bit<4> y; bit<4> z; }
header h_t { bit<16> v; bit<8> w; }
struct headers_t { data_t data; h_t h; }
struct metadata_t { pair_t p; bit<8> w; bit<4> n; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        meta.p = packet.lookahead<pair_t>();
        h_t peek = packet.lookahead<h_t>();
        meta.w = peek.w;
        bit<32> first = packet.lookahead<bit<32>>();
        meta.n = packet.lookahead<bit<4>>();
        packet.extract(hdr.data);
        transition select(packet.lookahead<h_t>().w, packet.lookahead<pair_t>().x, first[7:0]) {
            (0x33, 0x11, 0x04): more;
            default: accept;
        }
    }
    state more { packet.extract(hdr.h); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = meta.p.x;
        hdr.data.f = meta.p.y ++ meta.p.z;
        hdr.data.g = meta.w;
        hdr.data.h = (bit<8>)meta.n;
        hdr.h.setInvalid();
    }
}

#include "../end.p4"
