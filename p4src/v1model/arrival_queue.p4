// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The queue as an arriving packet meets it.
//
// Ingress cannot see the queue, so it keeps an estimate: egress sets it to the true depth at each departure, and each packet on its
// way to the queue adds one, whatever its policy. A packet that then finds the queue full has been counted all the same. Since
// the last departure nothing has left, so the queue is still full, and the estimate cut to the queue's limit is the true
// depth again. Where ingress, queue and egress work at one instant the estimate is therefore exact; docs/data-plane.md
// bounds its error where they do not.

#ifndef MECN_ARRIVAL_QUEUE_P4
#define MECN_ARRIVAL_QUEUE_P4

// Depth that the next packet will meet, packets. Written by ingress and egress, hence not an instance of either.
register<qdepth_t>(MAX_QUEUES) arrival_qdepth;

// For each packet that goes to the queue.
control CountArrival(in queue_id_t queue) {
    apply {
        qdepth_t depth;
        // Egress, another thread in BMv2, may set it at the same time.
        @atomic {
            arrival_qdepth.read(depth, (bit<32>)queue);
            depth = depth |+| 1;
            arrival_qdepth.write((bit<32>)queue, depth);
        }
    }
}

// For each packet that leaves the queue.
control SetDepth(in queue_id_t queue, in qdepth_t deq_qdepth) {
    apply {
        arrival_qdepth.write((bit<32>)queue, deq_qdepth);
    }
}

#endif
