// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply { truncate((bit<32>)hdr.data.e); sm.egress_spec = 1; }
}

#include "../end.p4"
