// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What an IP header by itself says about forwarding its packet, wherever that goes. Runs before Forwarding.

#ifndef MECN_HEADER_CHECK_P4
#define MECN_HEADER_CHECK_P4

control HeaderCheck(in headers_t hdr, out header_check_t check) {
    apply {
        check = CHECK_PASSED;
        if (hdr.ipv4.isValid()) {
            if (hdr.ipv4.version != 4 || ((bit<16>)hdr.ipv4.ihl << 2) > hdr.ipv4.total_len ||
                (hdr.ipv4.ihl != IPV4_MIN_IHL && !hdr.ipv4_options.isValid())) {
                check = CHECK_MALFORMED;
            } else if (hdr.ethernet.dst_addr[40:40] == 1 || hdr.ipv4.src_addr[31:24] == 0 ||
                       hdr.ipv4.src_addr[31:24] == 127 || hdr.ipv4.src_addr[31:29] == 7) {
                // This network, loopback, and from 224.0.0.0 on multicast, reserved, broadcast (RFC 1812, section 5.3.7).
                check = CHECK_BARRED;
            } else if (hdr.ipv4.ttl <= 1) {
                check = CHECK_EXPIRED;
            }
        } else if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.version != 6) {
                check = CHECK_MALFORMED;
            } else if (hdr.ethernet.dst_addr[40:40] == 1 || hdr.ipv6.src_addr[127:112] == 0 ||
                       hdr.ipv6.src_addr[127:118] == 0x3FA || hdr.ipv6.src_addr[127:120] == 0xFF) {
                // Unspecified, loopback and IPv4-mapped; link-local; multicast (RFC 4291, sections 2.5.2 to 2.5.6, 2.7). Nothing but
                // those is in ::/16.
                check = CHECK_BARRED;
            } else if (hdr.ipv6.hop_limit <= 1) {
                check = CHECK_EXPIRED;
            }
        }
    }
}

#endif
