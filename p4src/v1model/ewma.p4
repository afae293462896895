// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Exponentially weighted moving average of the queue depth, one for each queue:
//
//     avg <- avg + w (q - avg)              (Floyd and Jacobson 1993, section 4)
//
// in unsigned fixed point. The difference is cut to Q16.16 before it is multiplied with the Q1.32 weight, so the product
// fits 64 bits and the average never stops more than 2^-16 packet short of its sample, at whatever weight.

#ifndef MECN_EWMA_P4
#define MECN_EWMA_P4

control Ewma(in queue_id_t queue, in qdepth_t depth, in ewma_weight_t weight, out avg_qdepth_t avg) {
    register<avg_qdepth_t>(MAX_QUEUES) avg_qdepth;

    apply {
        avg_qdepth_t sample = (avg_qdepth_t)depth << 48;
        // BMv2 runs several egress threads over one register.
        @atomic {
            avg_qdepth.read(avg, (bit<32>)queue);
            if (weight == EWMA_WEIGHT_ONE) {
                avg = sample;
            } else if (sample >= avg) {
                avg = avg + (bit<64>)weight * ((sample - avg) >> 32);
            } else {
                avg = avg - (bit<64>)weight * ((avg - sample) >> 32);
            }
            avg_qdepth.write((bit<32>)queue, avg);
        }
    }
}

#endif
