// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! JSON with keys in the order they were put in, written the way p4c writes it.

use std::fmt::Write as _;

use num_bigint::{BigInt, Sign};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Int(i128),
    /// A string.
    Str(String),
    /// An array.
    Array(Vec<Json>),
    /// An object.
    Object(Vec<(String, Json)>),
}

impl From<bool> for Json {
    fn from(v: bool) -> Json {
        Json::Bool(v)
    }
}

impl From<&str> for Json {
    fn from(v: &str) -> Json {
        Json::Str(v.to_string())
    }
}

impl From<String> for Json {
    fn from(v: String) -> Json {
        Json::Str(v)
    }
}

impl From<usize> for Json {
    fn from(v: usize) -> Json {
        Json::Int(i128::try_from(v).unwrap_or(i128::MAX))
    }
}

impl From<u32> for Json {
    fn from(v: u32) -> Json {
        Json::Int(i128::from(v))
    }
}

impl From<u64> for Json {
    fn from(v: u64) -> Json {
        Json::Int(i128::from(v))
    }
}

impl From<Vec<Json>> for Json {
    fn from(v: Vec<Json>) -> Json {
        Json::Array(v)
    }
}

/// An object of these keys and values.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(
        fields
            .into_iter()
            .map(|(k, v)| (k.to_string(), v))
            .collect(),
    )
}

/// `{"type": ty, "value": value}`
pub fn typed(ty: &str, value: impl Into<Json>) -> Json {
    object([("type", ty.into()), ("value", value.into())])
}

/// A number in hexadecimal of at least `bytes` bytes.
pub fn hex(value: &BigInt, bytes: u32) -> Json {
    let (sign, magnitude) = (value.sign(), value.magnitude());
    let digits = format!("{magnitude:x}");
    let width = (bytes as usize * 2).max(digits.len());
    let minus = if sign == Sign::Minus { "-" } else { "" };
    Json::Str(format!("{minus}0x{digits:0>width$}"))
}

/// `{"type": "hexstr", "value": "0x..."}`, padded to the bytes of `width` bits.
pub fn hexstr(value: &BigInt, width: u32) -> Json {
    typed("hexstr", hex(value, width.div_ceil(8)))
}

impl Json {
    /// Adds a key to an object.
    pub fn push(&mut self, key: &str, value: impl Into<Json>) {
        if let Json::Object(fields) = self {
            fields.push((key.to_string(), value.into()));
        }
    }

    /// How deep its brackets and braces go.
    pub fn nesting(&self) -> usize {
        let deepest = |inner: &mut dyn Iterator<Item = &Json>| {
            1 + inner.map(Json::nesting).max().unwrap_or(0)
        };
        match self {
            Json::Array(l) => deepest(&mut l.iter()),
            Json::Object(l) => deepest(&mut l.iter().map(|(_, v)| v)),
            _ => 0,
        }
    }

    fn is_flat(&self) -> bool {
        match self {
            Json::Array(l) => l.is_empty(),
            Json::Object(l) => l.is_empty(),
            _ => true,
        }
    }

    fn write(&self, out: &mut String, indent: usize) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Json::Int(i) => {
                let _ = write!(out, "{i}");
            }
            Json::Str(s) => string(out, s),
            Json::Array(l) if l.iter().all(Json::is_flat) => {
                out.push('[');
                for (i, v) in l.iter().enumerate() {
                    if i > 0 {
                        out.push_str(", ");
                    }
                    v.write(out, indent);
                }
                out.push(']');
            }
            Json::Array(l) => {
                out.push_str("[\n");
                for (i, v) in l.iter().enumerate() {
                    if i > 0 {
                        out.push_str(",\n");
                    }
                    pad(out, indent + 1);
                    v.write(out, indent + 1);
                }
                out.push('\n');
                pad(out, indent);
                out.push(']');
            }
            Json::Object(l) if l.is_empty() => out.push_str("{}"),
            Json::Object(l) => {
                out.push_str("{\n");
                for (i, (k, v)) in l.iter().enumerate() {
                    if i > 0 {
                        out.push_str(",\n");
                    }
                    pad(out, indent + 1);
                    string(out, k);
                    out.push_str(" : ");
                    v.write(out, indent + 1);
                }
                out.push('\n');
                pad(out, indent);
                out.push('}');
            }
        }
    }

    /// As text, ended by a line feed.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        self.write(&mut out, 0);
        out.push('\n');
        out
    }
}

fn pad(out: &mut String, indent: usize) {
    for _ in 0..indent {
        out.push_str("  ");
    }
}

fn string(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_padded_to_bytes() {
        assert_eq!(hex(&BigInt::from(0x800), 2), Json::from("0x0800"));
        assert_eq!(hex(&BigInt::from(0), 1), Json::from("0x00"));
        assert_eq!(hex(&BigInt::from(-5), 1), Json::from("-0x05"));
        assert_eq!(hex(&BigInt::from(0x12345), 1), Json::from("0x12345"));
    }

    #[test]
    fn text_is_json() {
        let j = object([
            (
                "a",
                Json::from(vec![Json::Null, 3u32.into(), "q\"\\\n\u{1}".into()]),
            ),
            ("b", object([])),
        ]);
        let text = j.to_text();
        let parsed: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
        assert_eq!(
            parsed,
            serde_json::json!({"a": [null, 3, "q\"\\\n\u{1}"], "b": {}})
        );
    }
}
