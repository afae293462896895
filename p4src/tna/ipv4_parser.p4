// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header with its options, and its checksum. A header length below five words is malformed: nothing more is read,
// and ingress drops it.

#ifndef MECN_IPV4_PARSER_P4
#define MECN_IPV4_PARSER_P4

parser Ipv4Parser(packet_in packet, inout headers_t hdr, inout bit<1> checksum_error) {
    Checksum() checksum;

    state start {
        packet.extract(hdr.ipv4);
        checksum.add(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            IPV4_MIN_IHL: parse_no_options;
            0x0 &&& 0xC: accept;
            0x4: accept;
            default: parse_options;
        }
    }

    state parse_no_options {
        checksum_error = (bit<1>)checksum.verify();
        transition accept;
    }

    state parse_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - IPV4_MIN_IHL) << 5);
        checksum.add({ hdr.ipv4_options.options });
        checksum_error = (bit<1>)checksum.verify();
        transition accept;
    }
}

#endif
