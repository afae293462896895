// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way in: drop before the queue what the scheme drops.
//
// A drop in egress would come too late: the packet has already used its service slot. Ingress therefore judges by its own estimate
// of the queue that a packet meets (arrival_queue.p4). Its average must be moved by every arrival, admitted or not: an average
// that only departures move would stand still above max_th once the queue has drained, and nothing would ever be admitted again.
//
// Needs the policy and the egress port; leaves the packet's fate in `admitted`, and what it was judged by.

#ifndef MECN_AQM_ADMISSION_P4
#define MECN_AQM_ADMISSION_P4

control AqmAdmission(in aqm_policy_t policy,
                     in port_id_t port,
                     in queue_id_t queue,
                     in timestamp_t arrival,
                     in bit<32> packet_length,
                     in ecn_t ecn,
                     out qdepth_t depth,
                     out avg_qdepth_t avg,
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
        idle_time_t idle;
        bit<64> draw;

        arrival_qdepth.read(depth, (bit<32>)queue);
        if (policy.queue_limit != 0 && depth > policy.queue_limit) {
            depth = policy.queue_limit;
        }
        idle_time.apply(queue, depth, arrival, idle);
        arrival_average.apply(policy, queue, depth, idle, avg);
        random(draw, 0, 0xFFFF_FFFF_FFFF_FFFF);
        curve.apply(policy, queue, depth, avg, packet_length, draw[63:32], draw[31:0], signal);
        admitted = true;
        aqm_admission.apply();
        if (!admitted) {
            early_drop_stats.count((bit<32>)port);
        }
    }
}

#endif
