// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Ethernet with up to two VLAN tags; ARP, IPv4 with options, IPv6; TCP or UDP.
//
// Nothing is refused here: what cannot be read is left invalid, and ingress decides what becomes of the packet. That asks
// neither `verify` nor `reject` of a target. A transport header that is cut off is no reason to drop: the first fragment of a
// datagram may end within it (RFC 791, section 3.2), and a router does not need it. IPv6 extension headers are payload to a
// router (RFC 8200, section 4), so a transport header is seen only directly behind the IPv6 header.

#ifndef MECN_PARSER_P4
#define MECN_PARSER_P4

parser HeaderParser(packet_in packet, inout headers_t hdr) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_ARP: parse_arp;
            ETHERTYPE_CUSTOMER_VLAN: parse_vlan;
            ETHERTYPE_SERVICE_VLAN: parse_vlan;
            default: accept;
        }
    }

    state parse_vlan {
        packet.extract(hdr.vlan);
        transition select(hdr.vlan.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_ARP: parse_arp;
            ETHERTYPE_CUSTOMER_VLAN: parse_inner_vlan;
            default: accept;
        }
    }

    state parse_inner_vlan {
        packet.extract(hdr.inner_vlan);
        transition select(hdr.inner_vlan.ether_type) {
            ETHERTYPE_IPV4: parse_ipv4;
            ETHERTYPE_IPV6: parse_ipv6;
            ETHERTYPE_ARP: parse_arp;
            default: accept;
        }
    }

    state parse_arp {
        packet.extract(hdr.arp);
        transition accept;
    }

    // Only the first fragment has a transport header. A header length below five words is malformed: ingress drops it.
    state parse_ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.frag_offset, hdr.ipv4.protocol) {
            (IPV4_MIN_IHL, 0, IP_PROTO_TCP): parse_tcp;
            (IPV4_MIN_IHL, 0, IP_PROTO_UDP): parse_udp;
            (IPV4_MIN_IHL, _, _): accept;
            (0x0 &&& 0xC, _, _): accept;
            (0x4, _, _): accept;
            default: parse_ipv4_options;
        }
    }

    state parse_ipv4_options {
        packet.extract(hdr.ipv4_options, (bit<32>)(hdr.ipv4.ihl - IPV4_MIN_IHL) << 5);
        transition select(hdr.ipv4.frag_offset, hdr.ipv4.protocol) {
            (0, IP_PROTO_TCP): parse_tcp;
            (0, IP_PROTO_UDP): parse_udp;
            default: accept;
        }
    }

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
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
}

#endif
