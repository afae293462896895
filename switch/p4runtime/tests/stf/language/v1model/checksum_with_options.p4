// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Checksum over a header with varbit.

#define OWN_HEADERS
#define OWN_PARSER
#define OWN_VERIFY
#define OWN_COMPUTE
#include "../begin.p4"

header opt_t { bit<8> len; bit<8> pad; bit<16> sum; varbit<64> v; }
struct headers_t { data_t data; opt_t o; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.o, (bit<32>)(packet.lookahead<bit<8>>()) * 8);
        transition accept;
    }
}
control V(inout headers_t hdr, inout metadata_t meta) {
    apply { verify_checksum(hdr.o.isValid(), { hdr.o.len, hdr.o.pad, hdr.o.v }, hdr.o.sum, HashAlgorithm.csum16); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) { apply { hdr.data.e = (bit<8>)sm.checksum_error; } }
control C(inout headers_t hdr, inout metadata_t meta) {
    apply { update_checksum(true, { hdr.o.len, hdr.o.pad, hdr.o.v }, hdr.o.sum, HashAlgorithm.csum16); }
}

#include "../end.p4"
