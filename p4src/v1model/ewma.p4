// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Exponentially weighted moving average of the queue depth, one for each queue (Floyd and Jacobson 1993, section 4):
//
//     avg <- (1 - w)^m avg                  m: service times for which the queue was idle before this packet
//     avg <- avg + w (q - avg)
//
// in unsigned fixed point. The difference is cut to Q16.16 before it is multiplied with the Q1.32 weight, so the product
// fits 64 bits and the average never stops more than 2^-16 packet short of its sample, at whatever weight.
//
// The power is 2^-x, x = idle time * idle_decay in Q24.40: a shift by the whole part of x, and for the rest f the polynomial
// 1 - f (C1 - f (C2 - f (C3 - f (C4 - f C5)))), which is 2^-f within 3 * 10^-7 over [0, 1) and exact at 0.

#ifndef MECN_EWMA_P4
#define MECN_EWMA_P4

// Coefficients times 2^32: interpolation of (1 - 2^-f) / f at the Chebyshev nodes of [0, 1].
const bit<64> EXP2_C1 = 2977043459;
const bit<64> EXP2_C2 = 1031714237;
const bit<64> EXP2_C3 = 237977951;
const bit<64> EXP2_C4 = 40133167;
const bit<64> EXP2_C5 = 4310560;
const bit<64> EXP2_ONE = 0x1_0000_0000;

control Ewma(in aqm_policy_t policy, in queue_id_t queue, in qdepth_t depth, in idle_time_t idle, out avg_qdepth_t avg) {
    register<avg_qdepth_t>(MAX_QUEUES) avg_qdepth;

    apply {
        avg_qdepth_t sample = (avg_qdepth_t)depth << 48;
        // BMv2 runs several egress threads over one register.
        @atomic {
            avg_qdepth.read(avg, (bit<32>)queue);
            if (policy.actual_depth == 1) {
                avg = sample;
            } else {
                if (idle != 0 && policy.idle_decay != 0) {
                    bit<64> x = (bit<64>)idle * (bit<64>)policy.idle_decay;
                    bit<64> f = (bit<64>)x[39:8];
                    bit<64> power = EXP2_C4 - ((f * EXP2_C5) >> 32);
                    power = EXP2_C3 - ((f * power) >> 32);
                    power = EXP2_C2 - ((f * power) >> 32);
                    power = EXP2_C1 - ((f * power) >> 32);
                    power = EXP2_ONE - ((f * power) >> 32);
                    if (x[63:46] != 0) {
                        avg = 0;
                    } else {
                        avg = avg >> x[45:40];
                    }
                    avg = (bit<64>)avg[63:32] * power + (((bit<64>)avg[31:0] * power) >> 32);
                }
                if (sample >= avg) {
                    avg = avg + (bit<64>)policy.ewma_weight * ((sample - avg) >> 32);
                } else {
                    avg = avg - (bit<64>)policy.ewma_weight * ((avg - sample) >> 32);
                }
            }
            avg_qdepth.write((bit<32>)queue, avg);
        }
    }
}

#endif
