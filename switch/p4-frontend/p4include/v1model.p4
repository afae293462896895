// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The v1model architecture, as BMv2's simple_switch implements it.
//
//            +--------+   +----------+   +---------+   +---------+   +--------+   +----------+   +----------+
//   packet ->| Parser |-->| Verify   |-->| Ingress |-->| queues, |-->| Egress |-->| Compute  |-->| Deparser |-> packet
//            +--------+   | Checksum |   +---------+   | copies  |   +--------+   | Checksum |   +----------+
//                         +----------+                 +---------+                +----------+
//
// Names, types, and the order of fields and members are part of the interface: P4Info and BMv2 JSON are made
// of them. V1MODEL_VERSION selects between two forms of it; from 20200408 on, indexed externs have a type
// parameter for the index.

#ifndef _V1_MODEL_P4_
#define _V1_MODEL_P4_

#ifndef V1MODEL_VERSION
#define V1MODEL_VERSION 20180101
#endif

#include <core.p4>

match_kind {
    range,
    optional, // an exact value, or anything
    selector  // input of an action selector's hash; not part of the key
}

const bit<32> __v1model_version = V1MODEL_VERSION;

#if V1MODEL_VERSION >= 20200408
typedef bit<9> PortId_t;
#endif

// What the switch tells the program about a packet, and the program tells the switch.
@metadata @name("standard_metadata")
struct standard_metadata_t {
#if V1MODEL_VERSION >= 20200408
    PortId_t ingress_port;
    PortId_t egress_spec; // where to send it, set in ingress; 511 drops it
    PortId_t egress_port; // where it goes, read in egress
#else
    bit<9>  ingress_port;
    bit<9>  egress_spec;
    bit<9>  egress_port;
#endif
    bit<32> instance_type; // 0 normal, 1 ingress clone, 2 egress clone, 4 recirculated, 5 replicated, 6 resubmitted
    bit<32> packet_length; // bytes
    // Queue: times in microseconds, depths in packets. Known in egress.
    @alias("queueing_metadata.enq_timestamp")
    bit<32> enq_timestamp;
    @alias("queueing_metadata.enq_qdepth")
    bit<19> enq_qdepth;
    @alias("queueing_metadata.deq_timedelta")
    bit<32> deq_timedelta;
    @alias("queueing_metadata.deq_qdepth")
    bit<19> deq_qdepth;
    // Microseconds since the switch was started.
    @alias("intrinsic_metadata.ingress_global_timestamp")
    bit<48> ingress_global_timestamp;
    @alias("intrinsic_metadata.egress_global_timestamp")
    bit<48> egress_global_timestamp;
    @alias("intrinsic_metadata.mcast_grp")
    bit<16> mcast_grp; // multicast group, 0 for none
    @alias("intrinsic_metadata.egress_rid")
    bit<16> egress_rid; // replication id of a multicast copy
    bit<1>  checksum_error; // 1 if a verify_checksum failed
    error   parser_error;
    @alias("intrinsic_metadata.priority")
    bit<3>  priority; // queue, where the port has several
}

enum CounterType {
    packets,
    bytes,
    packets_and_bytes
}

enum MeterType {
    packets,
    bytes
}

// An array of counters.
extern counter
#if V1MODEL_VERSION >= 20200408
<I>
#endif
{
    counter(bit<32> size, CounterType type);
#if V1MODEL_VERSION >= 20200408
    void count(in I index);
#else
    void count(in bit<32> index);
#endif
}

// A counter for each entry of the table whose property "counters" names it.
extern direct_counter {
    direct_counter(CounterType type);
    void count();
}

#define V1MODEL_METER_COLOR_GREEN  0
#define V1MODEL_METER_COLOR_YELLOW 1
#define V1MODEL_METER_COLOR_RED    2

// An array of two-rate three-colour meters (RFC 2698).
extern meter
#if V1MODEL_VERSION >= 20200408
<I>
#endif
{
    meter(bit<32> size, MeterType type);
#if V1MODEL_VERSION >= 20200408
    void execute_meter<T>(in I index, out T result);
#else
    void execute_meter<T>(in bit<32> index, out T result);
#endif
}

// A meter for each entry of the table whose property "meters" names it.
extern direct_meter<T> {
    direct_meter(MeterType type);
    void read(out T result);
}

// An array of values that outlive the packet.
#if V1MODEL_VERSION >= 20200408
extern register<T, I>
#else
extern register<T>
#endif
{
    register(bit<32> size);
#if V1MODEL_VERSION >= 20200408
    @noSideEffects
    void read(out T result, in I index);
    void write(in I index, in T value);
#else
    @noSideEffects
    void read(out T result, in bit<32> index);
    void write(in bit<32> index, in T value);
#endif
}

// Actions shared by entries of the tables whose property "implementation" names it.
extern action_profile {
    action_profile(bit<32> size);
}

// Uniform between lo and hi, both included.
extern void random<T>(out T result, in T lo, in T hi);

// Sends the value to the control plane.
extern void digest<T>(in bit<32> receiver, in T data);

enum HashAlgorithm {
    crc32,
    crc32_custom,
    crc16,
    crc16_custom,
    random,
    identity,
    csum16,
    xor16
}

@deprecated("Please use mark_to_drop(standard_metadata) instead.")
extern void mark_to_drop();

// Sets egress_spec to the drop port and mcast_grp to 0.
@pure
extern void mark_to_drop(inout standard_metadata_t standard_metadata);

// result = base + hash(data) % max, or base if max is 0.
@pure
extern void hash<O, T, D, M>(out O result, in HashAlgorithm algo, in T base, in D data, in M max);

// As action_profile, with groups out of which a hash picks a member.
extern action_selector {
    action_selector(HashAlgorithm algorithm, bit<32> size, bit<32> outputWidth);
}

enum CloneType {
    I2E,
    E2E
}

@deprecated("Please use verify_checksum/update_checksum instead.")
extern Checksum16 {
    Checksum16();
    bit<16> get<D>(in D data);
}

// Set checksum_error if the condition holds and the checksum of data is not the one given; with_payload
// includes what the parser left of the packet. For VerifyChecksum only.
extern void verify_checksum<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);
extern void verify_checksum_with_payload<T, O>(in bool condition, in T data, in O checksum, HashAlgorithm algo);

// Write the checksum of data if the condition holds. For ComputeChecksum only.
@pure
extern void update_checksum<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);
@noSideEffects
extern void update_checksum_with_payload<T, O>(in bool condition, in T data, inout O checksum, HashAlgorithm algo);

// Sends a copy of the packet to the ports of a clone session.
extern void clone(in CloneType type, in bit<32> session);
@deprecated("Please use 'clone_preserving_field_list' instead")
extern void clone3<T>(in CloneType type, in bit<32> session, in T data);
extern void clone_preserving_field_list(in CloneType type, in bit<32> session, bit<8> index);

// Ingress only: back to the parser, as it came.
@deprecated("Please use 'resubmit_preserving_field_list' instead")
extern void resubmit<T>(in T data);
extern void resubmit_preserving_field_list(bit<8> index);

// Egress only: back to the parser, as deparsed.
@deprecated("Please use 'recirculate_preserving_field_list' instead")
extern void recirculate<T>(in T data);
extern void recirculate_preserving_field_list(bit<8> index);

// Cuts the packet to a number of bytes when it is sent.
extern void truncate(in bit<32> length);

// Stop the switch with a message if the condition is false.
extern void assert(in bool check);
extern void assume(in bool check);

// To the switch's log; {} in the message stands for a field of data.
extern void log_msg(string msg);
extern void log_msg<T>(string msg, in T data);

// H: a struct of headers, header stacks and header unions. M: a struct, the program's own metadata.

parser Parser<H, M>(packet_in b,
                    out H parsedHdr,
                    inout M meta,
                    inout standard_metadata_t standard_metadata);

control VerifyChecksum<H, M>(inout H hdr, inout M meta);

@pipeline
control Ingress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

@pipeline
control Egress<H, M>(inout H hdr, inout M meta, inout standard_metadata_t standard_metadata);

control ComputeChecksum<H, M>(inout H hdr, inout M meta);

@deparser
control Deparser<H>(packet_out b, in H hdr);

package V1Switch<H, M>(Parser<H, M> p,
                       VerifyChecksum<H, M> vr,
                       Ingress<H, M> ig,
                       Egress<H, M> eg,
                       ComputeChecksum<H, M> ck,
                       Deparser<H> dep);

#endif // _V1_MODEL_P4_
