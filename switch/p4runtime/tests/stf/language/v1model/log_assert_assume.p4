// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// They change nothing while they hold.

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        log_msg("nothing");
        log_msg("e is {}, sum {}", { hdr.data.e, hdr.data.e + hdr.data.f });
        assert(hdr.data.e == 1);
        assume(hdr.data.f != 9);
        hdr.data.h = 1;
    }
}

#include "../end.p4"
