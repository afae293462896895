// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What an IP header by itself says about forwarding its packet, wherever that goes. As in v1model, but as tables: conditions
// over this much of a header are more than a gateway can do.

#ifndef MECN_HEADER_CHECK_P4
#define MECN_HEADER_CHECK_P4

control HeaderCheck(in headers_t hdr, out header_check_t check) {
    action set_check(header_check_t result) {
        check = result;
    }

    // The total length counts the header. Sources: this network, loopback, and from 224.0.0.0 on multicast, reserved, broadcast.
    table ipv4_check {
        key = {
            hdr.ipv4.version: ternary;
            hdr.ipv4.ihl: ternary;
            hdr.ipv4.total_len: range;
            hdr.ethernet.dst_addr[40:40]: ternary @name("group");
            hdr.ipv4.src_addr[31:24]: ternary @name("network");
            hdr.ipv4.ttl: ternary;
        }
        actions = {
            set_check;
        }
        const entries = {
            (_, 0x0 &&& 0xC, _, _, _, _): set_check(CHECK_MALFORMED);
            (_, 4, _, _, _, _): set_check(CHECK_MALFORMED);
            (_, 5, 0 .. 19, _, _, _): set_check(CHECK_MALFORMED);
            (_, 6, 0 .. 23, _, _, _): set_check(CHECK_MALFORMED);
            (_, 7, 0 .. 27, _, _, _): set_check(CHECK_MALFORMED);
            (_, 8, 0 .. 31, _, _, _): set_check(CHECK_MALFORMED);
            (_, 9, 0 .. 35, _, _, _): set_check(CHECK_MALFORMED);
            (_, 10, 0 .. 39, _, _, _): set_check(CHECK_MALFORMED);
            (_, 11, 0 .. 43, _, _, _): set_check(CHECK_MALFORMED);
            (_, 12, 0 .. 47, _, _, _): set_check(CHECK_MALFORMED);
            (_, 13, 0 .. 51, _, _, _): set_check(CHECK_MALFORMED);
            (_, 14, 0 .. 55, _, _, _): set_check(CHECK_MALFORMED);
            (_, 15, 0 .. 59, _, _, _): set_check(CHECK_MALFORMED);
            (4, _, _, 1, _, _): set_check(CHECK_BARRED);
            (4, _, _, _, 0, _): set_check(CHECK_BARRED);
            (4, _, _, _, 127, _): set_check(CHECK_BARRED);
            (4, _, _, _, 0xE0 &&& 0xE0, _): set_check(CHECK_BARRED);
            (4, _, _, _, _, 0 &&& 0xFE): set_check(CHECK_EXPIRED);
            (4, _, _, _, _, _): set_check(CHECK_PASSED);
        }
        const default_action = set_check(CHECK_MALFORMED);
        size = 19;
    }

    // Sources: unspecified, loopback and IPv4-mapped, which are all that is in ::/16; link-local; multicast.
    table ipv6_check {
        key = {
            hdr.ipv6.version: ternary;
            hdr.ethernet.dst_addr[40:40]: ternary @name("group");
            hdr.ipv6.src_addr[127:112]: ternary @name("prefix");
            hdr.ipv6.hop_limit: ternary;
        }
        actions = {
            set_check;
        }
        const entries = {
            (6, 1, _, _): set_check(CHECK_BARRED);
            (6, _, 0, _): set_check(CHECK_BARRED);
            (6, _, 0xFE80 &&& 0xFFC0, _): set_check(CHECK_BARRED);
            (6, _, 0xFF00 &&& 0xFF00, _): set_check(CHECK_BARRED);
            (6, _, _, 0 &&& 0xFE): set_check(CHECK_EXPIRED);
            (6, _, _, _): set_check(CHECK_PASSED);
        }
        const default_action = set_check(CHECK_MALFORMED);
        size = 6;
    }

    apply {
        check = CHECK_PASSED;
        if (hdr.ipv4.isValid()) {
            ipv4_check.apply();
        } else if (hdr.ipv6.isValid()) {
            ipv6_check.apply();
        }
    }
}

#endif
