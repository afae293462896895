// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t[4] s; }
struct metadata_t { bit<32> n; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); transition more; }
    state more {
        packet.extract(hdr.s.next);
        meta.n = hdr.s.lastIndex;
        transition select(hdr.s.lastIndex, hdr.s.last.v) {
            (_, 0xFF): accept;
            (2, _): accept;
            default: more;
        }
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.e = (bit<8>)meta.n; }
}

#include "../end.p4"
