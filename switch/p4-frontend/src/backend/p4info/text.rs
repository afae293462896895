// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Protobuf text format, as the C++ library prints it. Fields come in the order in which they were added, which is that
//! of their numbers.

use std::fmt::Write as _;

/// A message.
#[derive(Clone, Debug, Default)]
pub struct Message {
    fields: Vec<(String, Value)>,
}

#[derive(Clone, Debug)]
enum Value {
    Plain(String),
    Message(Message),
}

fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for b in bytes {
        match b {
            b'"' => out.push_str("\\\""),
            b'\'' => out.push_str("\\'"),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x20..=0x7e => out.push(char::from(*b)),
            other => {
                let _ = write!(out, "\\{other:03o}");
            }
        }
    }
    out.push('"');
    out
}

impl Message {
    /// A number; zero is the default and left out.
    pub fn number(&mut self, name: &str, value: u64) {
        if value != 0 {
            self.word(name, &value.to_string());
        }
    }

    /// An enum's value, or a number as text.
    pub fn word(&mut self, name: &str, value: &str) {
        self.fields
            .push((name.to_string(), Value::Plain(value.to_string())));
    }

    /// A string.
    pub fn string(&mut self, name: &str, value: &str) {
        self.bytes(name, value.as_bytes());
    }

    /// A string whose default is the empty one, which is left out.
    pub fn filled(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.string(name, value);
        }
    }

    /// Bytes.
    pub fn bytes(&mut self, name: &str, value: &[u8]) {
        self.fields
            .push((name.to_string(), Value::Plain(quoted(value))));
    }

    /// A message in the message.
    pub fn message(&mut self, name: &str, value: Message) {
        self.fields.push((name.to_string(), Value::Message(value)));
    }

    /// The first message in the message.
    pub fn inner(&self) -> Option<Message> {
        self.fields.iter().find_map(|(_, v)| match v {
            Value::Message(m) => Some(m.clone()),
            Value::Plain(_) => None,
        })
    }

    fn write(&self, out: &mut String, indent: usize) {
        for (name, value) in &self.fields {
            for _ in 0..indent {
                out.push_str("  ");
            }
            match value {
                Value::Plain(text) => {
                    let _ = writeln!(out, "{name}: {text}");
                }
                Value::Message(m) => {
                    let _ = writeln!(out, "{name} {{");
                    m.write(out, indent + 1);
                    for _ in 0..indent {
                        out.push_str("  ");
                    }
                    out.push_str("}\n");
                }
            }
        }
    }

    /// As text.
    pub fn to_text(&self) -> String {
        let mut out = String::from(
            "# proto-file: p4/config/v1/p4info.proto\n# proto-message: p4.config.v1.P4Info\n\n",
        );
        self.write(&mut out, 0);
        out
    }
}
