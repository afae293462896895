// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Changes of programs that are valid, so that most of what is left is valid too.

use serde_json::Value;

use crate::bytes::Bytes;

/// Edits of one program.
const MAX_EDITS: usize = 6;
/// Words that are put into P4 programs.
const WORDS: &[&str] = &[
    "0",
    "1",
    "8w255",
    "-1",
    "32w0xffffffff",
    "4s7",
    "128",
    "true",
    "hdr",
    "hdr.h",
    "meta",
    "sm",
    "bit<8>",
    "bit<1>",
    "int<8>",
    "bit<2048>",
    "varbit<32>",
    "bool",
    "int",
    "error",
    "string",
    "void",
    "in",
    "out",
    "inout",
    "header",
    "struct",
    "enum",
    "table",
    "action",
    "control",
    "parser",
    "state",
    "transition",
    "select",
    "default",
    "_",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".",
    "++",
    "<<",
    ">>",
    "|+|",
    "&&&",
    "..",
    "?",
    ":",
    "=",
    "==",
    "!",
    "~",
    "-",
    "*",
    "/",
    "%",
    "exit",
    "return",
    "apply",
    "isValid()",
    "setInvalid()",
    "last",
    "next",
    "@name(\"a.b\")",
    "const",
    "key",
    "size",
    "actions",
    "entries",
    "priority",
    "if",
    "else",
    "switch",
    "for",
];
/// Strings that mean something in BMv2 JSON.
const STRINGS: &[&str] = &[
    "",
    "*",
    "0x",
    "-0x1",
    "0xffffffffffffffffffffffffffffffffffffffff",
    "scalars",
    "standard_metadata",
    "exact",
    "lpm",
    "ternary",
    "range",
    "optional",
    "valid",
    "$valid$",
    "field",
    "hexstr",
    "header",
    "header_stack",
    "stack_field",
    "header_union",
    "expression",
    "bool",
    "lookahead",
    "runtime_data",
    "local",
    "register_array",
    "<<",
    ">>",
    "?",
    "/",
    "%",
    "two_comp_mod",
    "usat_cast",
    "sat_cast",
    "d2b",
    "b2d",
    "assign",
    "assign_header",
    "add_header",
    "remove_header",
    "push",
    "pop",
    "_jump",
    "_jump_if_zero",
    "truncate",
    "advance",
    "shift",
    "set",
    "extract",
    "extract_VL",
    "verify",
    "primitive",
    "log_msg",
    "register_read",
    "register_write",
    "count",
    "execute_meter",
    "generate_digest",
    "recirculate",
    "resubmit",
    "clone_ingress_pkt_to_egress",
    "modify_field_with_hash_based_offset",
    "mark_to_drop",
    "exit",
    "crc16",
    "crc32",
    "csum16",
    "identity",
];

/// Rough tokens: words, and every other character alone.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut word = 0;
    for (i, c) in text.char_indices() {
        if !(c.is_alphanumeric() || c == '_') {
            if word < i {
                out.push(&text[word..i]);
            }
            word = i + c.len_utf8();
            out.push(&text[i..word]);
        }
    }
    out.push(&text[word..]);
    out
}

/// A P4 program with some tokens left out, doubled, swapped or replaced.
pub fn source(seed: &str, bytes: &mut Bytes<'_>) -> String {
    // What comes before stays: without its includes a program says little.
    let (head, body) = seed.split_at(seed.find("header ").unwrap_or(0));
    let mut list = tokens(body);
    for _ in 0..=bytes.below(MAX_EDITS) {
        let at = usize::from(bytes.u16()) % list.len();
        match bytes.u8() % 6 {
            0 => drop(list.remove(at)),
            1 => list.insert(at, list[at]),
            2 => {
                let other = usize::from(bytes.u16()) % list.len();
                list.swap(at, other);
            }
            3 => list[at] = list[usize::from(bytes.u16()) % list.len()],
            4 => list[at] = WORDS[bytes.below(WORDS.len())],
            // A run of tokens: statements and blocks, not single words.
            _ => {
                let from = usize::from(bytes.u16()) % list.len();
                let run: Vec<&str> = list[from..]
                    .iter()
                    .take(1 + bytes.below(64))
                    .copied()
                    .collect();
                list.splice(at..at, run);
            }
        }
        if list.is_empty() {
            break;
        }
    }
    format!("{head}{}", list.concat())
}

/// All places in a JSON, as pointers.
fn places(v: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_string());
    match v {
        Value::Array(a) => {
            for (i, v) in a.iter().enumerate() {
                places(v, &format!("{at}/{i}"), out);
            }
        }
        Value::Object(o) => {
            for (k, v) in o {
                places(
                    v,
                    &format!("{at}/{}", k.replace('~', "~0").replace('/', "~1")),
                    out,
                );
            }
        }
        _ => {}
    }
}

/// Replaces some values of a JSON.
pub fn json(value: &mut Value, bytes: &mut Bytes<'_>) {
    for _ in 0..=bytes.below(MAX_EDITS) {
        let mut all = Vec::new();
        places(value, "", &mut all);
        let at = &all[bytes.u32() as usize % all.len()];
        let other = &all[bytes.u32() as usize % all.len()];
        let new = match bytes.u8() % 10 {
            0 => Value::Null,
            1 => Value::Bool(true),
            2 | 3 => Value::from(bytes.any()),
            4 => Value::from(-i64::from(bytes.u16())),
            5 => Value::Array(Vec::new()),
            6 | 7 => Value::from(STRINGS[bytes.below(STRINGS.len())]),
            _ => value.pointer(other).cloned().unwrap_or_default(),
        };
        let old = value.pointer(at).cloned().unwrap_or_default();
        let Some(place) = value.pointer_mut(at) else {
            continue;
        };
        match (place, bytes.u8() % 4) {
            (Value::Array(list), 0) => list.push(new),
            (Value::Array(list), 1) => drop(list.pop()),
            (place, _) => *place = new,
        }
        // Copying a part into itself again and again grows without end.
        if all.len() > 100_000
            && let Some(place) = value.pointer_mut(at)
        {
            *place = old;
        }
    }
}
