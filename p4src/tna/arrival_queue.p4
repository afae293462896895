// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What ingress knows of the queues.
//
// Egress sees a queue's depth, ingress does not. A mirrored packet brings it: of 64 bytes, made when the depth has changed by a
// step of FEEDBACK_STEP cells or when none has been made for REFRESH_AFTER, through the recirculation port, which every pipe
// has. It is about a microsecond old when it arrives. Should one be lost, the next change or the next packet after REFRESH_AFTER
// heals it, and a depth that is older than STALE_AFTER counts as 0, so that a queue that has drained cannot keep out what
// would refresh it.
//
// Both generations do it this way. The ghost thread of Tofino 2 would save the mirrored packets, at the price of a second program.

#ifndef MECN_ARRIVAL_QUEUE_P4
#define MECN_ARRIVAL_QUEUE_P4

struct arrival_t {
    bit<32> depth;                       // cells
    coarse_time_t time;
}

// Written by feedback, read by other packets: one access by each.
Register<arrival_t, queue_id_t>(MAX_QUEUES, { 0, 0 }) arrival_qdepth;

// Ingress: a mirrored packet has come.
control SetDepth(in queue_id_t queue, in bit<32> depth, in coarse_time_t now) {
    RegisterAction<arrival_t, queue_id_t, bit<32>>(arrival_qdepth) set_depth = {
        void apply(inout arrival_t arrival) {
            arrival.depth = depth;
            arrival.time = now;
        }
    };

    apply {
        set_depth.execute(queue);
    }
}

// Ingress: the depth that a packet will meet, cells.
control ReadDepth(in queue_id_t queue, in coarse_time_t now, out bit<32> depth) {
    RegisterAction<arrival_t, queue_id_t, bit<32>>(arrival_qdepth) read_depth = {
        void apply(inout arrival_t arrival, out bit<32> read) {
            read = 0;
            if (now - arrival.time < STALE_AFTER) {
                read = arrival.depth;
            }
        }
    };

    apply {
        depth = read_depth.execute(queue);
    }
}

// Egress: is it time to tell ingress? A step is 16 cells.
control DepthFeedback(in queue_id_t queue, in cells_t depth, in coarse_time_t now, out bit<1> due) {
    Register<bit<16>, queue_id_t>(MAX_QUEUES, 0) last_step;
    Register<coarse_time_t, queue_id_t>(MAX_QUEUES, 0) last_refresh;

    bit<16> step;
    bit<16> before;
    bit<16> change;
    coarse_time_t refreshed;
    coarse_time_t age;

    RegisterAction<bit<16>, queue_id_t, bit<16>>(last_step) swap_step = {
        void apply(inout bit<16> last, out bit<16> old) {
            old = last;
            last = step;
        }
    };

    RegisterAction<coarse_time_t, queue_id_t, coarse_time_t>(last_refresh) refresh = {
        void apply(inout coarse_time_t last, out coarse_time_t old) {
            old = last;
            if (now - last >= REFRESH_AFTER) {
                last = now;
            }
        }
    };

    action compare() {
        change = before ^ step;
        age = now - refreshed;
    }

    apply {
        due = 0;
        // The last step is 0 only when the queue is empty, so that this is always told.
        step = 1w1 ++ depth[18:4];
        if (depth == 0) {
            step = 0;
        }
        before = swap_step.execute(queue);
        refreshed = refresh.execute(queue);
        compare();
        if (change != 0 || age[31:8] != 0) {
            due = 1;
        }
    }
}

#endif
