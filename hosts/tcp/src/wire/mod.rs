// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Wire formats: IPv4 (RFC 791) and TCP (RFC 9293) headers, the ECN field (RFC 3168) and the
//! Internet checksum (RFC 1071). Parsing and emitting allocate nothing.

mod checksum;
mod ipv4;
mod tcp;

pub use checksum::Checksum;
pub use ipv4::{IPV4_HEADER_LEN, Ipv4Header, PROTOCOL_TCP};
pub use tcp::{Flags, MAX_SACK_BLOCKS, SackBlocks, TCP_HEADER_LEN, TcpHeader, TcpOptions};

use core::fmt;

/// Longest header `Endpoint::poll_transmit` can write: IPv4 without options (20 bytes) and TCP with
/// all its option space (60 bytes).
pub const MAX_HEADER_LEN: usize = 80;

/// The ECN field of the IP header (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Ecn {
    /// 0b00: the sender does not understand ECN.
    #[default]
    NotEct,
    /// 0b01: in multi-level ECN, the mark for incipient congestion.
    Ect1,
    /// 0b10: the sender understands ECN; no congestion met.
    Ect0,
    /// 0b11: congestion experienced; in multi-level ECN, moderate congestion.
    Ce,
}

impl Ecn {
    /// Reads the two low bits of `bits`.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::NotEct,
            0b01 => Self::Ect1,
            0b10 => Self::Ect0,
            _ => Self::Ce,
        }
    }

    /// The value of the field, 0 to 3.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Self::NotEct => 0b00,
            Self::Ect1 => 0b01,
            Self::Ect0 => 0b10,
            Self::Ce => 0b11,
        }
    }
}

/// Why bytes are not a well-formed header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The buffer ends before the header does.
    Truncated {
        /// Bytes the header needs.
        needed: usize,
        /// Bytes there are.
        available: usize,
    },
    /// The IP version field is not 4.
    Version(u8),
    /// A header length or data offset field below the minimum, in bytes.
    HeaderLength(usize),
    /// The IP total length contradicts the headers and the payload.
    TotalLength {
        /// What the field says.
        field: usize,
        /// What headers and payload add up to.
        actual: usize,
    },
    /// The IPv4 header checksum is wrong.
    Ipv4Checksum,
    /// The TCP checksum is wrong.
    TcpChecksum,
    /// The packet is a fragment; reassembly is not done here.
    Fragment,
    /// The IP protocol is not TCP.
    Protocol(u8),
    /// A TCP option with an impossible length.
    Option {
        /// Option kind.
        kind: u8,
    },
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { needed, available } => {
                write!(
                    f,
                    "header truncated: {needed} bytes needed, {available} available"
                )
            }
            Self::Version(v) => write!(f, "IP version {v} instead of 4"),
            Self::HeaderLength(n) => write!(f, "header length of {n} bytes is too small"),
            Self::TotalLength { field, actual } => {
                write!(
                    f,
                    "IPv4 total length {field} contradicts {actual} bytes of headers and payload"
                )
            }
            Self::Ipv4Checksum => f.write_str("wrong IPv4 header checksum"),
            Self::TcpChecksum => f.write_str("wrong TCP checksum"),
            Self::Fragment => f.write_str("IPv4 fragment"),
            Self::Protocol(p) => write!(f, "IP protocol {p} instead of TCP"),
            Self::Option { kind } => {
                write!(f, "TCP option of kind {kind} has an impossible length")
            }
        }
    }
}

impl std::error::Error for WireError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ecn_codepoints_are_those_of_rfc3168_figure_1() {
        let table = [
            (0, Ecn::NotEct),
            (1, Ecn::Ect1),
            (2, Ecn::Ect0),
            (3, Ecn::Ce),
        ];
        for (bits, ecn) in table {
            assert_eq!(Ecn::from_bits(bits), ecn);
            assert_eq!(Ecn::from_bits(bits | 0xfc), ecn);
            assert_eq!(ecn.bits(), bits);
        }
    }
}
