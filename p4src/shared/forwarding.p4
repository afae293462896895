// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Routing: longest prefix match on the destination, next hop's MAC address, time to live.
//
// Runs first in ingress: admission and policy depend on the port that it picks. `routed` is false when the packet has nowhere to
// go: no route, or a time to live that has run out (RFC 1812, section 5.3.1).

#ifndef MECN_FORWARDING_P4
#define MECN_FORWARDING_P4

control Forwarding(inout headers_t hdr, out port_id_t egress_port, out bool routed) {
    action forward(port_id_t port, mac_addr_t src_mac, mac_addr_t dst_mac) {
        egress_port = port;
        routed = true;
        hdr.ethernet.src_addr = src_mac;
        hdr.ethernet.dst_addr = dst_mac;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    action unroutable() {
        routed = false;
    }

    table ipv4_lpm {
        key = {
            hdr.ipv4.dst_addr: lpm @name("dst_addr");
        }
        actions = {
            forward;
            unroutable;
        }
        const default_action = unroutable();
        size = ROUTE_TABLE_SIZE;
    }

    apply {
        egress_port = 0;
        routed = false;
        if (hdr.ipv4.isValid() && hdr.ipv4.ttl > 1) {
            ipv4_lpm.apply();
        }
    }
}

#endif
