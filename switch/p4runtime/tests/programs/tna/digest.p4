// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Digests: addresses and ports that are learnt.

#define OWN_DEPARSER
#include "frame.p4"

struct learnt_t {
    bit<48>  address;
    PortId_t port;
}

control IngressDeparser(packet_out pkt, inout headers_t hdr, in metadata_t md,
                        in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                        in ingress_intrinsic_metadata_t ig_intr_md) {
    Digest<learnt_t>(1) learnt;
    apply {
        if (ig_dprsr_md.digest_type == 1) {
            learnt.pack({hdr.ethernet.src_addr, ig_intr_md.ingress_port});
        }
        pkt.emit(hdr);
    }
}

INGRESS {
    action unknown() {
        ig_dprsr_md.digest_type = 1;
    }
    table sources {
        key = { hdr.ethernet.src_addr : exact; }
        actions = { NoAction; unknown; }
        default_action = unknown();
        size = 1024;
    }
    apply {
        sources.apply();
        ig_tm_md.ucast_egress_port = 2;
    }
}

SWITCH
