// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What the control plane is told of each port, once a period: one digest of the packets, the queue and the flows of the period.
//
// The period is the policy's, and ends with the first packet that arrives when it is over; that packet belongs to the next. An idle
// port says nothing. Digests can only be sent from ingress; what happened to packets that left is counted by egress in
// registers that ingress reads and clears.
//
// Flows are counted by linear counting (Whang, Vander-Zanden and Taylor 1990): each flow sets one of 1024 bits of its port's and
// class's bitmap, and the number of bits that were set goes into the report. A word of the bitmap carries the period that it
// is for: nothing has to be cleared, and no period sees a flow of the last one.

#ifndef MECN_PORT_REPORT_P4
#define MECN_PORT_REPORT_P4

// Packets of the current period; index: port ++ level. Written by ingress and egress.
register<bit<32>>(MAX_MARKING_STATS) period_packets;

struct port_report_t {
    port_id_t port;
    timestamp_t begin;                   // first and last instant of the period, microseconds
    timestamp_t end;
    avg_q16_t avg_qdepth;                // average over arrivals at its end, packets, Q16.16
    qdepth_t min_qdepth;                 // shallowest and deepest queue that a packet met, packets
    qdepth_t max_qdepth;
    bit<32> passed;                      // packets that left unmarked, with a mark; that were dropped before the queue
    bit<32> incipient;
    bit<32> ce;
    bit<32> early_drop;
    bit<16> active_0;                    // bits set by the flows of each RTT class, of 1024
    bit<16> active_1;
    bit<16> active_2;
    bit<16> active_3;
}

control CountInPeriod(in port_id_t port, in level_t level) {
    apply {
        bit<32> packets;
        @atomic {
            period_packets.read(packets, (bit<32>)(port ++ level));
            packets = packets + 1;
            period_packets.write((bit<32>)(port ++ level), packets);
        }
    }
}

control PortReport(in aqm_policy_t policy,
                   in port_id_t port,
                   in timestamp_t now,
                   in qdepth_t depth,
                   in avg_qdepth_t avg,
                   in bool admitted,
                   in flow_hash_t flow,
                   in rtt_class_t rtt_class) {
    CountInPeriod() count_early_drop;
    register<timestamp_t>(MAX_PORTS) period_begin;
    register<bit<32>>(MAX_PORTS) period_qdepth;           // deepest ++ shallowest
    register<bit<64>>(ACTIVE_MAP_WORDS) active_map;       // begin of the period, low 32 bits ++ 32 bits of the map
    register<bit<16>>(MAX_RTT_CLASS_STATS) active_bits;   // bits that are set; index: port ++ class

    apply {
        timestamp_t begin;
        bit<32> qdepth;

        period_begin.read(begin, (bit<32>)port);
        if (begin == 0 || now - begin >= (timestamp_t)policy.report_period) {
            port_report_t report;

            period_qdepth.read(qdepth, (bit<32>)port);
            report.port = port;
            report.begin = begin;
            report.end = now;
            report.avg_qdepth = avg[63:32];
            report.min_qdepth = qdepth[15:0];
            report.max_qdepth = qdepth[31:16];
            // Egress, other threads in BMv2, goes on counting.
            @atomic {
                period_packets.read(report.passed, (bit<32>)(port ++ LEVEL_PASSED));
                period_packets.read(report.incipient, (bit<32>)(port ++ LEVEL_INCIPIENT));
                period_packets.read(report.ce, (bit<32>)(port ++ LEVEL_CE));
                period_packets.read(report.early_drop, (bit<32>)(port ++ LEVEL_EARLY_DROP));
                period_packets.write((bit<32>)(port ++ LEVEL_PASSED), 0);
                period_packets.write((bit<32>)(port ++ LEVEL_INCIPIENT), 0);
                period_packets.write((bit<32>)(port ++ LEVEL_CE), 0);
                period_packets.write((bit<32>)(port ++ LEVEL_EARLY_DROP), 0);
            }
            active_bits.read(report.active_0, (bit<32>)(port ++ 2w0));
            active_bits.read(report.active_1, (bit<32>)(port ++ 2w1));
            active_bits.read(report.active_2, (bit<32>)(port ++ 2w2));
            active_bits.read(report.active_3, (bit<32>)(port ++ 2w3));
            active_bits.write((bit<32>)(port ++ 2w0), 0);
            active_bits.write((bit<32>)(port ++ 2w1), 0);
            active_bits.write((bit<32>)(port ++ 2w2), 0);
            active_bits.write((bit<32>)(port ++ 2w3), 0);
            // The first period begins with the first packet; there is nothing to say of what was before.
            if (begin != 0) {
                digest<port_report_t>(1, report);
            }
            begin = now;
            period_begin.write((bit<32>)port, begin);
            period_qdepth.write((bit<32>)port, depth ++ depth);
        } else {
            period_qdepth.read(qdepth, (bit<32>)port);
            if (depth > qdepth[31:16]) {
                period_qdepth.write((bit<32>)port, depth ++ qdepth[15:0]);
            } else if (depth < qdepth[15:0]) {
                period_qdepth.write((bit<32>)port, qdepth[31:16] ++ depth);
            }
        }
        if (!admitted) {
            count_early_drop.apply(port, LEVEL_EARLY_DROP);
        }
        if (policy.flow_classes == 1) {
            bit<32> word = (bit<32>)(port ++ rtt_class ++ flow[9:5]);
            bit<64> map;
            bit<16> bits;
            bit<64> bit_of_flow = (bit<64>)1 << (bit<8>)flow[4:0];

            active_map.read(map, word);
            if (map[63:32] != begin[31:0]) {
                map = begin[31:0] ++ 32w0;
            }
            if ((map & bit_of_flow) == 0) {
                active_map.write(word, map | bit_of_flow);
                active_bits.read(bits, (bit<32>)(port ++ rtt_class));
                bits = bits + 1;
                active_bits.write((bit<32>)(port ++ rtt_class), bits);
            }
        }
    }
}

#endif
