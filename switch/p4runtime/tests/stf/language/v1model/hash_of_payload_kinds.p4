// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Hash over structs, headers, lists, bools and enums.

#define OWN_HEADERS
#define OWN_METADATA
#define OWN_PARSER
#include "../begin.p4"

enum bit<8> Kind { a = 0x31, b = 0x32 }
struct part_t { bit<8> x; Kind k; }
header text_t { bit<48> v; bit<8> w; }
struct headers_t { data_t data; text_t text; }
struct metadata_t { part_t p; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.data); packet.extract(hdr.text); transition accept; }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        meta.p = { 0x31, Kind.b };
        hash(hdr.data.c, HashAlgorithm.crc16, 16w0, { meta.p, hdr.text }, 32w0x10000);
        hash(hdr.data.d, HashAlgorithm.crc16, 16w0, { { meta.p }, hdr.text.v, hdr.text.w }, 32w0x10000);
        hash(hdr.data.a, HashAlgorithm.crc32, 32w0, { meta.p.x, Kind.b, hdr.text.v ++ hdr.text.w }, 64w0x100000000);
    }
}

#include "../end.p4"
