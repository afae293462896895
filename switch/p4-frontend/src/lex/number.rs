// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Integer literals (section 6.4.3.2): `[width(w|s)][0x|0b|0o|0d]digits`, underscores between digits ignored.

use std::fmt;

use num_bigint::BigInt;

use crate::ast::{IntBase, IntLit, IntWidth};

/// Why a token that starts with a digit is not an integer literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The width before `w` or `s` is not a number below 2^31.
    BadWidth(String),
    /// No digit where one must be.
    NoDigits,
    /// A character that is no digit of the base.
    BadDigit(char, IntBase),
    /// More than 20000 characters.
    TooLong,
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumberError::BadWidth(w) => write!(f, "invalid width '{w}' of an integer literal"),
            NumberError::NoDigits => f.write_str("integer literal without digits"),
            NumberError::BadDigit(c, base) => {
                let base = match base {
                    IntBase::Binary => "binary",
                    IntBase::Octal => "octal",
                    IntBase::Decimal => "decimal",
                    IntBase::Hexadecimal => "hexadecimal",
                };
                write!(f, "invalid digit '{c}' in a {base} integer literal")
            }
            NumberError::TooLong => f.write_str("integer literal too long"),
        }
    }
}

impl std::error::Error for NumberError {}

/// Reads an integer literal.
pub fn parse_integer(text: &str) -> Result<IntLit, NumberError> {
    if text.len() > 20_000 {
        return Err(NumberError::TooLong);
    }
    let (width, rest) = match text.find(['w', 's']) {
        // In `0x...` no w or s can stand; in `8w...` only digits and underscores stand before it.
        Some(i) => {
            let (digits, rest) = text.split_at(i);
            let plain: String = digits.chars().filter(|c| *c != '_').collect();
            let bits: u32 = match plain.parse() {
                Ok(n) if n <= i32::MAX as u32 && plain.bytes().all(|b| b.is_ascii_digit()) => n,
                _ => return Err(NumberError::BadWidth(digits.to_string())),
            };
            (
                Some(IntWidth {
                    bits,
                    signed: rest.starts_with('s'),
                }),
                &rest[1..],
            )
        }
        None => (None, text),
    };
    let prefix = rest.get(..2).unwrap_or("");
    let (base, radix, digits) = match prefix {
        "0x" | "0X" => (IntBase::Hexadecimal, 16, &rest[2..]),
        "0b" | "0B" => (IntBase::Binary, 2, &rest[2..]),
        "0o" | "0O" => (IntBase::Octal, 8, &rest[2..]),
        "0d" | "0D" => (IntBase::Decimal, 10, &rest[2..]),
        _ => (IntBase::Decimal, 10, rest),
    };
    if let Some(c) = digits.chars().find(|c| *c != '_' && !c.is_digit(radix)) {
        return Err(NumberError::BadDigit(c, base));
    }
    let plain: String = digits.chars().filter(|c| *c != '_').collect();
    let value = BigInt::parse_bytes(plain.as_bytes(), radix).ok_or(NumberError::NoDigits)?;
    Ok(IntLit { value, width, base })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lit(text: &str) -> (i64, Option<(u32, bool)>) {
        let l = parse_integer(text).expect(text);
        (
            i64::try_from(l.value).expect("small"),
            l.width.map(|w| (w.bits, w.signed)),
        )
    }

    #[test]
    fn literals() {
        assert_eq!(lit("0"), (0, None));
        assert_eq!(lit("8w255"), (255, Some((8, false))));
        assert_eq!(lit("4s0b1010"), (10, Some((4, true))));
        assert_eq!(lit("16w0xF_F"), (255, Some((16, false))));
        assert_eq!(lit("1_000_000"), (1_000_000, None));
        assert_eq!(lit("0o17"), (15, None));
        assert_eq!(lit("0d19"), (19, None));
        assert_eq!(lit("012"), (12, None));
        assert_eq!(lit("32w0XdeadBEEF"), (0xdead_beef, Some((32, false))));
    }

    #[test]
    fn big_value() {
        let l = parse_integer("128w0xffffffffffffffffffffffffffffffff").expect("literal");
        assert_eq!(l.value, (BigInt::from(1) << 128u32) - 1);
    }

    #[test]
    fn bad_literals() {
        assert_eq!(parse_integer("8w"), Err(NumberError::NoDigits));
        assert_eq!(parse_integer("0x"), Err(NumberError::NoDigits));
        assert_eq!(
            parse_integer("0b12"),
            Err(NumberError::BadDigit('2', IntBase::Binary))
        );
        assert_eq!(
            parse_integer("12a"),
            Err(NumberError::BadDigit('a', IntBase::Decimal))
        );
        assert_eq!(
            parse_integer("99999999999w1"),
            Err(NumberError::BadWidth("99999999999".into()))
        );
        assert_eq!(
            parse_integer("0x1w2"),
            Err(NumberError::BadWidth("0x1".into()))
        );
    }
}
