// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Routing: what may be forwarded, where it goes, and what only the controller can answer.
//
// Runs behind HeaderCheck, and before policy and admission, which depend on the port that it picks. It says in `fate` what becomes
// of the packet:
//
// - dropped: what is neither IP nor ARP; a header that contradicts itself; no route; and what would be forwarded but has a
//   source that no packet from another network can have, or came in a frame for a group of stations (RFC 1812, sections
//   5.2.2, 5.3.4, 5.3.7; RFC 4291);
// - to the controller, as it arrived: ARP, what the routes say is the switch's own (its addresses, neighbour discovery and
//   other link-local groups), and packets whose time to live has run out (the answer is an ICMP error);
// - forwarded: with the next hop's MAC address and a time to live less by one. VLAN tags stay as they are.
//
// Which destinations are local, link-local or multicast is said by routes, which the controller writes, so it costs nothing here.

#ifndef MECN_FORWARDING_P4
#define MECN_FORWARDING_P4

control Forwarding(inout headers_t hdr,
                   in header_check_t check,
                   out port_id_t egress_port,
                   out fate_t fate,
                   out punt_reason_t reason) {
    mac_addr_t next_hop_src = 0;
    mac_addr_t next_hop_dst = 0;

    action forward(port_id_t port, mac_addr_t src_mac, mac_addr_t dst_mac) {
        fate = FATE_FORWARD;
        egress_port = port;
        next_hop_src = src_mac;
        next_hop_dst = dst_mac;
    }

    action to_controller() {
        fate = FATE_CONTROLLER;
        reason = PUNT_LOCAL;
    }

    action unroutable() {
        fate = FATE_DROP;
    }

    table ipv4_lpm {
        key = {
            hdr.ipv4.dst_addr: lpm @name("dst_addr");
        }
        actions = {
            forward;
            to_controller;
            unroutable;
        }
        const default_action = unroutable();
        size = IPV4_ROUTE_TABLE_SIZE;
    }

    table ipv6_lpm {
        key = {
            hdr.ipv6.dst_addr: lpm @name("dst_addr");
        }
        actions = {
            forward;
            to_controller;
            unroutable;
        }
        const default_action = unroutable();
        size = IPV6_ROUTE_TABLE_SIZE;
    }

    apply {
        egress_port = 0;
        fate = FATE_DROP;
        reason = PUNT_NONE;
        if (hdr.ipv4.isValid()) {
            ipv4_lpm.apply();
        } else if (hdr.ipv6.isValid()) {
            ipv6_lpm.apply();
        } else if (hdr.arp.isValid()) {
            fate = FATE_CONTROLLER;
            reason = PUNT_ARP;
        }
        if (check == CHECK_MALFORMED) {
            fate = FATE_DROP;
        } else if (fate == FATE_FORWARD) {
            if (check == CHECK_BARRED) {
                fate = FATE_DROP;
            } else if (check == CHECK_EXPIRED) {
                fate = FATE_CONTROLLER;
                reason = PUNT_EXPIRED;
            } else {
                hdr.ethernet.src_addr = next_hop_src;
                hdr.ethernet.dst_addr = next_hop_dst;
                if (hdr.ipv4.isValid()) {
                    hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
                } else {
                    hdr.ipv6.hop_limit = hdr.ipv6.hop_limit - 1;
                }
            }
        }
    }
}

#endif
