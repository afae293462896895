// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The marking curve: average queue depth -> congestion signal.
//
// As in v1model, but for the ramp: there is no general multiplication, so each profile is a staircase, one entry for each step.
// The controller chooses the steps so that no probability is further from the curve than it is told to allow. The draw is a
// saturating subtraction, and the signal a table over what it leaves: a condition over several such differences is more than a
// gateway can do.

#ifndef MECN_AQM_CURVE_P4
#define MECN_AQM_CURVE_P4

control AqmCurve(in profile_id_t profile_id,
                 in cells_t min_depth,
                 in cells_t depth,
                 in avg_cells_t avg,
                 out signal_t signal) {
    Random<step_probability_t>() random_moderate;
    Random<step_probability_t>() random_incipient;

    avg_key_t avg_key = avg[19:0];
    step_probability_t draw_moderate;
    step_probability_t draw_incipient;
    step_probability_t above_moderate = 0;
    step_probability_t above_incipient = 0;
    cells_t short_of_floor;
    bit<1> certain = 0;

    action throw_dice() {
        draw_moderate = random_moderate.get();
        draw_incipient = random_incipient.get();
    }

    // What a draw leaves of a probability: it fires unless that is 0.
    action step(step_probability_t p_incipient, step_probability_t p_moderate) {
        above_incipient = p_incipient |-| draw_incipient;
        above_moderate = p_moderate |-| draw_moderate;
    }

    action severe() {
        certain = 1;
    }

    action no_signal() {
    }

    table aqm_curve {
        key = {
            profile_id: exact @name("profile_id");
            avg_key: range @name("avg_qdepth");
        }
        actions = {
            step;
            severe;
            @defaultonly no_signal;
        }
        const default_action = no_signal();
        size = AQM_STEP_TABLE_SIZE;
    }

    action set_signal(signal_t drawn) {
        signal = drawn;
    }

    // The moderate signal is drawn first, and a packet that did not get it is drawn for the incipient one.
    table aqm_signal {
        key = {
            certain: ternary;
            above_moderate: ternary;
            above_incipient: ternary;
            short_of_floor: ternary;
        }
        actions = {
            set_signal;
        }
        const entries = {
            (1, _, _, 0): set_signal(SIGNAL_SEVERE);
            (0, 0, 0, 0): set_signal(SIGNAL_NONE);
            (0, 0, _, 0): set_signal(SIGNAL_INCIPIENT);
            (0, _, _, 0): set_signal(SIGNAL_MODERATE);
        }
        const default_action = set_signal(SIGNAL_NONE);
        size = 4;
    }

    apply {
        signal = SIGNAL_NONE;
        throw_dice();
        short_of_floor = min_depth |-| depth;
        aqm_curve.apply();
        aqm_signal.apply();
    }
}

#endif
