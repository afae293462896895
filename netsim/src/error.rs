// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Errors: what makes a description impossible, and what ends a run.

use std::fmt;

/// Why a network cannot be built as described, or a run did not end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NetworkError {
    /// A node handle that this network did not give out.
    UnknownNode(u32),
    /// A flow handle that this network did not give out.
    UnknownFlow(u32),
    /// A node that is not what the call needs.
    WrongKind {
        /// The node's name.
        node: String,
        /// What it would have to be, with its article.
        needed: &'static str,
    },
    /// A second node of the same name.
    DuplicateName(String),
    /// A second host with the same IPv4 address.
    DuplicateAddress {
        /// The new host.
        host: String,
        /// The host that has the address.
        other: String,
        /// The address, dotted.
        address: String,
    },
    /// A second host with the same MAC address.
    DuplicateMac {
        /// The new host.
        host: String,
        /// The host that has the address.
        other: String,
    },
    /// A switch port with two links.
    PortInUse {
        /// The switch.
        switch: String,
        /// Its port.
        port: u16,
    },
    /// A port number that a switch does not have.
    PortRange {
        /// The switch.
        switch: String,
        /// The port that was asked for.
        port: u32,
        /// The greatest there is.
        max: u16,
    },
    /// A host or sink with two links.
    AlreadyLinked(String),
    /// A host that takes part in a flow and has no link.
    NotLinked(String),
    /// A switch port that is watched and has no link.
    PortNotLinked {
        /// The switch.
        switch: String,
        /// Its port.
        port: u16,
    },
    /// A switch port that is watched twice.
    AlreadyWatched {
        /// The switch.
        switch: String,
        /// Its port.
        port: u16,
    },
    /// Both ends of a link, or of a flow, are the same.
    SameEnds(String),
    /// A flow whose ends no path of links joins.
    NotConnected {
        /// The sender.
        src: String,
        /// The receiver.
        dst: String,
    },
    /// A number that makes no sense.
    Value {
        /// Its name.
        name: &'static str,
        /// What is wrong with it, completing the sentence "NAME ...".
        problem: String,
    },
    /// More flows end at a host than it has ports.
    TooManyFlows(String),
    /// The program has no such register, or not one of that size.
    Register {
        /// The switch.
        switch: String,
        /// What is wrong.
        problem: String,
    },
    /// The program has no such counter, or not one of that size.
    Counter {
        /// The switch.
        switch: String,
        /// What is wrong.
        problem: String,
    },
    /// The switch refused its port's settings.
    PortConfig {
        /// The switch.
        switch: String,
        /// What it said.
        problem: String,
    },
    /// The caller asked to stop.
    Interrupted,
}

impl NetworkError {
    pub(crate) fn value(name: &'static str, problem: impl Into<String>) -> Self {
        Self::Value {
            name,
            problem: problem.into(),
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownNode(index) => write!(f, "node {index} does not belong to this network"),
            Self::UnknownFlow(index) => write!(f, "flow {index} does not belong to this network"),
            Self::WrongKind { node, needed } => write!(f, "node {node} is not {needed}"),
            Self::DuplicateName(name) => write!(f, "there is already a node named {name}"),
            Self::DuplicateAddress {
                host,
                other,
                address,
            } => write!(
                f,
                "host {host} cannot have address {address}: host {other} has it"
            ),
            Self::DuplicateMac { host, other } => {
                write!(f, "host {host} cannot have the MAC address of host {other}")
            }
            Self::PortInUse { switch, port } => {
                write!(f, "port {port} of switch {switch} already has a link")
            }
            Self::PortRange { switch, port, max } => {
                write!(
                    f,
                    "switch {switch} has no port {port}: ports are 0 to {max}"
                )
            }
            Self::AlreadyLinked(node) => write!(f, "node {node} already has a link"),
            Self::NotLinked(node) => write!(f, "host {node} takes part in a flow but has no link"),
            Self::PortNotLinked { switch, port } => {
                write!(
                    f,
                    "port {port} of switch {switch} is watched but has no link"
                )
            }
            Self::AlreadyWatched { switch, port } => {
                write!(f, "port {port} of switch {switch} is already watched")
            }
            Self::SameEnds(node) => write!(f, "both ends are {node}"),
            Self::NotConnected { src, dst } => {
                write!(f, "no path of links leads from {src} to {dst}")
            }
            Self::Value { name, problem } => write!(f, "{name} {problem}"),
            Self::TooManyFlows(host) => {
                write!(f, "host {host} has no port left for another flow")
            }
            Self::Register { switch, problem }
            | Self::Counter { switch, problem }
            | Self::PortConfig { switch, problem } => write!(f, "switch {switch}: {problem}"),
            Self::Interrupted => write!(f, "the run was interrupted"),
        }
    }
}

impl std::error::Error for NetworkError {}
