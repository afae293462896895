// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// The parts of a switch that the programs beside this file do not have of their own.

#ifndef OWN_PARSER
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start {
        packet.extract(hdr.data);
        transition accept;
    }
}
#endif

#ifndef OWN_VERIFY
control V(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}
#endif

#ifdef NO_INGRESS
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}
#endif

#ifndef OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { }
}
#endif

#ifndef OWN_COMPUTE
control C(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}
#endif

#ifndef OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr);
    }
}
#endif

V1Switch(P(), V(), I(), E(), C(), D()) main;
