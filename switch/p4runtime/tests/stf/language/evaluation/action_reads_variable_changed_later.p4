// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// An action sees the control's variables as they are when it runs.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    bit<8> v = 1;
    action copy_to(out bit<8> dst) { dst = v; }
    action own(out bit<8> dst) { v = v + 1; dst = v; v = v + 1; }
    apply {
        copy_to(hdr.data.e);
        v = 7;
        copy_to(hdr.data.f);
        own(v);
        hdr.data.g = v;
    }
}

#include "../end.p4"
