// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Number formats of Tofino, and the headers that packets carry from one of its pipelines to the other.

#ifndef MECN_TNA_TYPES_P4
#define MECN_TNA_TYPES_P4

// Queue depth in cells: 80 bytes on Tofino 1, 176 on Tofino 2. 19 bits that stand in a container of 32.
typedef bit<32> cells_t;

// Average queue depth in cells, unsigned Q17.3, 20 bits wide: no range in a key can be wider. It stands in a container of 32.
typedef bit<32> avg_cells_t;
typedef bit<20> avg_key_t;
const avg_cells_t AVG_CELLS_MAX = 0xFFFFF;

// Probability p as p * 2^16, 0 to 2^16 - 1, compared with a uniform draw of 16 bits: draw < p.
typedef bit<16> step_probability_t;

// One draw of a congestion level.
struct draw_t {
    step_probability_t number;           // independent: uniform on 0 to 2^16 - 1
    bit<32> gap;                         // spaced: the same; spacing wait adds 2^16
    bit<32> chance;                      // spaced: p * 2^16
    bit<16> above;                       // fires unless this is 0
}
struct draws_t {
    draw_t moderate;
    draw_t incipient;
}

// Time in units of 65.536 microseconds: the upper 32 bits of a timestamp, which are a container of their own.
typedef bit<32> coarse_time_t;
const coarse_time_t REFRESH_AFTER = 256; // 17 ms; a power of two
const coarse_time_t STALE_AFTER = 512;   // 34 ms

// What comes before a packet in egress.
const bit<8> BEFORE_PACKET = 1;
const bit<8> BEFORE_FEEDBACK = 2;

// The policy on its way from ingress to egress: looked up once, so that no packet is admitted under one and marked under another.
// Whole octets: p4c finds no containers for flags that are computed apart and sent together.
header bridged_policy_t {
    bit<8> kind;
    scheme_id_t scheme;
    profile_id_t profile_id;
    bit<8> mark_point;
    bit<8> spacing;
    bit<8> actual_depth;                 // 1: judge by the depth itself, not by its average (w = 1)
    bit<32> min_depth;                   // cells
}

// The depth of a queue on its way from egress to ingress, in a mirrored packet of its own.
header depth_feedback_t {
    bit<8> kind;
    bit<8> pad;
    bit<16> queue;
    bit<32> depth;                       // cells
}
const MirrorType_t MIRROR_DEPTH_FEEDBACK = 1;
// Set up by the control plane: leads to the recirculation port of every pipe, cut to 64 bytes.
const MirrorId_t DEPTH_FEEDBACK_SESSION = 1;

// In the order in which they are sent.
struct headers_t {
    depth_feedback_t feedback;
    bridged_policy_t bridged;
    packet_in_t packet_in;
    packet_out_t packet_out;
    ethernet_t ethernet;
    vlan_tag_t vlan;
    vlan_tag_t inner_vlan;
    arp_t arp;
    ipv4_t ipv4;
    ipv4_options_t ipv4_options;
    ipv6_t ipv6;
}

struct ingress_metadata_t {
    bit<1> checksum_error;
    coarse_time_t now;
    draws_t draws;
}

struct egress_metadata_t {
    coarse_time_t now;
    cells_t step;
    draws_t draws;
    // Of a mirrored packet: where it goes, and its header.
    MirrorId_t feedback_session;
    bit<8> feedback_kind;
    bit<8> feedback_pad;
    bit<16> feedback_queue;
    cells_t feedback_depth;
}

#endif
