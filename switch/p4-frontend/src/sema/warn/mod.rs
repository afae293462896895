// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Warnings about the bodies of programs without errors: values that are read before they are there, fields of headers
//! that are not valid, and states and cases of parsers that are not reached.

mod calls;
mod flow;
mod parsers;
mod places;

use std::collections::HashSet;
use std::rc::Rc;

use super::hir::{Action, Control, Function, Parser};
use crate::diag::Diagnostics;
use crate::source::{SourceMap, Span};

/// A declaration with a body.
pub enum Checked {
    /// A control.
    Control(Rc<Control>),
    /// A parser.
    Parser(Rc<Parser>),
    /// A function.
    Function(Rc<Function>),
    /// An action at the top level.
    Action(Rc<Action>),
}

/// Warns about declarations; `unused`: the names that nothing refers to.
pub fn warn(
    list: &[Checked],
    unused: &HashSet<Span>,
    sources: &SourceMap,
    diags: &mut Diagnostics,
) {
    for c in list {
        if let Checked::Parser(p) = c {
            parsers::reached(p, diags);
        }
    }
    // As p4c does it: once as they are written, and once with what is called put in.
    for inline in [false, true] {
        for c in list {
            flow::Flow::new(inline, unused, sources, diags).declaration(c);
        }
    }
}
