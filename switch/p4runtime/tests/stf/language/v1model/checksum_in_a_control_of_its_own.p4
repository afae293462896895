// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#define OWN_COMPUTE
#include "../begin.p4"

control Sum(inout data_t d) {
    apply {
        update_checksum(d.h == 1, { d.a, d.b }, d.c, HashAlgorithm.csum16);
    }
}
control C(inout headers_t hdr, inout metadata_t meta) {
    Sum() sum;
    apply {
        sum.apply(hdr.data);
    }
}
#define NO_INGRESS
#include "../end.p4"
