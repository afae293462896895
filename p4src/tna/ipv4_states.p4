// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// As shared/ipv4_states.p4, in a parser that has `checksum` and `meta`; it adds up the header while it reads.

    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        checksum.add(hdr.ipv4);
        transition select(hdr.ipv4.ihl) {
            IPV4_MIN_IHL: parse_ipv4_checksum;
            0x0 &&& 0xC: accept;
            0x4: accept;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - IPV4_MIN_IHL) << 5);
        checksum.add({ hdr.ipv4_options.options });
        transition parse_ipv4_checksum;
    }

    state parse_ipv4_checksum {
        meta.checksum_error = (bit<1>)checksum.verify();
        transition parse_ipv4_payload;
    }
