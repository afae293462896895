// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Multi-level ECN for v1model: the embedded switch and BMv2.
//
//   HeaderParser -> VerifyChecksum -> MecnIngress ------------------> queue -> MecnEgress -> ComputeChecksum -> deparser
//                                     | Forwarding: port, next hop              | AqmMarking: sample, average,
//                                     | AqmPolicy: profile, by port and DSCP    |   curve, verdict, mark
//                                     | AqmAdmission: drops before the queue    | tells ingress about the queue
//
// This file only wires. Policy is table entries: aqm_port, aqm_curve, aqm_admission, aqm_verdict.

#include <core.p4>
#include <v1model.p4>

#include "shared/types.p4"
#include "shared/headers.p4"
#include "shared/parser.p4"
#include "shared/forwarding.p4"
#include "shared/aqm_policy.p4"
#include "shared/aqm_verdict.p4"
#include "v1model/idle_time.p4"
#include "v1model/ewma.p4"
#include "v1model/spaced_draw.p4"
#include "v1model/aqm_curve.p4"
#include "v1model/aqm_admission.p4"
#include "v1model/aqm_marking.p4"

struct metadata_t {
    aqm_policy_t policy;
}

parser MecnParser(packet_in packet,
                  out headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    HeaderParser() header_parser;

    state start {
        header_parser.apply(packet, hdr);
        transition accept;
    }
}

control MecnVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
    }
}

control MecnIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    Forwarding() forwarding;
    AqmPolicy() policy;
    AqmAdmission() admission;

    apply {
        port_id_t egress_port;
        bool routed;
        bool admitted = true;

        // A router forwards neither what it cannot read nor what arrived damaged (RFC 1812, section 5.2.2).
        if (standard_metadata.parser_error != error.NoError || standard_metadata.checksum_error == 1) {
            mark_to_drop(standard_metadata);
            exit;
        }
        forwarding.apply(hdr, egress_port, routed);
        if (!routed) {
            mark_to_drop(standard_metadata);
            exit;
        }
        standard_metadata.egress_spec = egress_port;
        policy.apply(egress_port, hdr.ipv4.dscp, meta.policy);
        if (meta.policy.profile_id != PROFILE_NONE) {
            admission.apply(meta.policy,
                            egress_port,
                            egress_port ++ standard_metadata.priority,
                            standard_metadata.ingress_global_timestamp,
                            hdr.ipv4.ecn,
                            admitted);
        }
        if (!admitted) {
            mark_to_drop(standard_metadata);
        }
    }
}

control MecnEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    AqmMarking() marking;

    apply {
        queue_id_t queue = standard_metadata.egress_port ++ standard_metadata.priority;
        qdepth_t enq_qdepth = (qdepth_t)standard_metadata.enq_qdepth;
        qdepth_t deq_qdepth = (qdepth_t)standard_metadata.deq_qdepth;

        if (standard_metadata.enq_qdepth > QDEPTH_MAX) {
            enq_qdepth = (qdepth_t)QDEPTH_MAX;
        }
        if (standard_metadata.deq_qdepth > QDEPTH_MAX) {
            deq_qdepth = (qdepth_t)QDEPTH_MAX;
        }
        if (meta.policy.profile_id != PROFILE_NONE) {
            marking.apply(meta.policy,
                          standard_metadata.egress_port,
                          queue,
                          standard_metadata.ingress_global_timestamp,
                          enq_qdepth,
                          deq_qdepth,
                          hdr.ipv4.ecn);
        }
        // What ingress needs to know of the queue, for the next arrival.
        arrival_qdepth.write((bit<32>)queue, deq_qdepth);
        busy_until.write((bit<32>)queue, standard_metadata.egress_global_timestamp + (timestamp_t)meta.policy.service_time);
    }
}

control MecnComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
    }
}

control MecnDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.tcp);
        packet.emit(hdr.udp);
    }
}

V1Switch(MecnParser(),
         MecnVerifyChecksum(),
         MecnIngress(),
         MecnEgress(),
         MecnComputeChecksum(),
         MecnDeparser()) main;
