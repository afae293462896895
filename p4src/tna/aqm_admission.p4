// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way in: drop before the queue what the scheme drops.
//
// A drop in egress would come too late: the packet has already used its service slot. Ingress therefore averages the depth of which
// egress has told it, at every arrival, admitted or not: an average that only departures move would stand still above
// max_th once the queue has drained, and nothing would ever be admitted again.

#ifndef MECN_AQM_ADMISSION_P4
#define MECN_AQM_ADMISSION_P4

control AqmAdmission(in aqm_policy_t policy,
                     in port_id_t port,
                     in queue_id_t queue,
                     in coarse_time_t arrival,
                     in ecn_t ecn,
                     out bool admitted) {
    ReadDepth() read_depth;
    Ewma() arrival_average;
    AqmCurve() curve;
    Counter<bit<64>, port_id_t>(MAX_PORTS, CounterType_t.PACKETS_AND_BYTES) early_drop_stats;

    signal_t signal;

    action admit() {
        admitted = true;
    }

    action early_drop() {
        admitted = false;
        early_drop_stats.count(port);
    }

    table aqm_admission {
        key = {
            policy.scheme: exact @name("scheme");
            signal: exact @name("signal");
            ecn: exact @name("ecn");
        }
        actions = {
            admit;
            early_drop;
        }
        const default_action = admit();
        size = AQM_VERDICT_TABLE_SIZE;
    }

    apply {
        bit<32> depth;
        avg_cells_t avg;

        read_depth.apply(queue, arrival, depth);
        arrival_average.apply(queue, depth[18:0], policy.ewma_weight[32:32], avg);
        curve.apply(policy.profile_id, policy.min_depth, depth[18:0], avg, signal);
        admitted = true;
        aqm_admission.apply();
    }
}

#endif
