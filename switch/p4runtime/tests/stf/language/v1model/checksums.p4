// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The example of RFC 1071, section 3: 0001 f203 f4f5 f6f7 sum up to ddf2.

#define OWN_HEADERS
#define OWN_PARSER
#define OWN_VERIFY
#define OWN_COMPUTE
#include "../begin.p4"

header sum_t { bit<16> c; bit<64> v; }
struct headers_t { data_t data; sum_t s; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.s);
        transition accept;
    }
}
control V(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.s.isValid(), { hdr.s.v }, hdr.s.c, HashAlgorithm.csum16);
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hdr.data.e = (bit<8>)sm.checksum_error;
        if (hdr.data.f == 1) { hdr.s.v = hdr.s.v + 1; }
        if (hdr.data.f == 2) { hdr.s.setInvalid(); }
    }
}
control C(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.s.isValid() && hdr.data.g == 0, { hdr.s.v }, hdr.s.c, HashAlgorithm.csum16);
    }
}

#include "../end.p4"
