// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header with its options. v1model verifies checksums in a control of its own, so `checksum_error` stays as it is.
//
// A header length below five words is malformed: nothing more is read, and ingress drops it.

#ifndef MECN_IPV4_PARSER_P4
#define MECN_IPV4_PARSER_P4

parser Ipv4Parser(packet_in packet, inout headers_t hdr, inout bit<1> checksum_error) {
    state start {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            IPV4_MIN_IHL: accept;
            0x0 &&& 0xC: accept;
            0x4: accept;
            default: parse_options;
        }
    }

    state parse_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - IPV4_MIN_IHL) << 5);
        transition accept;
    }
}

#endif
