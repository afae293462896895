// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Lexical analysis (section 6.3 of the language specification).

/// The value of a string literal given with its quotes: `\"`, `\\` and `\n` stand for one character; other
/// backslashes stand for themselves.
pub fn unescape(quoted: &str) -> String {
    let inner = quoted.strip_prefix('"').unwrap_or(quoted);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.peek().copied() {
            Some('n') => {
                out.push('\n');
                chars.next();
            }
            Some(c @ ('"' | '\\')) => {
                out.push(c);
                chars.next();
            }
            _ => out.push('\\'),
        }
    }
    out
}
