// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Low-pass filters and early detection.

#include "frame.p4"

INGRESS {
    Lpf<bit<16>, bit<9>>(512) average;
    Wred<bit<16>, bit<9>>(256, 1, 0) detect;

    apply {
        md.index = average.execute(hdr.ipv4.total_len, ig_intr_md.ingress_port);
        hdr.ipv4.tos = detect.execute(hdr.ipv4.identification, ig_intr_md.ingress_port);
        hdr.ipv4.hdr_checksum = md.index;
        ig_tm_md.ucast_egress_port = 2;
    }
}

SWITCH
