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
                 in queue_id_t queue,
                 in bit<8> spacing,
                 in cells_t min_depth,
                 in cells_t depth,
                 in avg_cells_t avg,
                 inout draws_t draws,
                 out signal_t signal) {
    Random<step_probability_t>() random_moderate;
    Random<step_probability_t>() random_incipient;
    Random<step_probability_t>() random_moderate_gap;
    Random<step_probability_t>() random_incipient_gap;
    SpacedDraw() moderate;
    SpacedDraw() incipient;

    avg_key_t avg_key = avg[19:0];
    cells_t short_of_floor;
    bit<1> deep_enough = 0;
    bit<1> certain = 0;

    action throw_dice() {
        draws.moderate.number = random_moderate.get();
        draws.incipient.number = random_incipient.get();
    }

    // Apart from the other dice: an action has 32 random bits.
    action throw_gaps() {
        draws.moderate.gap = (bit<32>)random_moderate_gap.get();
        draws.incipient.gap = (bit<32>)random_incipient_gap.get();
    }

    action wait() {
        draws.moderate.gap = draws.moderate.gap | 0x10000;
        draws.incipient.gap = draws.incipient.gap | 0x10000;
    }

    // What an independent draw leaves of a probability: it fires unless that is 0.
    action step(step_probability_t p_incipient, step_probability_t p_moderate) {
        draws.incipient.chance = (bit<32>)p_incipient;
        draws.incipient.above = p_incipient |-| draws.incipient.number;
        draws.moderate.chance = (bit<32>)p_moderate;
        draws.moderate.above = p_moderate |-| draws.moderate.number;
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

    action floor_reached() {
        deep_enough = 1;
    }

    action floor_missed() {
    }

    table aqm_floor {
        key = {
            short_of_floor: ternary;
        }
        actions = {
            floor_reached;
            floor_missed;
        }
        const entries = {
            0: floor_reached();
        }
        const default_action = floor_missed();
        size = 1;
    }

    action set_signal(signal_t drawn) {
        signal = drawn;
    }

    table aqm_signal {
        key = {
            certain: ternary @name("certain");
            draws.moderate.above: ternary @name("above_moderate");
            draws.incipient.above: ternary @name("above_incipient");
        }
        actions = {
            set_signal;
        }
        const entries = {
            (1, _, _): set_signal(SIGNAL_SEVERE);
            (0, 0, 0): set_signal(SIGNAL_NONE);
            (0, 0, _): set_signal(SIGNAL_INCIPIENT);
        }
        const default_action = set_signal(SIGNAL_MODERATE);
        size = 3;
    }

    // The moderate signal is drawn first, and a packet that did not get it is drawn for the incipient one.
    apply {
        signal = SIGNAL_NONE;
        throw_dice();
        throw_gaps();
        if (spacing == (bit<8>)SPACING_WAIT) {
            wait();
        }
        short_of_floor = min_depth |-| depth;
        aqm_floor.apply();
        if (deep_enough == 1) {
            aqm_curve.apply();
        }
        if ((spacing == (bit<8>)SPACING_UNIFORM || spacing == (bit<8>)SPACING_WAIT) && certain == 0) {
            moderate.apply(queue, draws.moderate);
        }
        if ((spacing == (bit<8>)SPACING_UNIFORM || spacing == (bit<8>)SPACING_WAIT) && certain == 0 &&
            draws.moderate.above == 0) {
            incipient.apply(queue, draws.incipient);
        }
        aqm_signal.apply();
    }
}

#endif
