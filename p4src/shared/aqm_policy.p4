// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Which policy a packet lives under: by the port it leaves through and its DSCP class.
//
// One write of an `aqm_port` entry swaps the whole policy: the control plane writes the new curve under a profile id that nobody
// uses, reads it back, and then changes this entry. Runs in ingress, after forwarding.

#ifndef MECN_AQM_POLICY_P4
#define MECN_AQM_POLICY_P4

control AqmPolicy(in port_id_t egress_port, in bit<6> dscp, out aqm_policy_t policy) {
    action set_profile(profile_id_t profile_id,
                       scheme_id_t scheme,
                       mark_point_t mark_point,
                       spacing_t spacing,
                       qdepth_t min_depth,
                       ewma_weight_t ewma_weight,
                       service_time_t service_time,
                       idle_decay_t idle_decay,
                       qdepth_t queue_limit,
                       byte_scale_t byte_scale,
                       report_period_t report_period,
                       flow_classes_t flow_classes) {
        policy.profile_id = profile_id;
        policy.scheme = scheme;
        policy.mark_point = mark_point;
        policy.spacing = spacing;
        policy.min_depth = min_depth;
        policy.ewma_weight = ewma_weight;
        policy.actual_depth = ewma_weight[32:32];
        policy.service_time = service_time;
        policy.idle_decay = idle_decay;
        policy.queue_limit = queue_limit;
        policy.byte_scale = byte_scale;
        policy.report_period = report_period;
        policy.flow_classes = flow_classes;
    }

    action no_aqm() {
    }

    table aqm_port {
        key = {
            egress_port: exact @name("egress_port");
            dscp: ternary @name("dscp");
        }
        actions = {
            set_profile;
            no_aqm;
        }
        const default_action = no_aqm();
        size = AQM_PORT_TABLE_SIZE;
    }

    apply {
        policy = { PROFILE_NONE, 0, MARK_TAIL, SPACING_INDEPENDENT, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
        aqm_port.apply();
    }
}

#endif
