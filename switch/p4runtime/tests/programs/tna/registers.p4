// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Registers of numbers and of pairs, and of a table's entries.

#include "frame.p4"

struct pair_t {
    bit<32> low;
    bit<32> high;
}

INGRESS {
    Register<bit<16>, bit<10>>(1024, 7) counts;
    RegisterAction<bit<16>, bit<10>, bit<16>>(counts) count = {
        void apply(inout bit<16> value, out bit<16> read_value) {
            value = value + 1;
            read_value = value;
        }
    };
    Register<pair_t, bit<10>>(1024) pairs;
    RegisterAction<pair_t, bit<10>, bit<32>>(pairs) swap = {
        void apply(inout pair_t value, out bit<32> read_value) {
            read_value = value.low;
            value.low = value.high;
            value.high = value.high + 1;
        }
    };
    DirectRegister<bit<32>>() last_seen;
    DirectRegisterAction<bit<32>, bit<32>>(last_seen) see = {
        void apply(inout bit<32> value, out bit<32> read_value) {
            read_value = value;
            value = value + 1;
        }
    };

    action note(PortId_t port) {
        md.value = see.execute();
        ig_tm_md.ucast_egress_port = port;
    }

    table seen {
        key = { hdr.ethernet.src_addr : exact; }
        actions = { note; @defaultonly NoAction; }
        registers = last_seen;
        size = 1024;
    }

    apply {
        seen.apply();
        md.index = count.execute(hdr.ethernet.dst_addr[9:0]);
        hdr.ethernet.ether_type = md.index;
        if (md.value != 0) {
            md.value = swap.execute(hdr.ethernet.dst_addr[9:0]);
            hdr.ethernet.src_addr[31:0] = md.value;
        }
    }
}

SWITCH
