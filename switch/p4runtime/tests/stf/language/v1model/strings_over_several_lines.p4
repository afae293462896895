// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    @brief("Sets e,
and nothing else")
    action set() { hdr.data.e = 1; }
    apply {
        set();
        log_msg("two
lines");
    }
}

#include "../end.p4"
