// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// A type parameter of the package binds to the program's own structs.

#define OWN_METADATA
#include "../begin.p4"

typedef tuple<bit<8>, bool> kind_t;
struct flags_t { bool on; kind_t kind; }
struct metadata_t { flags_t flags; }
control Flags(inout flags_t f) {
    apply {
        f.on = !f.on;
        f.kind = { f.kind[0] + 1, f.on };
    }
}
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    Flags() flags;
    apply {
        flags.apply(meta.flags);
        flags.apply(meta.flags);
        hdr.data.e = meta.flags.kind[0];
        if (!meta.flags.on && !meta.flags.kind[1]) { hdr.data.f = 1; }
    }
}

#include "../end.p4"
