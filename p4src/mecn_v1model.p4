// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Multi-level ECN for v1model: the embedded switch and BMv2.
//
//   MecnParser -> VerifyChecksum -> MecnIngress ------------------> queue -> MecnEgress -> ComputeChecksum -> deparser
//                                   | HeaderCheck, Forwarding: port, next hop | AqmMarking: sample, average,
//                                   | AqmPolicy: profile, by port and DSCP    |   curve, verdict, mark
//                                   | FlowClass: curve by round-trip time     | tells ingress about the queue
//                                   | AqmAdmission: drops before the queue
//                                   | PortReport: a digest each period
//
// This file only wires. Policy is table entries: ipv4_lpm, ipv6_lpm, aqm_port, aqm_rtt_class, aqm_class_curve, aqm_curve,
// aqm_admission, aqm_verdict.

#include <core.p4>
#include <v1model.p4>

#include "v1model/target.p4"
#include "shared/types.p4"
#include "shared/headers.p4"
#include "v1model/types.p4"
#include "v1model/headers.p4"
#include "v1model/header_check.p4"
#include "shared/forwarding.p4"
#include "shared/aqm_policy.p4"
#include "shared/aqm_verdict.p4"
#include "v1model/idle_time.p4"
#include "v1model/ewma.p4"
#include "v1model/spaced_draw.p4"
#include "v1model/aqm_curve.p4"
#include "v1model/arrival_queue.p4"
#include "v1model/port_report.p4"
#include "v1model/flow_class.p4"
#include "v1model/aqm_admission.p4"
#include "v1model/aqm_marking.p4"

struct metadata_t {
    aqm_policy_t policy;
}

parser MecnParser(packet_in packet,
                  out headers_t hdr,
                  inout metadata_t meta,
                  inout standard_metadata_t standard_metadata) {
    state start {
        transition select(standard_metadata.ingress_port) {
            CPU_PORT: parse_packet_out;
            default: parse_ethernet;
        }
    }

    // What follows is the controller's business, to the last octet.
    state parse_packet_out {
        packet.extract(hdr.packet_out);
        transition accept;
    }

    #include "shared/ipv4_states.p4"
    #include "shared/header_states.p4"
    #include "v1model/transport_states.p4"
}

// Once without options and once with them: what a checksum makes of an invalid header is up to the target.
control MecnVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
        verify_checksum(hdr.ipv4_options.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr, hdr.ipv4_options.options },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
    }
}

control MecnIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    HeaderCheck() header_check;
    Forwarding() forwarding;
    AqmPolicy() policy;
    FlowClass() flow_class;
    AqmAdmission() admission;
    PortReport() report;
    CountArrival() count_arrival;

    apply {
        port_id_t egress_port;
        queue_id_t queue;
        header_check_t check;
        fate_t fate;
        punt_reason_t reason;
        bool admitted = true;
        bit<6> dscp = 0;
        ecn_t ecn = ECN_NOT_ECT;
        bit<32> ip_end = 14;

        if (hdr.packet_out.isValid()) {
            if (hdr.packet_out.egress_port >= (bit<16>)CPU_PORT) {
                mark_to_drop(standard_metadata);
            } else {
                standard_metadata.egress_spec = (port_id_t)hdr.packet_out.egress_port;
            }
            hdr.packet_out.setInvalid();
            exit;
        }
        // A router forwards neither what arrived damaged nor what arrived in part (RFC 1812, section 5.2.2).
        if (hdr.vlan.isValid()) {
            ip_end = 18;
            if (hdr.inner_vlan.isValid()) {
                ip_end = 22;
            }
        }
        if (hdr.ipv4.isValid()) {
            ip_end = ip_end + (bit<32>)hdr.ipv4.total_len;
            dscp = hdr.ipv4.dscp;
            ecn = hdr.ipv4.ecn;
        } else if (hdr.ipv6.isValid()) {
            ip_end = ip_end + 40 + (bit<32>)hdr.ipv6.payload_len;
            dscp = hdr.ipv6.dscp;
            ecn = hdr.ipv6.ecn;
        }
        if (standard_metadata.checksum_error == 1 || standard_metadata.packet_length < ip_end) {
            mark_to_drop(standard_metadata);
            exit;
        }
        header_check.apply(hdr, check);
        forwarding.apply(hdr, check, egress_port, fate, reason);
        if (fate == FATE_DROP) {
            mark_to_drop(standard_metadata);
            exit;
        }
        if (fate == FATE_CONTROLLER) {
            hdr.packet_in = { (bit<16>)standard_metadata.ingress_port, reason };
            standard_metadata.egress_spec = CPU_PORT;
            exit;
        }
        standard_metadata.egress_spec = egress_port;
        queue = egress_port ++ standard_metadata.priority;
        policy.apply(egress_port, dscp, meta.policy);
        if (meta.policy.profile_id != PROFILE_NONE) {
            flow_hash_t flow = 0;
            rtt_class_t rtt_class = RTT_CLASS_UNKNOWN;
            qdepth_t depth;
            avg_qdepth_t avg;

            if (meta.policy.flow_classes == 1) {
                flow_class.apply(hdr, standard_metadata.ingress_global_timestamp, meta.policy, flow, rtt_class);
            }
            admission.apply(meta.policy,
                            egress_port,
                            queue,
                            standard_metadata.ingress_global_timestamp,
                            standard_metadata.packet_length,
                            ecn,
                            depth,
                            avg,
                            admitted);
            if (meta.policy.report_period != 0) {
                report.apply(meta.policy,
                             egress_port,
                             standard_metadata.ingress_global_timestamp,
                             depth,
                             avg,
                             admitted,
                             flow,
                             rtt_class);
            }
        }
        if (admitted) {
            count_arrival.apply(queue);
        } else {
            mark_to_drop(standard_metadata);
        }
    }
}

control MecnEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata) {
    AqmMarking() marking;
    SetDepth() set_depth;

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
            ecn_t ecn;

            if (hdr.ipv6.isValid()) {
                ecn = hdr.ipv6.ecn;
            } else {
                ecn = hdr.ipv4.ecn;
            }
            marking.apply(meta.policy,
                          standard_metadata.egress_port,
                          queue,
                          standard_metadata.ingress_global_timestamp,
                          enq_qdepth,
                          deq_qdepth,
                          standard_metadata.packet_length,
                          ecn);
            if (hdr.ipv6.isValid()) {
                hdr.ipv6.ecn = ecn;
            } else {
                hdr.ipv4.ecn = ecn;
            }
        }
        // What ingress needs to know of the queue, for the next arrival.
        set_depth.apply(queue, deq_qdepth);
        busy_until.write((bit<32>)queue, standard_metadata.egress_global_timestamp + (timestamp_t)meta.policy.service_time);
    }
}

control MecnComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid() && !hdr.ipv4_options.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
        update_checksum(hdr.ipv4_options.isValid(),
                        { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp, hdr.ipv4.ecn, hdr.ipv4.total_len,
                          hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.frag_offset, hdr.ipv4.ttl,
                          hdr.ipv4.protocol, hdr.ipv4.src_addr, hdr.ipv4.dst_addr, hdr.ipv4_options.options },
                        hdr.ipv4.hdr_checksum,
                        HashAlgorithm.csum16);
    }
}

control MecnDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(MecnParser(),
         MecnVerifyChecksum(),
         MecnIngress(),
         MecnEgress(),
         MecnComputeChecksum(),
         MecnDeparser()) main;
