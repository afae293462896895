// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Check values over the nine bytes "123456789" are from the catalogue of parametrised CRC algorithms.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header text_t { bit<72> v; }
struct headers_t { data_t data; text_t text; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); packet.extract(hdr.text); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        hash(hdr.data.a, HashAlgorithm.crc32, 32w0, { hdr.text.v }, 64w0x100000000);
        hash(hdr.data.c, HashAlgorithm.crc16, 16w0, { hdr.text.v }, 32w0x10000);
        hash(hdr.data.d, HashAlgorithm.identity, 16w0, { 8w0x12, hdr.text.v[71:64] }, 32w0x10000);
        hash(hdr.data.b[31:16], HashAlgorithm.csum16, 16w0, { 16w0x1234, 16w0xF000 }, 32w0x10000);
        hash(hdr.data.b[15:0], HashAlgorithm.xor16, 16w0, { 16w0x1234, 8w0x56, 8w0x78 }, 32w0x10000);
        hash(hdr.data.e, HashAlgorithm.crc32, 8w10, { hdr.text.v }, 8w5);
    }
}

#include "../end.p4"
