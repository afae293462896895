// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Parsers: states, extraction, selections, sub-parsers, value sets.

use super::{PLAIN, Parts, Programs};

pub const PROGRAMS: &Programs = &[
    (
        "implicit_reject",
        Parts {
            states: "state start { pkt.extract(hdr.h); }",
            ..PLAIN
        },
    ),
    (
        "parser_loop",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { 0: accept; default: loop; } } state loop { pkt.extract(hdr.s.next); transition select(hdr.s.last.a) { 0: accept; _: loop; } }",
            deparser: "pkt.emit(hdr.h); pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "select_mix",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.c) {\n (0x10 &&& 0xf0, _): a; (1..5, 0x0800): b; (default, 16w5): c; (_, _): accept; default: reject; } }\n state a { transition accept; } state b { transition c; } state c { verify(hdr.h.a != 7, error.NoMatch); transition reject; }",
            ..PLAIN
        },
    ),
    (
        "user_errors",
        Parts {
            types: "error { BadThing, Worse }\n",
            states: "state start { pkt.extract(hdr.h); verify(hdr.h.a == 1, error.BadThing); transition accept; }",
            body: "if (sm.parser_error == error.Worse) { mark_to_drop(sm); }",
            ..PLAIN
        },
    ),
    (
        "value_set",
        Parts {
            parser_locals: "@name(\"pvs\") value_set<bit<8>>(4) vs;",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a) { vs: more; default: accept; } } state more { pkt.extract(hdr.g); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "value_set_struct",
        Parts {
            types: "struct k_t { @match(ternary) bit<8> a; @match(lpm) bit<16> c; bit<8> e; }\n",
            parser_locals: "value_set<k_t>(4) vs;",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.c, hdr.h.b) { vs: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "subparser",
        Parts {
            top: "parser Sub(packet_in pkt, out h_t h, in bit<8> k) { state start { transition select(k) { 0: q; default: accept; } } state q { pkt.extract(h); transition accept; } }\n",
            parser_locals: "Sub() sub;",
            states: "state start { pkt.extract(hdr.h); sub.apply(pkt, hdr.g, hdr.h.a); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "lookahead",
        Parts {
            states: "state start { bit<8> x = pkt.lookahead<bit<8>>(); transition select(pkt.lookahead<bit<16>>()[15:8]) { 1: accept; default: q; } } state q { pkt.advance(8); pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "lookahead_hdr",
        Parts {
            types: "",
            states: "state start { h_t t = pkt.lookahead<h_t>(); hdr.g = t; pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "extract_underscore",
        Parts {
            states: "state start { pkt.extract<h_t>(_); pkt.extract(hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_const",
        Parts {
            parser_locals: "const bit<8> K = 5; bit<8> t = 3; h_t tmp;",
            states: "state start { pkt.extract(tmp); hdr.h = tmp; transition select(hdr.h.a) { K: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "parser_if",
        Parts {
            states: "state start { pkt.extract(hdr.h); if (hdr.h.a == 1) { pkt.extract(hdr.g); } else { hdr.h.b = 3; } transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_block",
        Parts {
            states: "state start { { bit<8> q; pkt.extract(hdr.h); q = hdr.h.a; meta.x = q; } transition accept; }",
            ..PLAIN
        },
    ),
    (
        "varbit",
        Parts {
            headers: "header h_t { bit<8> a; varbit<320> v; }\n",
            hdr: "struct headers { h_t h; }\n",
            states: "state start { pkt.extract(hdr.h, (bit<32>)(pkt.lookahead<bit<8>>()) * 8); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "bool_hdr",
        Parts {
            headers: "header h_t { bool f; bit<7> p; bit<8> a; }\n",
            body: "hdr.h.f = !hdr.h.f; if (hdr.h.f) { hdr.h.a = 1; }",
            ..PLAIN
        },
    ),
    (
        "sm_in_parser",
        Parts {
            states: "state start { pkt.extract(hdr.h); meta.x = (bit<8>)sm.ingress_port; transition select(sm.ingress_port) { 1: accept; default: accept; } }",
            ..PLAIN
        },
    ),
    (
        "length",
        Parts {
            states: "state start { meta.z = pkt.length(); pkt.extract(hdr.h); transition accept; }",
            p4info_only: true,
            ..PLAIN
        },
    ),
    (
        "select_struct",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a, hdr.h.b, hdr.h.c) { (1, 2, 3): accept; (4 &&& 7, 5 .. 6, _): accept; default: reject; } }",
            ..PLAIN
        },
    ),
    (
        "select_nested_mask",
        Parts {
            types: "const bit<16> ETH = 0x800;\n",
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.c, hdr.h.isValid()) { (ETH, true): accept; (ETH ..  0x900, _): accept; (_, false): accept; } }",
            ..PLAIN
        },
    ),
    (
        "select_bool",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.a == 1) { true: accept; false: reject; } }",
            ..PLAIN
        },
    ),
    (
        "parser_two_sub",
        Parts {
            top: "parser S1(packet_in p, inout headers h) { state start { p.extract(h.g); transition accept; } } parser S2(packet_in p, inout headers h) { S1() s; state start { transition select(h.h.a) { 1: x; _: accept; } } state x { s.apply(p, h); transition accept; } }\n",
            parser_locals: "S2() s2;",
            states: "state start { pkt.extract(hdr.h); s2.apply(pkt, hdr); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "subparser_direct",
        Parts {
            top: "parser S1(packet_in p, out h_t h) { state start { p.extract(h); transition accept; } }\n",
            states: "state start { S1.apply(pkt, hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "parser_ctor",
        Parts {
            top: "parser S1(packet_in p, out h_t h)(bit<8> k) { state start { p.extract(h); transition select(h.a) { k: accept; default: reject; } } }\n",
            parser_locals: "S1(5) s;",
            states: "state start { s.apply(pkt, hdr.h); transition accept; }",
            ..PLAIN
        },
    ),
    (
        "error_enum_key",
        Parts {
            locals: "table t { key = { sm.parser_error: exact; } actions = { NoAction; } const entries = { error.NoError: NoAction(); error.PacketTooShort: NoAction(); } }",
            body: "t.apply();",
            ..PLAIN
        },
    ),
    (
        "lastindex",
        Parts {
            hdr: "struct headers { h_t h; h_t[4] s; }\n",
            states: "state start { pkt.extract(hdr.s.next); transition select(hdr.s.lastIndex) { 0: start2; default: accept; } } state start2 { pkt.extract(hdr.s.next); meta.z = hdr.s.lastIndex; transition accept; }",
            deparser: "pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "recursive_state",
        Parts {
            hdr: "struct headers { h_t h; h_t[8] s; }\n",
            states: "state start { pkt.extract(hdr.s.next); transition select(hdr.s.last.a[0:0]) { 1: accept; 0: start; } }",
            deparser: "pkt.emit(hdr.s);",
            ..PLAIN
        },
    ),
    (
        "big_select",
        Parts {
            states: "state start { pkt.extract(hdr.h); transition select(hdr.h.c) { 0: accept; 1: accept; 2: accept; 3: accept; 4: accept; 5: accept; 6: accept; 7: accept; 8: accept; 9: accept; 10: accept; 11: accept; 12: accept; 13: accept; 14: accept; 15: accept; 16: accept; 17: accept; 18: accept; 19: accept; 20: accept; 21: accept; 22: accept; 23: accept; 24: accept; 25: accept; 26: accept; 27: accept; 28: accept; 29: accept; 30: accept; 31: accept; 32: accept; 33: accept; 34: accept; 35: accept; 36: accept; 37: accept; 38: accept; 39: accept; 40: accept; 41: accept; 42: accept; 43: accept; 44: accept; 45: accept; 46: accept; 47: accept; 48: accept; 49: accept; 50: accept; 51: accept; 52: accept; 53: accept; 54: accept; 55: accept; 56: accept; 57: accept; 58: accept; 59: accept; 60: accept; 61: accept; 62: accept; 63: accept; 64: accept; 65: accept; 66: accept; 67: accept; 68: accept; 69: accept; 70: accept; 71: accept; 72: accept; 73: accept; 74: accept; 75: accept; 76: accept; 77: accept; 78: accept; 79: accept; 80: accept; 81: accept; 82: accept; 83: accept; 84: accept; 85: accept; 86: accept; 87: accept; 88: accept; 89: accept; 90: accept; 91: accept; 92: accept; 93: accept; 94: accept; 95: accept; 96: accept; 97: accept; 98: accept; 99: accept; 100: accept; 101: accept; 102: accept; 103: accept; 104: accept; 105: accept; 106: accept; 107: accept; 108: accept; 109: accept; 110: accept; 111: accept; 112: accept; 113: accept; 114: accept; 115: accept; 116: accept; 117: accept; 118: accept; 119: accept; 120: accept; 121: accept; 122: accept; 123: accept; 124: accept; 125: accept; 126: accept; 127: accept; 128: accept; 129: accept; 130: accept; 131: accept; 132: accept; 133: accept; 134: accept; 135: accept; 136: accept; 137: accept; 138: accept; 139: accept; 140: accept; 141: accept; 142: accept; 143: accept; 144: accept; 145: accept; 146: accept; 147: accept; 148: accept; 149: accept; 150: accept; 151: accept; 152: accept; 153: accept; 154: accept; 155: accept; 156: accept; 157: accept; 158: accept; 159: accept; 160: accept; 161: accept; 162: accept; 163: accept; 164: accept; 165: accept; 166: accept; 167: accept; 168: accept; 169: accept; 170: accept; 171: accept; 172: accept; 173: accept; 174: accept; 175: accept; 176: accept; 177: accept; 178: accept; 179: accept; 180: accept; 181: accept; 182: accept; 183: accept; 184: accept; 185: accept; 186: accept; 187: accept; 188: accept; 189: accept; 190: accept; 191: accept; 192: accept; 193: accept; 194: accept; 195: accept; 196: accept; 197: accept; 198: accept; 199: accept; 200: accept; 201: accept; 202: accept; 203: accept; 204: accept; 205: accept; 206: accept; 207: accept; 208: accept; 209: accept; 210: accept; 211: accept; 212: accept; 213: accept; 214: accept; 215: accept; 216: accept; 217: accept; 218: accept; 219: accept; 220: accept; 221: accept; 222: accept; 223: accept; 224: accept; 225: accept; 226: accept; 227: accept; 228: accept; 229: accept; 230: accept; 231: accept; 232: accept; 233: accept; 234: accept; 235: accept; 236: accept; 237: accept; 238: accept; 239: accept; 240: accept; 241: accept; 242: accept; 243: accept; 244: accept; 245: accept; 246: accept; 247: accept; 248: accept; 249: accept; 250: accept; 251: accept; 252: accept; 253: accept; 254: accept; 255: accept; 256: accept; 257: accept; 258: accept; 259: accept; 260: accept; 261: accept; 262: accept; 263: accept; 264: accept; 265: accept; 266: accept; 267: accept; 268: accept; 269: accept; 270: accept; 271: accept; 272: accept; 273: accept; 274: accept; 275: accept; 276: accept; 277: accept; 278: accept; 279: accept; 280: accept; 281: accept; 282: accept; 283: accept; 284: accept; 285: accept; 286: accept; 287: accept; 288: accept; 289: accept; 290: accept; 291: accept; 292: accept; 293: accept; 294: accept; 295: accept; 296: accept; 297: accept; 298: accept; 299: accept; default: reject; } }",
            ..PLAIN
        },
    ),
];
