// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

#include "../begin.p4"

enum bit<8> Kind { one = 1, two = 2, nine = 9 }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        switch (hdr.data.e + 1) {
            1: { hdr.data.f = 0x11; }
            2:
            3: { hdr.data.f = 0x23; }
            default: { hdr.data.f = 0xDD; }
        }
        switch ((Kind)hdr.data.e) {
            Kind.one: { hdr.data.g = 1; }
            Kind.nine: { hdr.data.g = 9; }
        }
        switch (hdr.data.c) {
            16w1: { hdr.data.h = 1; }
            0xFFFF: { hdr.data.h = 2; }
        }
    }
}

#include "../end.p4"
