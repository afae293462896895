// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! P4-16 front end: source text to BMv2 JSON and P4Info.

#![forbid(unsafe_code)]

pub mod ast;
pub mod diag;
pub mod lex;
pub mod pp;
pub mod sema;
pub mod source;
