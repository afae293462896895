// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A varbit longer than its type, and longer than what is left of the packet: which error there is.

#define OWN_HEADERS
#define OWN_PARSER
#include "../begin.p4"

header options_t { varbit<32> v; }
struct headers_t {
    data_t data;
    options_t options;
}
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        packet.extract(hdr.options, (bit<32>)hdr.data.e * 8);
        transition accept;
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (sm.parser_error == error.NoError) { hdr.data.f = 1; }
        if (sm.parser_error == error.HeaderTooShort) { hdr.data.f = 2; }
        if (sm.parser_error == error.PacketTooShort) { hdr.data.f = 3; }
        if (hdr.options.isValid()) { hdr.data.g = 1; }
    }
}

#include "../end.p4"
