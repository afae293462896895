// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Wire formats, and the headers between switch and controller.

#ifndef MECN_HEADERS_P4
#define MECN_HEADERS_P4

const bit<16> ETHERTYPE_IPV4 = 0x0800;
const bit<16> ETHERTYPE_ARP = 0x0806;
const bit<16> ETHERTYPE_CUSTOMER_VLAN = 0x8100;
const bit<16> ETHERTYPE_SERVICE_VLAN = 0x88A8;
const bit<16> ETHERTYPE_IPV6 = 0x86DD;

const bit<4> IPV4_MIN_IHL = 5;
const int IPV4_MAX_OPTIONS_BITS = 320;

header ethernet_t {
    mac_addr_t dst_addr;
    mac_addr_t src_addr;
    bit<16> ether_type;
}

// IEEE 802.1Q, clause 9.6: customer tag (C-TAG) and service tag (S-TAG) alike.
header vlan_tag_t {
    bit<3> priority;
    bit<1> drop_eligible;
    bit<12> vlan_id;
    bit<16> ether_type;
}

// RFC 826, without the addresses
header arp_t {
    bit<16> hardware_type;
    bit<16> protocol_type;
    bit<8> hardware_addr_len;
    bit<8> protocol_addr_len;
    bit<16> opcode;
}

// RFC 791; the second octet is split into DSCP (RFC 2474) and ECN (RFC 3168).
header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<6> dscp;
    ecn_t ecn;
    bit<16> total_len;
    bit<16> identification;
    bit<3> flags;
    bit<13> frag_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> hdr_checksum;
    ipv4_addr_t src_addr;
    ipv4_addr_t dst_addr;
}

// RFC 791, section 3.1: what an IPv4 header holds beyond its first five words
header ipv4_options_t {
    varbit<(IPV4_MAX_OPTIONS_BITS)> options;
}

// RFC 8200, section 3; the traffic class is split like IPv4's second octet.
header ipv6_t {
    bit<4> version;
    bit<6> dscp;
    ecn_t ecn;
    bit<20> flow_label;
    bit<16> payload_len;
    bit<8> next_header;
    bit<8> hop_limit;
    ipv6_addr_t src_addr;
    ipv6_addr_t dst_addr;
}

// What P4Info says of these headers. p4c's back end for Tofino warns of the annotation, which it does not know.
#ifdef __TARGET_TOFINO__
#define CONTROLLER_HEADER(name)
#else
#define CONTROLLER_HEADER(name) @controller_header(name)
#endif

// Goes before a frame on its way to the controller. The frame is as it arrived.
CONTROLLER_HEADER("packet_in")
header packet_in_t {
    bit<16> ingress_port;
    punt_reason_t reason;
}

// Goes before a frame from the controller. The frame leaves as it is.
CONTROLLER_HEADER("packet_out")
header packet_out_t {
    bit<16> egress_port;
}

#endif
