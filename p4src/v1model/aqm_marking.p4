// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way out: sample the queue, average, pick a level, mark.
//
// Both samples are known here, and packets pass in the order in which they were queued. Mark-tail judges a packet by what it met
// when it arrived (enq_qdepth), mark-front by what it leaves behind (deq_qdepth), which reaches the sender sooner by the time
// that the packet was queued (Liu and Jain, section 1).

#ifndef MECN_AQM_MARKING_P4
#define MECN_AQM_MARKING_P4

control AqmMarking(in aqm_policy_t policy,
                   in port_id_t port,
                   in queue_id_t queue,
                   in timestamp_t arrival,
                   in qdepth_t enq_qdepth,
                   in qdepth_t deq_qdepth,
                   in bit<32> packet_length,
                   inout ecn_t ecn) {
    IdleTime() idle_time;
    Ewma() average;
    AqmCurve() curve;
    AqmVerdict() verdict;
    CountInPeriod() count_in_period;
    counter(MAX_MARKING_STATS, CounterType.packets_and_bytes) marking_stats;

    apply {
        qdepth_t sample = enq_qdepth;
        idle_time_t idle;
        avg_qdepth_t avg;
        bit<64> draw;
        signal_t signal;
        level_t level;

        if (policy.mark_point == MARK_FRONT) {
            sample = deq_qdepth;
        }
        idle_time.apply(queue, enq_qdepth, arrival, idle);
        average.apply(policy, queue, sample, idle, avg);
        random(draw, 0, 0xFFFF_FFFF_FFFF_FFFF);
        curve.apply(policy, queue, sample, avg, packet_length, draw[63:32], draw[31:0], signal);
        verdict.apply(policy.scheme, signal, ecn, level);
        marking_stats.count((bit<32>)(port ++ level));
        if (policy.report_period != 0) {
            count_in_period.apply(port, level);
        }
    }
}

#endif
