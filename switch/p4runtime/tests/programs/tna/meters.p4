// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Meters of bytes and of packets, and of a table's entries.

#include "frame.p4"

INGRESS {
    Meter<bit<9>>(512, MeterType_t.BYTES) by_bytes;
    Meter<bit<9>>(256, MeterType_t.PACKETS) by_packets;
    DirectMeter(MeterType_t.BYTES) own;

    action send(PortId_t port) {
        md.color = own.execute();
        ig_tm_md.ucast_egress_port = port;
    }

    table forward {
        key = { hdr.ethernet.dst_addr : exact; }
        actions = { send; @defaultonly NoAction; }
        meters = own;
        size = 1024;
    }

    apply {
        forward.apply();
        hdr.ipv4.tos = by_bytes.execute(ig_intr_md.ingress_port);
        hdr.ipv4.ttl = by_packets.execute(ig_intr_md.ingress_port);
        hdr.ipv4.protocol = md.color;
    }
}

SWITCH
