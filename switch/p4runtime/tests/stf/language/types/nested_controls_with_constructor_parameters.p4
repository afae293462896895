// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

control Add(inout bit<8> v)(bit<8> n, bool twice) {
    apply {
        v = v + n;
        if (twice) { v = v + n; }
    }
}
control Outer(inout bit<8> v)(bit<8> n) {
    Add(n + 1, true) one;
    Add(twice = false, n = n) two;
    apply { one.apply(v); two.apply(v); }
}
control Twice(inout bit<8> v) {
    Outer(0x10) o;
    Outer(1) p;
    apply { o.apply(v); p.apply(v); }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Twice() t;
    Add(4, false) a;
    apply { t.apply(hdr.data.e); a.apply(hdr.data.f); Twice.apply(hdr.data.g); }
}

#include "../end.p4"
