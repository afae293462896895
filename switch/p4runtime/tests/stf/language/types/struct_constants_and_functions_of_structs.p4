// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

struct point_t { bit<8> x; bit<8> y; }
const point_t ORIGIN = { 3, 4 };
const point_t OTHER = { y = 9, x = ORIGIN.x + 1 };
point_t move(in point_t p, in bit<8> by) {
    point_t r = p;
    r.x = r.x + by;
    return r;
}
point_t turn(in point_t p) { return { p.y, p.x }; }
bit<8> sum(in point_t p) { return p.x + p.y; }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        point_t p = move(ORIGIN, 2);
        hdr.data.e = p.x;
        hdr.data.f = move(turn(OTHER), 1).x;
        hdr.data.g = sum({ 1, 2 }) + sum(turn(move(p, 1)));
        p = turn(p);
        hdr.data.h = p.x;
    }
}

#include "../end.p4"
