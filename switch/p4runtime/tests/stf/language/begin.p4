// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// What the programs beside this file begin with. One that has its own headers or metadata says so before.

#include <core.p4>
#include <v1model.p4>

header data_t {
    bit<32> a;
    bit<32> b;
    bit<16> c;
    bit<16> d;
    bit<8> e;
    bit<8> f;
    bit<8> g;
    bit<8> h;
}

#ifndef OWN_HEADERS
struct headers_t {
    data_t data;
}
#endif

#ifndef OWN_METADATA
struct metadata_t { }
#endif
