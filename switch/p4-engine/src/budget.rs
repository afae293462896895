// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What a program may cost at most. A small text can ask for much: each limit here bounds time or memory, and an error names it.

/// Levels of brackets and braces in a BMv2 JSON. The compiler keeps the same limit, so that what it writes loads; it is
/// also that of `simple_switch`.
pub const JSON_NESTING: usize = 1_000;

/// Nodes of all expressions of a program. Comparisons of stacks and the validity of unions have a node for each member.
pub(crate) const EXPRESSION_NODES: usize = 1_000_000;

/// Elements of a header stack, members of a header union: as many as the compiler takes fields of a type.
pub(crate) const STACK_ELEMENTS: usize = 10_000;

/// Bits of a field: no packet is that long.
pub(crate) const FIELD_BITS: u64 = 1 << 15;

/// 64-bit words of all headers, metadata, parameters and constants of a program. It is more than programs need, and a power of
/// two, so that an index cut to its bits needs no check; pages that are never touched take no memory.
pub(crate) const WORDS: usize = 1 << 16;

/// Bytes of all registers, counters and meters of a program together.
pub(crate) const ARRAY_BYTES: usize = 1 << 29;

/// Instructions that are translated to machine code, those of an action counted once for each table that has it; fields,
/// parser states and nodes count, too.
pub(crate) const TRANSLATED_INSTRUCTIONS: usize = 50_000;

/// Operations of the code generator that these become, in all functions of a program.
pub(crate) const EMITTED_OPERATIONS: usize = 400_000;
