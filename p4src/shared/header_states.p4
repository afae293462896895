// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Ethernet with up to two VLAN tags; ARP, IPv4 with options, IPv6.
//
// Nothing is refused here: what cannot be read is left invalid, and ingress decides what becomes of the packet. That asks
// neither `verify` nor `reject` of a target.
//
// States to include in a parser that has `packet` and `hdr`; it begins with parse_ethernet, and adds parse_ipv4 (ipv4_states.p4),
// parse_ipv4_payload and parse_ipv6_payload. They are no parser of their own: at each call p4c makes the headers of an `out`
// argument invalid, one by one, and warns that those of an `inout` argument are.

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

    state parse_ipv6 {
        packet.extract(hdr.ipv6);
        transition parse_ipv6_payload;
    }
