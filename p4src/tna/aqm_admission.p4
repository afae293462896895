// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Active queue management on the way in: drop before the queue what the scheme drops.
//
// A drop in egress would come too late: the packet has already used its service slot. Ingress therefore averages the depth of which
// egress has told it, at every arrival, admitted or not: an average that only departures move would stand still above
// max_th once the queue has drained, and nothing would ever be admitted again.

#ifndef MECN_AQM_ADMISSION_P4
#define MECN_AQM_ADMISSION_P4

control AqmAdmission(in fate_t fate,
                     in aqm_policy_t policy,
                     in port_id_t port,
                     inout ingress_metadata_t meta,
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
        cells_t depth;
        avg_cells_t avg;
        bit<1> filtered = 0;
        bit<8> spacing = 0;

        // Only what may go to the queue moves the average and the spaced draws.
        if (fate == FATE_FORWARD) {
            spacing = (bit<8>)policy.spacing;
        }
        if (fate == FATE_FORWARD && policy.profile_id != PROFILE_NONE && policy.actual_depth == 0) {
            filtered = 1;
        }
        read_depth.apply(port, meta, depth);
        arrival_average.apply(port ++ 3w0, depth, filtered, avg);
        curve.apply(policy.profile_id,
                    port ++ 3w0,
                    spacing,
                    (cells_t)policy.min_depth,
                    depth,
                    avg,
                    meta.draws,
                    signal);
        admitted = true;
        if (fate == FATE_FORWARD && policy.profile_id != PROFILE_NONE) {
            aqm_admission.apply();
        }
    }
}

#endif
