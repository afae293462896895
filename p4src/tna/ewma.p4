// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Average of the queue depth, one for each queue: a low-pass filter of the hardware.
//
// It forgets by time, not by packet: after a time t without a sample the old average counts exp(-t / T). With the controller's
// T = -s / ln(1 - w), s the mean service time, that is (1 - w) for each packet that passes back to back, and RED's idle
// correction, (1 - w)^m for m service times of idle time, without more ado.

#ifndef MECN_EWMA_P4
#define MECN_EWMA_P4

// filtered: 0 if the average is the depth itself.
control Ewma(in queue_id_t queue, in cells_t depth, in bit<1> filtered, out avg_cells_t avg) {
    Lpf<avg_cells_t, queue_id_t>(MAX_QUEUES) avg_qdepth;

    apply {
        avg_cells_t sample;

        if (depth[18:17] != 0) {
            sample = AVG_CELLS_MAX;
            avg = AVG_CELLS_MAX;
        } else {
            sample = depth << 3;
            avg = depth << 3;
        }
        if (filtered == 1) {
            avg = avg_qdepth.execute(sample, queue);
        }
    }
}

#endif
