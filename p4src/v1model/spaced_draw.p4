// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// One draw of a congestion level: does this packet get the signal?
//
// Independent draws fire with probability p each. RED's uniform spacing (Floyd and Jacobson 1993, section 7, method 2) raises the
// probability with the number of packets since the last signal, p / (1 - count p), so that the gap between signals is uniform on
// 1 to 1/p packets: no long runs, no long gaps, and about twice as many signals as the curve says. Without a division:
//
//     draw (1 - count p) < p

#ifndef MECN_SPACED_DRAW_P4
#define MECN_SPACED_DRAW_P4

const bit<64> CERTAIN = 0x1_0000_0000;   // probability 1

control SpacedDraw(in queue_id_t queue, in spacing_t spacing, in probability_t p, in draw_t draw, out bool fires) {
    register<bit<16>>(MAX_QUEUES) since_last;    // packets without a signal, while there could have been one

    apply {
        bit<16> count;
        bit<64> taken;

        if (spacing == SPACING_UNIFORM) {
            @atomic {
                since_last.read(count, (bit<32>)queue);
                taken = (bit<64>)count * (bit<64>)p;
                if (p == 0) {
                    fires = false;
                    count = 0;
                } else if (taken + (bit<64>)p >= CERTAIN) {
                    fires = true;
                    count = 0;
                } else {
                    fires = (bit<64>)draw * (CERTAIN - taken) < ((bit<64>)p << 32);
                    if (fires) {
                        count = 0;
                    } else {
                        count = count |+| 1;
                    }
                }
                since_last.write((bit<32>)queue, count);
            }
        } else {
            fires = (probability_t)draw < p;
        }
    }
}

#endif
