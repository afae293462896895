// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! What can be wrong about a source's description.

use core::fmt;

/// A value that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrafficError {
    /// The field.
    pub name: &'static str,
    /// What is allowed.
    pub allowed: &'static str,
}

impl fmt::Display for TrafficError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "traffic source: {} must be {}", self.name, self.allowed)
    }
}

impl std::error::Error for TrafficError {}

pub(crate) fn check(
    ok: bool,
    name: &'static str,
    allowed: &'static str,
) -> Result<(), TrafficError> {
    if ok {
        Ok(())
    } else {
        Err(TrafficError { name, allowed })
    }
}
