// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What the other seeds leave out: header stacks and unions, varbit, lookahead, loops, clones, recirculation.

#include <core.p4>
#include <v1model.p4>

header label_t {
    bit<20> label;
    bit<3> tc;
    bit<1> bos;
    bit<8> ttl;
}

header short_t {
    bit<8> kind;
    bit<8> value;
}

header long_t {
    bit<8> kind;
    bit<24> value;
}

header_union option_t {
    short_t short;
    long_t long;
}

header tail_t {
    bit<8> length;
    varbit<64> data;
}

struct headers_t {
    label_t[3] labels;
    option_t option;
    tail_t tail;
}

struct kept_t {
    @field_list(1)
    bit<8> rounds;
    @field_list(1, 2)
    bit<16> key;
}

struct metadata_t {
    kept_t kept;
    bit<8> sum;
}

error {
    TooManyLabels
}

T either<T>(in bool first, in T a, in T b) {
    return first ? a : b;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> count = 0;
    state start {
        transition select(packet.lookahead<bit<8>>()) {
            0xff: parse_tail;
            0xf0 &&& 0xf0: parse_option;
            default: parse_label;
        }
    }
    state parse_label {
        packet.extract(hdr.labels.next);
        count = count + 1;
        verify(count < 4, error.TooManyLabels);
        transition select(hdr.labels.last.bos) {
            0: parse_label;
            default: parse_option;
        }
    }
    state parse_option {
        transition select(packet.lookahead<short_t>().kind) {
            1: parse_short;
            2: parse_long;
            default: parse_tail;
        }
    }
    state parse_short {
        packet.extract(hdr.option.short);
        transition parse_tail;
    }
    state parse_long {
        packet.extract(hdr.option.long);
        packet.advance(8);
        transition parse_tail;
    }
    state parse_tail {
        packet.extract(hdr.tail, (bit<32>)(packet.lookahead<bit<8>>() & 7) * 8);
        transition accept;
    }
}

control V(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        sm.egress_spec = 1;
        if (sm.parser_error != error.NoError) {
            mark_to_drop(sm);
            return;
        }
        for (bit<8> i in 0 .. 2) {
            meta.sum = meta.sum + i;
        }
        if (hdr.labels[0].isValid()) {
            if (hdr.labels[0].ttl == 0) {
                hdr.labels.pop_front(1);
            } else {
                hdr.labels.push_front(1);
                hdr.labels[0] = { 5, 1, 0, either(hdr.labels[1].ttl > 3, hdr.labels[1].ttl, 8w3) - 1 };
            }
        }
        if (hdr.option.short.isValid()) {
            meta.kept.key = (bit<16>)hdr.option.short.value;
            switch (hdr.option.short.value) {
                1: { clone_preserving_field_list(CloneType.I2E, 7, 1); }
                2: { resubmit_preserving_field_list(2); }
                3: { sm.mcast_grp = 9; }
                default: { hdr.option.short.value = hdr.option.short.value |-| 1; }
            }
        }
    }
}

control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.instance_type == 0 && hdr.option.long.isValid()) {
            meta.kept.rounds = meta.kept.rounds + 1;
            recirculate_preserving_field_list(1);
        }
        truncate(32w60);
    }
}

control C(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}

V1Switch(P(), V(), I(), E(), C(), D()) main;
