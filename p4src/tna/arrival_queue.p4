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
    cells_t depth;
    coarse_time_t time;
}

// Of queue 0 of each port. Written by feedback, read by other packets: one access by each.
Register<arrival_t, port_id_t>(MAX_PORTS, { 0, 0 }) arrival_qdepth;

// Ingress: a mirrored packet has come.
control SetDepth(in port_id_t port, in cells_t depth, inout ingress_metadata_t meta) {
    RegisterAction<arrival_t, port_id_t, cells_t>(arrival_qdepth) set_depth = {
        void apply(inout arrival_t last) {
            last.depth = depth;
            last.time = meta.now;
        }
    };

    apply {
        set_depth.execute(port);
    }
}

// Ingress: the depth that a packet will meet, cells.
control ReadDepth(in port_id_t port, inout ingress_metadata_t meta, out cells_t depth) {
    RegisterAction<arrival_t, port_id_t, cells_t>(arrival_qdepth) read_depth = {
        void apply(inout arrival_t last, out cells_t read) {
            read = 0;
            if (meta.now - last.time < STALE_AFTER) {
                read = last.depth;
            }
        }
    };

    apply {
        depth = read_depth.execute(port);
    }
}

// Egress: is it time to tell ingress? A step is 16 cells, and an empty queue is a step of its own.
control DepthFeedback(in queue_id_t queue,
                      in cells_t depth,
                      inout egress_metadata_t meta,
                      out bit<1> changed,
                      out bit<1> old) {
    Register<cells_t, queue_id_t>(MAX_QUEUES, 0) last_step;
    Register<coarse_time_t, queue_id_t>(MAX_QUEUES, 0) last_refresh;

    RegisterAction<cells_t, queue_id_t, bit<1>>(last_step) note_step = {
        void apply(inout cells_t last, out bit<1> differs) {
            differs = 0;
            if (last != meta.step) {
                last = meta.step;
                differs = 1;
            }
        }
    };

    RegisterAction<coarse_time_t, queue_id_t, bit<1>>(last_refresh) refresh = {
        void apply(inout coarse_time_t last, out bit<1> passed) {
            passed = 0;
            if (meta.now - last >= REFRESH_AFTER) {
                last = meta.now;
                passed = 1;
            }
        }
    };

    apply {
        if (depth == 0) {
            meta.step = 0;
        } else {
            meta.step = depth | 15;
        }
        changed = note_step.execute(queue);
        old = refresh.execute(queue);
    }
}

#endif
