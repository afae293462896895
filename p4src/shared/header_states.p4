// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Ethernet with up to two VLAN tags; ARP, IPv4 with options, IPv6; TCP or UDP.
//
// Nothing is refused here: what cannot be read is left invalid, and ingress decides what becomes of the packet. That asks
// neither `verify` nor `reject` of a target. A transport header that is cut off is no reason to drop: the first fragment of a
// datagram may end within it (RFC 791, section 3.2), and a router does not need it. IPv6 extension headers are payload to a
// router (RFC 8200, section 4), so a transport header is seen only directly behind the IPv6 header.
//
// States to include in a parser that has `packet` and `hdr`; it begins with parse_ethernet and has parse_ipv4, which ends in
// parse_ipv4_payload. They are no parser of their own: at each call p4c makes the headers of an `out` argument invalid, one by
// one, and warns that those of an `inout` argument are.

    state parse_ethernet {
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

    // Only the first fragment has a transport header.
    state parse_ipv4_payload {
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
