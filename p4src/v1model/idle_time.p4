// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// How long a queue had been idle when a packet arrived.
//
// A queue is idle from the end of service of the packet that left it empty. `busy_until` is that end, as far as it can be told:
// egress sees when service begins and adds the policy's mean service time. Each average counts idle time by itself and up to
// each packet that it sees, since a packet that admission drops is seen by one of them only.

#ifndef MECN_IDLE_TIME_P4
#define MECN_IDLE_TIME_P4

// End of service of the last packet of each queue, microseconds. Written by egress, read by ingress and egress.
register<timestamp_t>(MAX_QUEUES) busy_until;

// depth_met: depth that the packet met when it arrived, packets. arrival: when that was.
control IdleTime(in queue_id_t queue, in qdepth_t depth_met, in timestamp_t arrival, out idle_time_t idle) {
    register<timestamp_t>(MAX_QUEUES) counted_until;

    apply {
        timestamp_t since;
        timestamp_t counted;

        idle = 0;
        busy_until.read(since, (bit<32>)queue);
        counted_until.read(counted, (bit<32>)queue);
        if (counted > since) {
            since = counted;
        }
        if (depth_met == 0 && arrival > since) {
            since = arrival - since;
            if (since[47:28] == 0) {
                idle = since[27:0];
            } else {
                idle = 0xFFF_FFFF;
            }
            counted_until.write((bit<32>)queue, arrival);
        }
    }
}

#endif
