// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Sizes, number formats and codepoints that the data plane, the control plane and the tests agree on.

#ifndef MECN_TYPES_P4
#define MECN_TYPES_P4

typedef bit<48> mac_addr_t;
typedef bit<32> ipv4_addr_t;
typedef bit<128> ipv6_addr_t;

// ---- Forwarding --------------------------------------------------------------------------------

// What becomes of a packet.
typedef bit<2> fate_t;
const fate_t FATE_DROP = 0;
const fate_t FATE_FORWARD = 1;
const fate_t FATE_CONTROLLER = 2;

// What an IP header by itself says about forwarding its packet.
typedef bit<2> header_check_t;
const header_check_t CHECK_PASSED = 0;
const header_check_t CHECK_EXPIRED = 1;      // time to live or hop limit has run out
const header_check_t CHECK_BARRED = 2;       // its source or the frame's destination forbids it
const header_check_t CHECK_MALFORMED = 3;    // not forwarded, and not for the controller either

// Why the controller gets a packet.
typedef bit<8> punt_reason_t;
const punt_reason_t PUNT_NONE = 0;
const punt_reason_t PUNT_LOCAL = 1;      // for the switch itself, or for a link-local group
const punt_reason_t PUNT_EXPIRED = 2;    // time to live or hop limit has run out
const punt_reason_t PUNT_ARP = 3;

// ---- Table and register sizes ------------------------------------------------------------------

const int AQM_PORT_TABLE_SIZE = 2048;    // (egress port, DSCP class) pairs
const int AQM_VERDICT_TABLE_SIZE = 512;  // (scheme, signal, ECN codepoint) triples
const int MAX_PORTS = 512;
const int MAX_QUEUES = 4096;             // MAX_PORTS with eight priorities each
const int MAX_MARKING_STATS = 2048;      // MAX_PORTS with four congestion levels each

// ---- Queues ------------------------------------------------------------------------------------

typedef bit<9> port_id_t;
typedef bit<12> queue_id_t;              // port ++ priority

typedef bit<16> qdepth_t;                // packets; deeper queues count as the largest

// EWMA weight w as w * 2^32, 0 to 2^32; 2^32 is w = 1, the actual depth.
typedef bit<33> ewma_weight_t;

// Mean time that a packet takes on the link, microseconds.
typedef bit<32> service_time_t;

// How fast the average of an idle queue falls: log2(1 / (1 - w)) / mean service time, for each microsecond, times 2^40.
typedef bit<36> idle_decay_t;

// Byte mode: 2^32 / mean packet size in bytes. A packet's probability is multiplied by its length over the mean size, in
// unsigned Q7.24; a packet 128 times the mean size or longer counts as 2^-24 less than that.
typedef bit<33> byte_scale_t;

// ---- Flows and reports -------------------------------------------------------------------------

typedef bit<1> flow_classes_t;

typedef bit<32> report_period_t;         // microseconds; 0: no reports

// ---- Congestion --------------------------------------------------------------------------------

// ECN field of the IP header (RFC 3168, section 5). As a multi-level mark ECT(1) means incipient congestion and
// CE moderate congestion; the order of levels is Not-ECT, ECT(0) < ECT(1) < CE.
typedef bit<2> ecn_t;
const ecn_t ECN_NOT_ECT = 0b00;
const ecn_t ECN_ECT_1 = 0b01;
const ecn_t ECN_ECT_0 = 0b10;
const ecn_t ECN_CE = 0b11;

// What the average says about a packet, before the policy decides what to do about it.
typedef bit<2> signal_t;
const signal_t SIGNAL_NONE = 0;
const signal_t SIGNAL_INCIPIENT = 1;     // drawn with p1 between min_th and max_th
const signal_t SIGNAL_MODERATE = 2;      // drawn with p2 between mid_th (ECN: min_th) and max_th
const signal_t SIGNAL_SEVERE = 3;        // certain, at or above max_th

// What was done to a packet that left; index of the marking statistics.
typedef bit<2> level_t;
const level_t LEVEL_PASSED = 0;
const level_t LEVEL_INCIPIENT = 1;
const level_t LEVEL_CE = 2;

typedef bit<1> mark_point_t;
const mark_point_t MARK_TAIL = 0;        // judge by the depth that the packet met when it arrived
const mark_point_t MARK_FRONT = 1;       // judge by the depth that it leaves behind

typedef bit<2> spacing_t;
const spacing_t SPACING_INDEPENDENT = 0; // each packet is drawn by itself
const spacing_t SPACING_UNIFORM = 1;     // gaps of 1 to 1/p packets: RED as published
const spacing_t SPACING_WAIT = 2;        // gaps of 1/p to 2/p packets: RED in ns-2, by default

typedef bit<16> profile_id_t;
typedef bit<8> scheme_id_t;

const profile_id_t PROFILE_NONE = 0;     // no active queue management

// The policy that a packet lives under. It is looked up once, on arrival, and travels with the packet, so that no
// packet is admitted under one policy and marked under another.
struct aqm_policy_t {
    profile_id_t profile_id;             // which curve; 0: no active queue management
    scheme_id_t scheme;                  // which rows of the admission and verdict tables
    mark_point_t mark_point;
    spacing_t spacing;
    qdepth_t min_depth;                  // no signal at a shallower queue, whatever its average
    ewma_weight_t ewma_weight;
    bit<1> actual_depth;                 // 1: the weight is 1, so that the average is the depth itself
    service_time_t service_time;         // mean time that a packet takes on the link; 0 with idle_decay 0 if not known
    idle_decay_t idle_decay;             // 0: the average stands still while the queue is idle
    qdepth_t queue_limit;                // what the queue holds, packets; 0: not known
    byte_scale_t byte_scale;             // 0: probabilities do not depend on packet length
    report_period_t report_period;
    flow_classes_t flow_classes;         // 1: time handshakes, and choose the curve by RTT class
}

#endif
