// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Sizes and number formats that only v1model has.

#ifndef MECN_V1MODEL_TYPES_P4
#define MECN_V1MODEL_TYPES_P4

const int AQM_CURVE_TABLE_SIZE = 4096;        // segments of all profiles together
const int AQM_RTT_CLASS_TABLE_SIZE = 1024;    // ranges of round-trip time of all profiles together
const int AQM_CLASS_CURVE_TABLE_SIZE = 1024;  // (profile, RTT class) pairs
const int FLOW_SLOTS = 65536;                 // connections whose handshake is timed or whose class is known
const int RTT_CLASSES = 4;
const int MAX_RTT_CLASS_STATS = MAX_PORTS * RTT_CLASSES;
const int ACTIVE_MAP_WORDS = MAX_RTT_CLASS_STATS * 32;

const bit<19> QDEPTH_MAX = 65535;             // of qdepth_t

// Average queue depth in packets, unsigned Q16.48: 48 fraction bits, of which the update keeps 2^-16 of the
// difference between sample and average. That bounds the distance to the real-valued recurrence.
typedef bit<64> avg_qdepth_t;
typedef bit<32> avg_q16_t;               // the same, cut to Q16.16, for the arithmetic on a curve
typedef bit<24> avg_q8_t;                // the same, cut to Q16.8, as key of a curve

// Time in microseconds, as v1model's timestamps.
typedef bit<48> timestamp_t;
typedef bit<28> idle_time_t;             // saturates at 268 s

// Probability p as p * 2^32, 0 to 2^32, compared with a uniform draw of 32 bits: draw < p.
typedef bit<33> probability_t;
typedef bit<32> draw_t;

// Byte mode, of byte_scale_t
const bit<64> SIZE_RATIO_MAX = 0x7FFF_FFFF;
const bit<64> LENGTH_MAX = 65535;        // longer packets count as this long

typedef bit<32> flow_hash_t;             // of addresses, protocol and ports; the same in both directions
typedef bit<2> rtt_class_t;
const rtt_class_t RTT_CLASS_UNKNOWN = 0; // not TCP, or its handshake was not seen

// Round-trip time as key of a class, in steps of 16 microseconds; saturates at 16.8 s.
typedef bit<20> rtt_t;

const level_t LEVEL_EARLY_DROP = 3;      // it did not leave; in reports only

#endif
