// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Errors of loading a program and of the control-plane API.

use std::fmt;

/// Why a BMv2 JSON was refused. Its text is one line that names the thing at fault.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The text is not JSON, or a part of it has not the type that the format requires.
    Json(String),
    /// The JSON lacks what every BMv2 JSON has.
    NotBmv2(String),
    /// A name refers to something that the JSON does not declare.
    Unknown {
        /// What kind of thing is missing, such as `field` or `action`.
        what: &'static str,
        /// The name (or id) that was looked for.
        name: String,
        /// Where it was referred to.
        at: String,
    },
    /// The JSON is of the right form but uses something that this engine does not execute.
    Unsupported {
        /// The primitive, extern, operator or object, by kind and name.
        what: String,
        /// Where it is used.
        at: String,
    },
    /// The JSON contradicts itself or the format.
    Invalid {
        /// What is wrong.
        reason: String,
        /// Where.
        at: String,
    },
}

impl LoadError {
    pub(crate) fn unknown(what: &'static str, name: impl fmt::Display, at: &str) -> Self {
        Self::Unknown {
            what,
            name: name.to_string(),
            at: at.to_owned(),
        }
    }

    pub(crate) fn unsupported(what: impl fmt::Display, at: &str) -> Self {
        Self::Unsupported {
            what: what.to_string(),
            at: at.to_owned(),
        }
    }

    pub(crate) fn invalid(reason: impl fmt::Display, at: &str) -> Self {
        Self::Invalid {
            reason: reason.to_string(),
            at: at.to_owned(),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(e) => write!(f, "not a BMv2 JSON: {e}"),
            Self::NotBmv2(e) => write!(f, "not a BMv2 JSON: {e}"),
            Self::Unknown { what, name, at } => write!(f, "{at}: unknown {what} `{name}`"),
            Self::Unsupported { what, at } => write!(f, "{at}: {what} is not supported"),
            Self::Invalid { reason, at } => write!(f, "{at}: {reason}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// Why a control-plane operation on one object failed. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ControlError {
    /// An entry with the same match key (and priority) exists.
    AlreadyExists,
    /// No such entry, or no object of that name.
    NotFound(String),
    /// The table holds as many entries as it was declared for.
    TableFull {
        /// The table's declared size.
        size: usize,
    },
    /// The request does not fit the program.
    InvalidArgument(String),
    /// The table's entries are constant (`const entries`).
    ConstTable,
    /// The table's default action, or its default entry, is constant.
    ConstDefaultAction,
    /// Something else refers to it.
    InUse(String),
    /// The index is beyond the end of the array.
    OutOfRange {
        /// The index that was asked for.
        index: usize,
        /// The array's size.
        size: usize,
    },
}

impl ControlError {
    pub(crate) fn invalid(reason: impl fmt::Display) -> Self {
        Self::InvalidArgument(reason.to_string())
    }
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AlreadyExists => f.write_str("an entry with this match key exists"),
            Self::NotFound(what) => write!(f, "not found: {what}"),
            Self::TableFull { size } => write!(f, "the table is full ({size} entries)"),
            Self::InvalidArgument(reason) => f.write_str(reason),
            Self::ConstTable => f.write_str("the table's entries are constant"),
            Self::ConstDefaultAction => f.write_str("the table's default action is constant"),
            Self::InUse(what) => write!(f, "in use: {what}"),
            Self::OutOfRange { index, size } => {
                write!(f, "index {index} is out of range (size {size})")
            }
        }
    }
}

impl std::error::Error for ControlError {}
