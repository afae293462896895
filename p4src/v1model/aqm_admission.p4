// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way in: drop before the queue what the scheme drops.
//
// A drop in egress would come too late: the packet has already used its service slot. Ingress therefore keeps its own estimate of
// the queue that a packet meets: egress sets it to the true depth at each departure, and each admitted packet adds
// one. Its average must be moved by every arrival, admitted or not: an average that only departures move would stand still
// above max_th once the queue has drained, and nothing would ever be admitted again.
//
// Needs the policy and the egress port; leaves the packet's fate in `admitted`.

#ifndef MECN_AQM_ADMISSION_P4
#define MECN_AQM_ADMISSION_P4

// Depth that the next packet will meet, packets. Written by ingress and egress, hence not an instance of either.
register<qdepth_t>(MAX_QUEUES) arrival_qdepth;

control AqmAdmission(in aqm_policy_t policy,
                     in port_id_t port,
                     in queue_id_t queue,
                     in timestamp_t arrival,
                     in ecn_t ecn,
                     out bool admitted) {
    IdleTime() idle_time;
    Ewma() arrival_average;
    AqmCurve() curve;
    counter(MAX_PORTS, CounterType.packets_and_bytes) early_drop_stats;

    signal_t signal;

    action admit() {
        admitted = true;
    }

    action early_drop() {
        admitted = false;
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
        qdepth_t depth;
        idle_time_t idle;
        avg_qdepth_t avg;
        bit<64> draw;

        arrival_qdepth.read(depth, (bit<32>)queue);
        idle_time.apply(queue, depth, arrival, idle);
        arrival_average.apply(policy, queue, depth, idle, avg);
        random(draw, 0, 0xFFFF_FFFF_FFFF_FFFF);
        curve.apply(policy, queue, depth, avg, draw[63:32], draw[31:0], signal);
        admitted = true;
        aqm_admission.apply();
        if (admitted) {
            arrival_qdepth.write((bit<32>)queue, depth |+| 1);
        } else {
            early_drop_stats.count((bit<32>)port);
        }
    }
}

#endif
