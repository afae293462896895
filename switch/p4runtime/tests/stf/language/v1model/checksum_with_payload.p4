// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_HEADERS
#define OWN_PARSER
#define OWN_VERIFY
#define OWN_COMPUTE
#include "../begin.p4"

header sum_t { bit<16> c; bit<16> v; }
struct headers_t { data_t data; sum_t s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); packet.extract(hdr.s); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) {
    apply { verify_checksum_with_payload(true, { hdr.s.v }, hdr.s.c, HashAlgorithm.csum16); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { hdr.data.e = (bit<8>)sm.checksum_error; }
}
control C(inout headers_t hdr, inout metadata_t meta) {
    apply { update_checksum_with_payload(hdr.data.f == 1, { hdr.s.v }, hdr.s.c, HashAlgorithm.csum16); }
}

#include "../end.p4"
