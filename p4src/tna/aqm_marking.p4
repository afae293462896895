// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way out: sample the queue, average, pick a level, mark. As in v1model, by cells.

#ifndef MECN_AQM_MARKING_P4
#define MECN_AQM_MARKING_P4

control AqmMarking(inout egress_metadata_t meta,
                   in bridged_policy_t policy,
                   in port_id_t port,
                   in queue_id_t queue,
                   in cells_t enq_qdepth,
                   in cells_t deq_qdepth,
                   inout ecn_t ecn) {
    Ewma() average;
    AqmCurve() curve;
    AqmVerdict() verdict;
    Counter<bit<64>, bit<11>>(MAX_MARKING_STATS, CounterType_t.PACKETS_AND_BYTES) marking_stats;

    apply {
        cells_t sample = enq_qdepth;
        avg_cells_t avg;
        signal_t signal;
        level_t level;
        bit<1> filtered = 0;

        if (policy.mark_point == (bit<8>)MARK_FRONT) {
            sample = deq_qdepth;
        }
        if (policy.profile_id != PROFILE_NONE && policy.actual_depth == 0) {
            filtered = 1;
        }
        average.apply(queue, sample, filtered, avg);
        curve.apply(policy.profile_id, queue, policy.spacing, policy.min_depth, sample, avg, meta.draws, signal);
        verdict.apply(policy.scheme, signal, ecn, level);
        if (policy.profile_id != PROFILE_NONE) {
            marking_stats.count(port ++ level);
        }
    }
}

#endif
