// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The control plane's values; none at first.

#define OWN_HEADERS
#define OWN_PARSER
#define NO_INGRESS
#include "../begin.p4"

header byte_t { bit<8> v; }
struct headers_t { data_t data; byte_t x; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    value_set<bit<8>>(4) kinds;
    value_set<tuple<bit<8>, bit<8>>>(4) pairs;
    state start {
        packet.extract(hdr.data);
        transition select(hdr.data.e) {
            kinds: special;
            7: seven;
            default: accept;
        }
    }
    state special { hdr.data.f = 1; transition accept; }
    state seven {
        transition select(hdr.data.g, hdr.data.h) {
            pairs: special;
            default: accept;
        }
    }
}

#include "../end.p4"
