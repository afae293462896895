// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The IPv4 header with its options; to include beside header_states.p4. A header length below five words is malformed: nothing
// more is read, and ingress drops it.

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            IPV4_MIN_IHL: parse_ipv4_payload;
            0x0 &&& 0xC: accept;
            0x4: accept;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - IPV4_MIN_IHL) << 5);
        transition parse_ipv4_payload;
    }
