// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// One draw of a congestion level: does this packet get the signal?
//
// Independent draws fire with probability p each. The spaced ones raise the probability with the number of packets since the last
// signal, so that there are no long runs and no long gaps:
//
// - uniform: p / (1 - count p). Gaps are uniform on 1 to 1/p packets; about twice as many signals as the curve says (Floyd and
//   Jacobson 1993, section 7, method 2).
// - wait: nothing while count p < 1, then p / (2 - count p), where count includes this packet. Gaps are uniform on 1/p to 2/p
//   packets; about two thirds as many signals as the curve says (ns-2's RED with its default, wait_ true).
//
// Without a division, with 1 or 2 as limit:
//
//     draw (limit - count p) < p

#ifndef MECN_SPACED_DRAW_P4
#define MECN_SPACED_DRAW_P4

const bit<64> CERTAIN = 0x1_0000_0000;   // probability 1

control SpacedDraw(in queue_id_t queue, in spacing_t spacing, in probability_t p, in draw_t draw, out bool fires) {
    register<bit<16>>(MAX_QUEUES) since_last;    // packets without a signal, while there could have been one

    apply {
        bit<16> count;
        bit<64> taken;
        bit<64> limit;

        if (spacing == SPACING_UNIFORM || spacing == SPACING_WAIT) {
            @atomic {
                since_last.read(count, (bit<32>)queue);
                taken = (bit<64>)count * (bit<64>)p;
                limit = CERTAIN;
                fires = true;
                if (spacing == SPACING_WAIT) {
                    limit = CERTAIN << 1;
                    taken = taken + (bit<64>)p;
                    fires = taken >= CERTAIN;
                }
                // The product fits: what is left of the limit is at most 1 where it is used.
                if (fires && taken + (bit<64>)p < limit) {
                    fires = (bit<64>)draw * (limit - taken) < ((bit<64>)p << 32);
                }
                if (fires || p == 0) {
                    count = 0;
                } else {
                    count = count |+| 1;
                }
                since_last.write((bit<32>)queue, count);
            }
        } else {
            fires = (probability_t)draw < p;
        }
    }
}

#endif
