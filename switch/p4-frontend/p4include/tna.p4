// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The Tofino Native Architecture, first generation: what programs for it refer to. Written from its public
// documentation.
//
//            +---------+   +---------+   +----------+            +--------+   +--------+   +----------+
//   packet ->| Ingress |-->| Ingress |-->| Ingress  |--> queues ->| Egress |-->| Egress |-->| Egress   |-> packet
//            | parser  |   | control |   | deparser |            | parser |   | control|   | deparser |
//            +---------+   +---------+   +----------+            +--------+   +--------+   +----------+
//
// Queue depths are counted in cells of 80 bytes, times in nanoseconds.

#ifndef _TNA_P4_
#define _TNA_P4_

#include <core.p4>

// Bits that the ingress parser finds before the packet: port metadata.
#define PORT_METADATA_SIZE 64

typedef bit<9>  PortId_t;
typedef bit<16> MulticastGroupId_t;
typedef bit<5>  QueueId_t;
typedef bit<3>  MirrorType_t;
typedef bit<10> MirrorId_t;
typedef bit<3>  ResubmitType_t;
typedef bit<3>  DigestType_t;
typedef bit<16> ReplicationId_t;

typedef error ParserError_t;

const bit<32> PORT_METADATA_RESUBMIT_SIZE = 64;

#include <tofino_externs.p4>

// What the hardware knows of a packet when it arrives.
header ingress_intrinsic_metadata_t {
    bit<1>   resubmit_flag;
    @padding bit<1> _pad1;
    bit<2>   packet_version;
    @padding bit<3> _pad2;
    PortId_t ingress_port;
    bit<48>  ingress_mac_tstamp;
}

struct ingress_intrinsic_metadata_for_tm_t {
    PortId_t           ucast_egress_port;
    bit<1>             bypass_egress;
    bit<1>             deflect_on_drop;
    bit<3>             ingress_cos;
    QueueId_t          qid;
    bit<3>             icos_for_copy_to_cpu;
    bit<1>             copy_to_cpu;
    bit<2>             packet_color;
    bit<1>             disable_ucast_cutthru;
    bit<1>             enable_mcast_cutthru;
    MulticastGroupId_t mcast_grp_a;
    MulticastGroupId_t mcast_grp_b;
    bit<13>            level1_mcast_hash;
    bit<13>            level2_mcast_hash;
    bit<16>            level1_exclusion_id;
    bit<9>             level2_exclusion_id;
    bit<16>            rid;
}

struct ingress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp;
    bit<32> global_ver;
    bit<16> parser_err;
}

struct ingress_intrinsic_metadata_for_deparser_t {
    bit<3>         drop_ctl; // bit 0 the packet and its copies, bit 1 the copy to the CPU, bit 2 mirrored copies
    DigestType_t   digest_type;
    ResubmitType_t resubmit_type;
    MirrorType_t   mirror_type;
}

// What the hardware knows of a packet when it leaves its queue.
header egress_intrinsic_metadata_t {
    @padding bit<7> _pad0;
    PortId_t  egress_port;
    @padding bit<5> _pad1;
    bit<19>   enq_qdepth;
    @padding bit<6> _pad2;
    bit<2>    enq_congest_stat;
    @padding bit<14> _pad3;
    bit<18>   enq_tstamp;
    @padding bit<5> _pad4;
    bit<19>   deq_qdepth;
    @padding bit<6> _pad5;
    bit<2>    deq_congest_stat;
    bit<8>    app_pool_congest_stat;
    @padding bit<14> _pad6;
    bit<18>   deq_timedelta;
    bit<16>   egress_rid;
    @padding bit<7> _pad7;
    bit<1>    egress_rid_first;
    @padding bit<3> _pad8;
    QueueId_t egress_qid;
    @padding bit<5> _pad9;
    bit<3>    egress_cos;
    @padding bit<7> _pad10;
    bit<1>    deflection_flag;
    bit<16>   pkt_length;
}

struct egress_intrinsic_metadata_from_parser_t {
    bit<48> global_tstamp;
    bit<32> global_ver;
    bit<16> parser_err;
}

struct egress_intrinsic_metadata_for_deparser_t {
    bit<3>       drop_ctl;
    MirrorType_t mirror_type;
    bit<1>       coalesce_flush;
    bit<7>       coalesce_length;
}

struct egress_intrinsic_metadata_for_output_port_t {
    bit<1> capture_tstamp_on_tx;
    bit<1> update_delay_on_tx;
    bit<1> force_tx_error;
}

header pktgen_timer_header_t {
    @padding bit<3> _pad1;
    bit<2>  pipe_id;
    bit<3>  app_id;
    @padding bit<8> _pad2;
    bit<16> batch_id;
    bit<16> packet_id;
}

header pktgen_port_down_header_t {
    @padding bit<3> _pad1;
    bit<2>   pipe_id;
    bit<3>   app_id;
    @padding bit<15> _pad2;
    PortId_t port_num;
    bit<16>  packet_id;
}

header pktgen_recirc_header_t {
    @padding bit<3> _pad1;
    bit<2>  pipe_id;
    bit<3>  app_id;
    bit<24> key;
    bit<16> packet_id;
}

header ptp_metadata_t {
    bit<8>  udp_cksum_byte_offset;
    bit<8>  cf_byte_offset;
    bit<48> updated_cf;
}

parser IngressParserT<H, M>(packet_in pkt,
                            out H hdr,
                            out M ig_md,
                            @optional out ingress_intrinsic_metadata_t ig_intr_md,
                            @optional out ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm,
                            @optional out ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr);

parser EgressParserT<H, M>(packet_in pkt,
                           out H hdr,
                           out M eg_md,
                           @optional out egress_intrinsic_metadata_t eg_intr_md,
                           @optional out egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr);

control IngressT<H, M>(inout H hdr,
                       inout M ig_md,
                       @optional in ingress_intrinsic_metadata_t ig_intr_md,
                       @optional in ingress_intrinsic_metadata_from_parser_t ig_intr_md_from_prsr,
                       @optional inout ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
                       @optional inout ingress_intrinsic_metadata_for_tm_t ig_intr_md_for_tm);

control EgressT<H, M>(inout H hdr,
                      inout M eg_md,
                      @optional in egress_intrinsic_metadata_t eg_intr_md,
                      @optional in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr,
                      @optional inout egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
                      @optional inout egress_intrinsic_metadata_for_output_port_t eg_intr_md_for_oport);

control IngressDeparserT<H, M>(packet_out pkt,
                               inout H hdr,
                               in M metadata,
                               @optional in ingress_intrinsic_metadata_for_deparser_t ig_intr_md_for_dprsr,
                               @optional in ingress_intrinsic_metadata_t ig_intr_md);

control EgressDeparserT<H, M>(packet_out pkt,
                              inout H hdr,
                              in M metadata,
                              @optional in egress_intrinsic_metadata_for_deparser_t eg_intr_md_for_dprsr,
                              @optional in egress_intrinsic_metadata_t eg_intr_md,
                              @optional in egress_intrinsic_metadata_from_parser_t eg_intr_md_from_prsr);

package Pipeline<IH, IM, EH, EM>(IngressParserT<IH, IM> ingress_parser,
                                 IngressT<IH, IM> ingress,
                                 IngressDeparserT<IH, IM> ingress_deparser,
                                 EgressParserT<EH, EM> egress_parser,
                                 EgressT<EH, EM> egress,
                                 EgressDeparserT<EH, EM> egress_deparser);

@pkginfo(arch = "TNA", version = "1.0.1")
package Switch<IH0, IM0, EH0, EM0, IH1, IM1, EH1, EM1, IH2, IM2, EH2, EM2, IH3, IM3, EH3, EM3>(
    Pipeline<IH0, IM0, EH0, EM0> pipe0,
    @optional Pipeline<IH1, IM1, EH1, EM1> pipe1,
    @optional Pipeline<IH2, IM2, EH2, EM2> pipe2,
    @optional Pipeline<IH3, IM3, EH3, EM3> pipe3);

#endif // _TNA_P4_
