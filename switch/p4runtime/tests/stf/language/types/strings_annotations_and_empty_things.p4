// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

@brief("A program") @unknown(1, 2, "three") @structured[a = 1, b = "x"]
struct empty_t { }
enum Nothing { none }
const string TEXT = "text \"quoted\"";
@name("renamed") control Empty(inout headers_t hdr) { apply { ; } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    empty_t e;
    Empty() s;
    @hidden action nop() { }
    apply {
        ;
        { }
        nop();
        s.apply(hdr);
        empty_t f = e;
        if (e == f) { hdr.data.e = 1; }
        static_assert(1 + 1 == 2, TEXT);
        @atomic { hdr.data.f = 2; }
        log_msg(TEXT);
    }
}

#include "../end.p4"
