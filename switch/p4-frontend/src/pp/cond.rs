// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Integer constant expressions of `#if`: C's operators on 64-bit signed integers, wrapping; names that are no macros
//! are 0; `defined` was replaced before.

use crate::lex::{Punct, Token, TokenKind};
use crate::source::Span;

const MAX_DEPTH: u32 = 200;

/// What is wrong with an expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CondError {
    pub(super) span: Option<Span>,
    pub(super) message: String,
}

/// The value of the expression.
pub(super) fn evaluate(tokens: &[Token]) -> Result<i64, CondError> {
    let mut e = Evaluator {
        tokens,
        pos: 0,
        depth: 0,
    };
    let v = e.ternary(true)?;
    match e.tokens.get(e.pos) {
        None => Ok(v),
        Some(t) => Err(e.error(
            Some(t),
            format!("unexpected \"{}\" after the expression", t.text),
        )),
    }
}

struct Evaluator<'a> {
    tokens: &'a [Token],
    pos: usize,
    depth: u32,
}

#[derive(Clone, Copy)]
enum Op {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
}

impl Op {
    fn precedence(self) -> u8 {
        match self {
            Op::Or => 1,
            Op::And => 2,
            Op::BitOr => 3,
            Op::BitXor => 4,
            Op::BitAnd => 5,
            Op::Eq | Op::Ne => 6,
            Op::Lt | Op::Gt | Op::Le | Op::Ge => 7,
            Op::Shl | Op::Shr => 8,
            Op::Add | Op::Sub => 9,
            Op::Mul | Op::Div | Op::Mod => 10,
        }
    }
}

impl<'a> Evaluator<'a> {
    fn error(&self, at: Option<&Token>, message: impl Into<String>) -> CondError {
        CondError {
            span: at.map(|t| t.span),
            message: message.into(),
        }
    }

    fn enter(&mut self) -> Result<(), CondError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.tokens.get(self.pos), "expression nested too deeply"));
        }
        Ok(())
    }

    fn peek(&self, p: Punct) -> bool {
        self.tokens.get(self.pos).is_some_and(|t| t.is(p))
    }

    fn expect(&mut self, p: Punct) -> Result<(), CondError> {
        if self.peek(p) {
            self.pos += 1;
            return Ok(());
        }
        Err(self.error(
            self.tokens.get(self.pos),
            format!("missing '{}' in expression", p.as_str()),
        ))
    }

    /// `live` is false in operands that are not evaluated.
    fn ternary(&mut self, live: bool) -> Result<i64, CondError> {
        self.enter()?;
        let c = self.binary(1, live)?;
        let v = if self.peek(Punct::Question) {
            self.pos += 1;
            let a = self.ternary(live && c != 0)?;
            self.expect(Punct::Colon)?;
            let b = self.ternary(live && c == 0)?;
            if c != 0 { a } else { b }
        } else {
            c
        };
        self.depth -= 1;
        Ok(v)
    }

    /// The operator at the current position and how many tokens it takes.
    fn operator(&self) -> Option<(Op, usize)> {
        let t = self.tokens.get(self.pos)?;
        let TokenKind::Punct(p) = t.kind else {
            return None;
        };
        Some(match p {
            Punct::OrOr => (Op::Or, 1),
            Punct::AndAnd => (Op::And, 1),
            Punct::Pipe => (Op::BitOr, 1),
            Punct::Caret => (Op::BitXor, 1),
            Punct::Amp => (Op::BitAnd, 1),
            Punct::EqEq => (Op::Eq, 1),
            Punct::NotEq => (Op::Ne, 1),
            Punct::Lt => (Op::Lt, 1),
            Punct::Gt
                if t.joint
                    && self
                        .tokens
                        .get(self.pos + 1)
                        .is_some_and(|n| n.is(Punct::Gt)) =>
            {
                (Op::Shr, 2)
            }
            Punct::Gt => (Op::Gt, 1),
            Punct::Le => (Op::Le, 1),
            Punct::Ge => (Op::Ge, 1),
            Punct::Shl => (Op::Shl, 1),
            Punct::Plus => (Op::Add, 1),
            Punct::Minus => (Op::Sub, 1),
            Punct::Star => (Op::Mul, 1),
            Punct::Slash => (Op::Div, 1),
            Punct::Percent => (Op::Mod, 1),
            _ => return None,
        })
    }

    fn binary(&mut self, min: u8, live: bool) -> Result<i64, CondError> {
        let mut a = self.unary(live)?;
        while let Some((op, n)) = self.operator() {
            if op.precedence() < min {
                break;
            }
            let at = self.pos;
            self.pos += n;
            let live_right = live
                && match op {
                    Op::And => a != 0,
                    Op::Or => a == 0,
                    _ => true,
                };
            let b = self.binary(op.precedence() + 1, live_right)?;
            a = match op {
                Op::Or => i64::from(a != 0 || b != 0),
                Op::And => i64::from(a != 0 && b != 0),
                Op::BitOr => a | b,
                Op::BitXor => a ^ b,
                Op::BitAnd => a & b,
                Op::Eq => i64::from(a == b),
                Op::Ne => i64::from(a != b),
                Op::Lt => i64::from(a < b),
                Op::Gt => i64::from(a > b),
                Op::Le => i64::from(a <= b),
                Op::Ge => i64::from(a >= b),
                Op::Shl => shift(a, b),
                Op::Shr => shift(a, b.saturating_neg()),
                Op::Add => a.wrapping_add(b),
                Op::Sub => a.wrapping_sub(b),
                Op::Mul => a.wrapping_mul(b),
                Op::Div | Op::Mod if b == 0 => {
                    if live {
                        return Err(self.error(self.tokens.get(at), "division by zero"));
                    }
                    0
                }
                Op::Div => a.wrapping_div(b),
                Op::Mod => a.wrapping_rem(b),
            };
        }
        Ok(a)
    }

    fn unary(&mut self, live: bool) -> Result<i64, CondError> {
        let Some(t) = self.tokens.get(self.pos) else {
            return Err(self.error(self.tokens.last(), "expression ends too early"));
        };
        self.pos += 1;
        let TokenKind::Punct(p) = t.kind else {
            return self.operand(t);
        };
        self.enter()?;
        let v = match p {
            Punct::Minus => self.unary(live)?.wrapping_neg(),
            Punct::Plus => self.unary(live)?,
            Punct::Tilde => !self.unary(live)?,
            Punct::Not => i64::from(self.unary(live)? == 0),
            Punct::LParen => {
                let v = self.ternary(live)?;
                self.expect(Punct::RParen)?;
                v
            }
            _ => {
                return Err(self.error(Some(t), format!("unexpected \"{}\" in expression", t.text)));
            }
        };
        self.depth -= 1;
        Ok(v)
    }

    fn operand(&self, t: &Token) -> Result<i64, CondError> {
        match t.kind {
            TokenKind::Word => Ok(0),
            TokenKind::Integer => integer(&t.text).ok_or_else(|| {
                self.error(Some(t), format!("invalid integer constant \"{}\"", t.text))
            }),
            _ => Err(self.error(Some(t), format!("unexpected {} in expression", t.text))),
        }
    }
}

fn shift(a: i64, by: i64) -> i64 {
    match by {
        64.. => 0,
        0..64 => ((a as u64) << by) as i64,
        -63..0 => a >> -by,
        _ => a >> 63,
    }
}

/// A C integer constant: decimal, `0x`, `0b`, octal with leading `0`; suffixes `u` and `l` are ignored.
fn integer(text: &str) -> Option<i64> {
    let body = text.trim_end_matches(['u', 'U', 'l', 'L']);
    let lower = body.to_ascii_lowercase();
    let (digits, radix) = if let Some(d) = lower.strip_prefix("0x") {
        (d, 16)
    } else if let Some(d) = lower.strip_prefix("0b") {
        (d, 2)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (&lower[1..], 8)
    } else {
        (lower.as_str(), 10)
    };
    u64::from_str_radix(digits, radix).ok().map(|v| v as i64)
}
