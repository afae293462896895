// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What compiling a program may cost at most. A small text can ask for much: each limit here bounds time or memory, and an
//! error names it. Limits of the grammar (nesting, includes, macros) stand where the text is read.

/// Levels of brackets and braces in the JSON that is written. The switch keeps the same limit, so that what compiles loads.
pub const JSON_NESTING: usize = 1_000;

/// Tokens that are read and made in all: ends endless inclusion and exploding macros.
pub const TOKENS: usize = 1 << 21;

/// Fields of a type, with those of all that is in it: a struct of two structs of two structs doubles with each line. The
/// switch takes header stacks of as many elements.
pub const TYPE_FIELDS: usize = 10_000;

/// Bytes of a string known at compile time.
pub const STRING_BYTES: usize = 1 << 16;

/// Rounds that the loops of a program are unrolled to.
pub const ROUNDS: usize = 1_000;

/// Calls that are put in, of controls, parsers, actions and functions.
pub const CALLS: usize = 5_000;

/// Statements that are lowered, those of a control or parser counted once for each call that is put in.
pub const STATEMENTS: usize = 100_000;

/// Variables of a program; the switch has no room for more.
pub const VARIABLES: usize = 1 << 16;
