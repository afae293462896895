// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Structs, headers, functions with type parameters; inferred and given.

#define OWN_HEADERS
#include "../begin.p4"

struct pair_t<T, U> { T first; U second; }
struct box_t<T> { T v; }
header value_t<T> { T v; }
struct headers_t { data_t data; value_t<bit<16>> x; value_t<bit<8>> y; }
T pick<T>(in bool c, in T x, in T y) {
    if (c) { return x; }
    return y;
}
void put<T>(out T dst, in T src) { dst = src; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        pair_t<bit<8>, bit<16>> p = { 1, 2 };
        box_t<pair_t<bit<8>, bit<8>>> q = { v = { 4, 5 } };
        hdr.data.f = pick(hdr.data.e == 1, p.first, q.v.first);
        hdr.data.c = pick<bit<16>>(hdr.data.e == 1, p.second, 9);
        put(hdr.x, (value_t<bit<16>>){ v = 0xABCD });
        put(hdr.y, { 0xEF });
        put(q.v, { 6, 7 });
        hdr.data.g = q.v.first + q.v.second;
    }
}

#include "../end.p4"
