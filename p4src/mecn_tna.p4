// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Multi-level ECN for Tofino 1 (--arch tna) and Tofino 2 (--arch t2na).
//
//   MecnIngressParser -> MecnIngress -------------------> queue -> MecnEgress -----------------> deparser, IPv4 checksum
//   IPv4 checksum   | Forwarding: port, next hop, controller       | AqmMarking: sample, average,
//                   | AqmPolicy: profile, by port and DSCP         |   curve, verdict, mark
//                   | AqmAdmission: drops before the queue         | DepthFeedback: mirrored packet
//                   ^                                              |   through the recirculation port
//                   +----------------------------------------------+
//
// This file only wires. Forwarding, policy and verdict are v1model's own blocks; the others have its names, keys and meanings.
// docs/tofino.md says what differs and why.

#if __TARGET_TOFINO__ == 2
#include "tna/tofino2.p4"
#else
#include "tna/tofino1.p4"
#endif
#include "shared/types.p4"
#include "shared/headers.p4"
#include "tna/types.p4"
#include "tna/header_check.p4"
#include "shared/forwarding.p4"
#include "shared/aqm_policy.p4"
#include "shared/aqm_verdict.p4"
#include "tna/ewma.p4"
#include "tna/spaced_draw.p4"
#include "tna/aqm_curve.p4"
#include "tna/arrival_queue.p4"
#include "tna/aqm_admission.p4"
#include "tna/aqm_marking.p4"

parser MecnIngressParser(packet_in packet,
                         out headers_t hdr,
                         out ingress_metadata_t meta,
                         out ingress_intrinsic_metadata_t ig_intr_md) {
    Checksum() checksum;

    state start {
        packet.extract(ig_intr_md);
        packet.advance(PORT_METADATA_SIZE);
        meta = { 0, 0, { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } } };
        transition select(ig_intr_md.ingress_port) {
            CPU_PORT: parse_packet_out;
            RECIRCULATION_PORT &&& RECIRCULATION_PORT_MASK: parse_feedback;
            default: parse_ethernet;
        }
    }

    // What follows is the controller's business, to the last octet.
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition accept;
    }

    state parse_feedback {
        packet.extract(hdr.feedback);
        transition accept;
    }

    #include "tna/ipv4_states.p4"
    #include "shared/header_states.p4"
    #include "tna/payload_states.p4"
}

control MecnIngress(inout headers_t hdr,
                    inout ingress_metadata_t meta,
                    in ingress_intrinsic_metadata_t ig_intr_md,
                    in ingress_intrinsic_metadata_from_parser_t ig_prsr_md,
                    inout ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md,
                    inout ingress_intrinsic_metadata_for_tm_t ig_tm_md) {
    HeaderCheck() header_check;
    Forwarding() forwarding;
    AqmPolicy() policy;
    AqmAdmission() admission;
    SetDepth() set_depth;

    aqm_policy_t chosen;

    action drop() {
        ig_dprsr_md.drop_ctl = 1;
    }

    // Neither the policy nor the feedback is for what does not wait in a queue of a host's port.
    action send_unseen(port_id_t port) {
        ig_tm_md.ucast_egress_port = port;
        ig_tm_md.bypass_egress = 1;
    }

    action bridge() {
        hdr.bridged.setValid();
        hdr.bridged.kind = BEFORE_PACKET;
        hdr.bridged.scheme = chosen.scheme;
        hdr.bridged.profile_id = chosen.profile_id;
        hdr.bridged.mark_point = (bit<8>)chosen.mark_point;
        hdr.bridged.spacing = (bit<8>)chosen.spacing;
        hdr.bridged.actual_depth = (bit<8>)chosen.actual_depth;
        hdr.bridged.min_depth = (bit<32>)chosen.min_depth;
    }

    action to_controller(punt_reason_t reason) {
        hdr.packet_in.setValid();
        hdr.packet_in.ingress_port = (bit<16>)ig_intr_md.ingress_port;
        hdr.packet_in.reason = reason;
        send_unseen(CPU_PORT);
    }

    apply {
        port_id_t egress_port;
        header_check_t check;
        fate_t fate;
        punt_reason_t reason;
        bool admitted = true;
        bit<6> dscp = 0;
        ecn_t ecn = ECN_NOT_ECT;

        meta.now = ig_prsr_md.global_tstamp[47:16];
        if (hdr.feedback.isValid()) {
            egress_port = hdr.feedback.queue[11:3];
            // Packets go to queue 0, so that is the one that admission judges by.
            if (hdr.feedback.queue[2:0] == 0) {
                set_depth.apply(egress_port, hdr.feedback.depth, meta);
            }
            drop();
        } else if (hdr.packet_out.isValid()) {
            send_unseen(hdr.packet_out.egress_port[8:0]);
            hdr.packet_out.setInvalid();
        } else {
            if (hdr.ipv6.isValid()) {
                dscp = hdr.ipv6.dscp;
                ecn = hdr.ipv6.ecn;
            } else if (hdr.ipv4.isValid()) {
                dscp = hdr.ipv4.dscp;
                ecn = hdr.ipv4.ecn;
            }
            header_check.apply(hdr, check);
            forwarding.apply(hdr, check, egress_port, fate, reason);
            if (meta.checksum_error == 1) {
                fate = FATE_DROP;
            }
            policy.apply(egress_port, dscp, chosen);
            admission.apply(fate, chosen, egress_port, meta, ecn, admitted);
            bridge();
            if (fate == FATE_DROP) {
                drop();
            } else if (fate == FATE_CONTROLLER) {
                to_controller(reason);
            } else if (!admitted) {
                drop();
            } else {
                ig_tm_md.ucast_egress_port = egress_port;
            }
        }
    }
}

control MecnIngressDeparser(packet_out packet,
                            inout headers_t hdr,
                            in ingress_metadata_t meta,
                            in ingress_intrinsic_metadata_for_deparser_t ig_dprsr_md) {
    Checksum() checksum;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.hdr_checksum = checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn,
                hdr.ipv4.total_len, hdr.ipv4.identification, hdr.ipv4.flags,
                hdr.ipv4.frag_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src_addr,
                hdr.ipv4.dst_addr, hdr.ipv4_options.options });
        }
        packet.emit(hdr);
    }
}

parser MecnEgressParser(packet_in packet,
                        out headers_t hdr,
                        out egress_metadata_t meta,
                        out egress_intrinsic_metadata_t eg_intr_md) {
    state start {
        packet.extract(eg_intr_md);
        meta = { 0, 0, { { 0, 0, 0, 0 }, { 0, 0, 0, 0 } }, 0, 0, 0, 0, 0 };
        transition select(packet.lookahead<bit<8>>()) {
            BEFORE_FEEDBACK: parse_feedback;
            default: parse_bridged;
        }
    }

    state parse_feedback {
        packet.extract(hdr.feedback);
        transition accept;
    }

    state parse_bridged {
        packet.extract(hdr.bridged);
        transition parse_ethernet;
    }

    #include "shared/ipv4_states.p4"
    #include "shared/header_states.p4"
    #include "tna/payload_states.p4"
}

control MecnEgress(inout headers_t hdr,
                   inout egress_metadata_t meta,
                   in egress_intrinsic_metadata_t eg_intr_md,
                   in egress_intrinsic_metadata_from_parser_t eg_prsr_md,
                   inout egress_intrinsic_metadata_for_deparser_t eg_dprsr_md,
                   inout egress_intrinsic_metadata_for_output_port_t eg_oport_md) {
    AqmMarking() marking;
    DepthFeedback() depth_feedback;

    bit<1> changed;
    bit<1> old;

    action send_feedback(queue_id_t queue, cells_t depth) {
        eg_dprsr_md.mirror_type = MIRROR_DEPTH_FEEDBACK;
        meta.feedback_session = DEPTH_FEEDBACK_SESSION;
        meta.feedback_kind = BEFORE_FEEDBACK;
        meta.feedback_pad = 0;
        meta.feedback_queue = (bit<16>)queue;
        meta.feedback_depth = depth;
    }

    apply {
        queue_id_t queue = eg_intr_md.egress_port ++ eg_intr_md.egress_qid[2:0];
        cells_t enq_qdepth = (cells_t)eg_intr_md.enq_qdepth;
        cells_t deq_qdepth = (cells_t)eg_intr_md.deq_qdepth;
        ecn_t ecn = ECN_NOT_ECT;

        meta.now = eg_prsr_md.global_tstamp[47:16];
        if (hdr.bridged.isValid()) {
            if (hdr.ipv6.isValid()) {
                ecn = hdr.ipv6.ecn;
            } else {
                ecn = hdr.ipv4.ecn;
            }
            depth_feedback.apply(queue, deq_qdepth, meta, changed, old);
            if (changed == 1 || old == 1) {
                send_feedback(queue, deq_qdepth);
            }
            marking.apply(meta, hdr.bridged, eg_intr_md.egress_port, queue, enq_qdepth, deq_qdepth, ecn);
            if (hdr.ipv6.isValid()) {
                hdr.ipv6.ecn = ecn;
            } else {
                hdr.ipv4.ecn = ecn;
            }
            hdr.bridged.setInvalid();
        }
    }
}

control MecnEgressDeparser(packet_out packet,
                           inout headers_t hdr,
                           in egress_metadata_t meta,
                           in egress_intrinsic_metadata_for_deparser_t eg_dprsr_md) {
    Checksum() checksum;
    Mirror(MIRROR_DEPTH_FEEDBACK) mirror;

    apply {
        if (eg_dprsr_md.mirror_type == MIRROR_DEPTH_FEEDBACK) {
            mirror.emit<depth_feedback_t>(
                meta.feedback_session,
                { meta.feedback_kind, meta.feedback_pad, meta.feedback_queue, meta.feedback_depth });
        }
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.hdr_checksum = checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn,
                hdr.ipv4.total_len, hdr.ipv4.identification, hdr.ipv4.flags,
                hdr.ipv4.frag_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src_addr,
                hdr.ipv4.dst_addr, hdr.ipv4_options.options });
        }
        packet.emit(hdr);
    }
}

Pipeline(MecnIngressParser(),
         MecnIngress(),
         MecnIngressDeparser(),
         MecnEgressParser(),
         MecnEgress(),
         MecnEgressDeparser()) pipe;

Switch(pipe) main;
