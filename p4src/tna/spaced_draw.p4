// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A draw of a congestion level whose gaps are spaced: v1model's spacings without its product count * p.
//
// After each signal a distance is drawn, and each packet takes its p off it; the signal comes with the packet whose p is more than what
// is left. With a distance u uniform on [0, 1), packet n of a gap fires if (n - 1) p <= u < n p, that is with probability p
// for each n from 1 to 1/p: `uniform`. With 1 + u the gap is longer by 1/p: `wait`, one packet later than v1model's.

#ifndef MECN_SPACED_DRAW_P4
#define MECN_SPACED_DRAW_P4

// A chance of 0 begins a new gap, as in v1model.
control SpacedDraw(in queue_id_t queue, inout draw_t drawn) {
    Register<bit<32>, queue_id_t>(MAX_QUEUES, 0) distance;

    RegisterAction<bit<32>, queue_id_t, bit<16>>(distance) advance = {
        void apply(inout bit<32> left, out bit<16> fires) {
            fires = 0;
            if (left < drawn.chance) {
                fires = 1;
            }
            if (left < drawn.chance || drawn.chance == 0) {
                left = drawn.gap;
            } else {
                left = left - drawn.chance;
            }
        }
    };

    apply {
        drawn.above = advance.execute(queue);
    }
}

#endif
