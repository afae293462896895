// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The marking curve: average queue depth -> congestion signal.
//
// Each profile is a piecewise-linear function, one entry for each segment; a segment gives both levels' probabilities at its left
// end and their slopes. Below the first segment there is no signal, nor at a queue shallower than the policy's min_depth. The
// moderate signal is drawn first and a packet that did not get it is drawn for the incipient one (Quet et al., section 2.1), so
// P(moderate) = p2 and P(incipient) = p1 (1 - p2). In byte mode both are scaled by the packet's length first, as RED's p_b
// (Floyd and Jacobson 1993, section 4).

#ifndef MECN_AQM_CURVE_P4
#define MECN_AQM_CURVE_P4

control AqmCurve(in aqm_policy_t policy,
                 in queue_id_t queue,
                 in qdepth_t depth,
                 in avg_qdepth_t avg,
                 in bit<32> packet_length,
                 in draw_t draw_moderate,
                 in draw_t draw_incipient,
                 out signal_t signal) {
    SpacedDraw() moderate;
    SpacedDraw() incipient;

    avg_q8_t avg_key = avg[63:40];
    probability_t p_incipient = 0;
    probability_t p_moderate = 0;

    // left: average at the segment's left end, packets, Q16.16. p_*_left: probability there. slope_*: probability for each
    // packet, times 2^32. The control plane keeps p within [0, 2^32] over the segment, so no product overflows.
    action ramp(avg_q16_t left,
                probability_t p_incipient_left,
                probability_t slope_incipient,
                probability_t p_moderate_left,
                probability_t slope_moderate) {
        bit<64> offset = (bit<64>)(avg[63:32] - left);
        p_incipient = p_incipient_left + (probability_t)(((bit<64>)slope_incipient * offset) >> 16);
        p_moderate = p_moderate_left + (probability_t)(((bit<64>)slope_moderate * offset) >> 16);
    }

    action severe() {
        signal = SIGNAL_SEVERE;
    }

    action no_signal() {
    }

    table aqm_curve {
        key = {
            policy.profile_id: exact @name("profile_id");
            avg_key: range @name("avg_qdepth");
        }
        actions = {
            ramp;
            severe;
            @defaultonly no_signal;
        }
        const default_action = no_signal();
        size = AQM_CURVE_TABLE_SIZE;
    }

    apply {
        signal = SIGNAL_NONE;
        if (depth >= policy.min_depth) {
            aqm_curve.apply();
        }
        if (signal == SIGNAL_NONE) {
            bool fires;
            if (policy.byte_scale != 0) {
                bit<64> ratio = (bit<64>)packet_length;
                if (ratio > LENGTH_MAX) {
                    ratio = LENGTH_MAX;
                }
                ratio = (ratio * (bit<64>)policy.byte_scale) >> 8;
                if (ratio > SIZE_RATIO_MAX) {
                    ratio = SIZE_RATIO_MAX;
                }
                bit<64> scaled = ((bit<64>)p_incipient * ratio) >> 24;
                if (scaled > CERTAIN) {
                    scaled = CERTAIN;
                }
                p_incipient = (probability_t)scaled;
                scaled = ((bit<64>)p_moderate * ratio) >> 24;
                if (scaled > CERTAIN) {
                    scaled = CERTAIN;
                }
                p_moderate = (probability_t)scaled;
            }
            moderate.apply(queue, policy.spacing, p_moderate, draw_moderate, fires);
            if (fires) {
                signal = SIGNAL_MODERATE;
            } else {
                incipient.apply(queue, policy.spacing, p_incipient, draw_incipient, fires);
                if (fires) {
                    signal = SIGNAL_INCIPIENT;
                }
            }
        }
    }
}

#endif
