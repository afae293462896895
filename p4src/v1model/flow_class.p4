// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Which round-trip time a TCP connection has, by timing its handshake.
//
// The first ACK of the end that opens a connection follows its SYN by one round trip, seen from anywhere on the path. Both pass the
// same way, so that asymmetric routes do no harm. The class that the time falls into is kept for the connection; a packet of
// either direction is then judged by the curve of its class, which is one entry to change for each class.
//
// A slot holds one connection: the last whose SYN came. One that lost its slot is in class 0, as is what is not TCP, and as is a
// stranger unless its 13 bits of tag agree, one in 8192 of those that share the slot. Runs in ingress, after the policy.

#ifndef MECN_FLOW_CLASS_P4
#define MECN_FLOW_CLASS_P4

// Mixes the CRC's bits (the finalizer of MurmurHash3, A. Appleby). A CRC is linear: the flows of two hosts, whose ports follow each
// other, would share bits of a bitmap less often than chance has it, and be counted as too many.
const bit<32> MIX_1 = 0x85EB_CA6B;
const bit<32> MIX_2 = 0xC2B2_AE35;

// A slot: tag, whether the first ACK is awaited, class, time of the SYN in microseconds.
typedef bit<64> flow_slot_t;

control FlowHash(in headers_t hdr, out flow_hash_t flow) {
    apply {
        bit<16> src_port = 0;
        bit<16> dst_port = 0;

        if (hdr.tcp.isValid()) {
            src_port = hdr.tcp.src_port;
            dst_port = hdr.tcp.dst_port;
        } else if (hdr.udp.isValid()) {
            src_port = hdr.udp.src_port;
            dst_port = hdr.udp.dst_port;
        }
        // Lower address first: both directions of a connection are one flow.
        if (hdr.ipv6.isValid()) {
            if (hdr.ipv6.src_addr < hdr.ipv6.dst_addr) {
                hash(flow, HashAlgorithm.crc32, (bit<32>)0,
                     { hdr.ipv6.src_addr, hdr.ipv6.dst_addr, src_port, dst_port, hdr.ipv6.next_header },
                     (bit<64>)0x1_0000_0000);
            } else {
                hash(flow, HashAlgorithm.crc32, (bit<32>)0,
                     { hdr.ipv6.dst_addr, hdr.ipv6.src_addr, dst_port, src_port, hdr.ipv6.next_header },
                     (bit<64>)0x1_0000_0000);
            }
        } else if (hdr.ipv4.src_addr < hdr.ipv4.dst_addr) {
            hash(flow, HashAlgorithm.crc32, (bit<32>)0,
                 { hdr.ipv4.src_addr, hdr.ipv4.dst_addr, src_port, dst_port, hdr.ipv4.protocol }, (bit<64>)0x1_0000_0000);
        } else {
            hash(flow, HashAlgorithm.crc32, (bit<32>)0,
                 { hdr.ipv4.dst_addr, hdr.ipv4.src_addr, dst_port, src_port, hdr.ipv4.protocol }, (bit<64>)0x1_0000_0000);
        }
        flow = (flow ^ (flow >> 16)) * MIX_1;
        flow = (flow ^ (flow >> 13)) * MIX_2;
        flow = flow ^ (flow >> 16);
    }
}

control FlowClass(in headers_t hdr,
                  in timestamp_t now,
                  inout aqm_policy_t policy,
                  out flow_hash_t flow,
                  out rtt_class_t rtt_class) {
    FlowHash() flow_hash;
    register<flow_slot_t>(FLOW_SLOTS) flow_slots;

    rtt_t rtt;

    action set_class(rtt_class_t new_class) {
        rtt_class = new_class;
    }

    // The class of a connection, once, when its round-trip time is known.
    table aqm_rtt_class {
        key = {
            policy.profile_id: exact @name("profile_id");
            rtt: range @name("rtt");
        }
        actions = {
            set_class;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = AQM_RTT_CLASS_TABLE_SIZE;
    }

    action set_curve(profile_id_t curve) {
        policy.profile_id = curve;
    }

    // The curve of a class, where it is not the profile's own.
    table aqm_class_curve {
        key = {
            policy.profile_id: exact @name("profile_id");
            rtt_class: exact @name("rtt_class");
        }
        actions = {
            set_curve;
            @defaultonly NoAction;
        }
        const default_action = NoAction();
        size = AQM_CLASS_CURVE_TABLE_SIZE;
    }

    apply {
        flow_slot_t slot;
        bit<32> index;
        bit<13> tag;

        rtt_class = RTT_CLASS_UNKNOWN;
        flow_hash.apply(hdr, flow);
        if (hdr.tcp.isValid()) {
            index = (bit<32>)flow[15:0];
            tag = flow[28:16];
            if (hdr.tcp.syn == 1) {
                // Of a SYN that is sent again the last one counts. A SYN with ACK is the other end's.
                if (hdr.tcp.ack == 0) {
                    flow_slots.write(index, tag ++ 1w1 ++ RTT_CLASS_UNKNOWN ++ now);
                }
            } else {
                flow_slots.read(slot, index);
                if (slot[63:51] == tag) {
                    if (slot[50:50] == 0) {
                        rtt_class = slot[49:48];
                    } else if (hdr.tcp.ack == 1) {
                        timestamp_t elapsed = now - slot[47:0];
                        if (elapsed[47:24] == 0) {
                            rtt = elapsed[23:4];
                        } else {
                            rtt = 0xF_FFFF;
                        }
                        aqm_rtt_class.apply();
                        flow_slots.write(index, tag ++ 1w0 ++ rtt_class ++ now);
                    }
                }
            }
        }
        aqm_class_curve.apply();
    }
}

#endif
