// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What follows an IP header: TCP or UDP. To include beside header_states.p4.
//
// A transport header that is cut off is no reason to drop: the first fragment of a datagram may end within it (RFC 791, section
// 3.2), and a router does not need it. IPv6 extension headers are payload to a router (RFC 8200, section 4), so a transport
// header is seen only directly behind the IPv6 header.

    // Only the first fragment has a transport header.
    state parse_ipv4_payload {
        transition select(hdr.ipv4.frag_offset, hdr.ipv4.protocol) {
            (0, IP_PROTO_TCP): parse_tcp;
            (0, IP_PROTO_UDP): parse_udp;
            default: accept;
        }
    }

    state parse_ipv6_payload {
        transition select(hdr.ipv6.next_header) {
            IP_PROTO_TCP: parse_tcp;
            IP_PROTO_UDP: parse_udp;
            default: accept;
        }
    }

    state parse_tcp {
        packet.extract(hdr.tcp);
        transition accept;
    }

    state parse_udp {
        packet.extract(hdr.udp);
        transition accept;
    }
