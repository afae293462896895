// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! IPv4 header (RFC 791).

use super::{Checksum, Ecn, WireError};

/// Length of an IPv4 header without options, in bytes.
pub const IPV4_HEADER_LEN: usize = 20;

/// IP protocol number of TCP.
pub const PROTOCOL_TCP: u8 = 6;

const FLAG_DONT_FRAGMENT: u16 = 0x4000;
const FRAGMENT_MASK: u16 = 0x3fff; // more fragments, and the offset

/// An IPv4 header. Options are accepted and skipped when parsing, and never emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4Header {
    /// Differentiated services codepoint, 0 to 63.
    pub dscp: u8,
    /// ECN field.
    pub ecn: Ecn,
    /// Header and payload, in bytes.
    pub total_len: u16,
    /// Identification. Zero in packets emitted here: they are atomic datagrams (RFC 6864).
    pub ident: u16,
    /// Don't Fragment.
    pub dont_fragment: bool,
    /// Time to live.
    pub ttl: u8,
    /// Protocol number of the payload.
    pub protocol: u8,
    /// Source address.
    pub src: [u8; 4],
    /// Destination address.
    pub dst: [u8; 4],
}

impl Ipv4Header {
    /// Parses and verifies the header at the start of `bytes`. Returns it with its length in bytes.
    ///
    /// # Errors
    /// Wrong version, lengths or checksum, and fragments.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), WireError> {
        let truncated = |needed| WireError::Truncated {
            needed,
            available: bytes.len(),
        };
        let h = bytes
            .first_chunk::<IPV4_HEADER_LEN>()
            .ok_or(truncated(IPV4_HEADER_LEN))?;
        if h[0] >> 4 != 4 {
            return Err(WireError::Version(h[0] >> 4));
        }
        let header_len = usize::from(h[0] & 0x0f) * 4;
        if header_len < IPV4_HEADER_LEN {
            return Err(WireError::HeaderLength(header_len));
        }
        let header = bytes.get(..header_len).ok_or(truncated(header_len))?;
        if Checksum::new().bytes(header).sum() != 0xffff {
            return Err(WireError::Ipv4Checksum);
        }
        let total_len = u16::from_be_bytes([h[2], h[3]]);
        if usize::from(total_len) < header_len {
            return Err(WireError::TotalLength {
                field: total_len.into(),
                actual: header_len,
            });
        }
        let fragment = u16::from_be_bytes([h[6], h[7]]);
        if fragment & FRAGMENT_MASK != 0 {
            return Err(WireError::Fragment);
        }
        let parsed = Self {
            dscp: h[1] >> 2,
            ecn: Ecn::from_bits(h[1]),
            total_len,
            ident: u16::from_be_bytes([h[4], h[5]]),
            dont_fragment: fragment & FLAG_DONT_FRAGMENT != 0,
            ttl: h[8],
            protocol: h[9],
            src: [h[12], h[13], h[14], h[15]],
            dst: [h[16], h[17], h[18], h[19]],
        };
        Ok((parsed, header_len))
    }

    /// Writes the header with its checksum.
    pub fn emit(&self, out: &mut [u8; IPV4_HEADER_LEN]) {
        *out = [0; IPV4_HEADER_LEN];
        out[0] = 0x45;
        out[1] = (self.dscp << 2) | self.ecn.bits();
        out[2..4].copy_from_slice(&self.total_len.to_be_bytes());
        out[4..6].copy_from_slice(&self.ident.to_be_bytes());
        out[6] = if self.dont_fragment { 0x40 } else { 0 };
        out[8] = self.ttl;
        out[9] = self.protocol;
        out[12..16].copy_from_slice(&self.src);
        out[16..20].copy_from_slice(&self.dst);
        let checksum = Checksum::new().bytes(out).finish();
        out[10..12].copy_from_slice(&checksum.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Ipv4Header {
        Ipv4Header {
            dscp: 0,
            ecn: Ecn::NotEct,
            total_len: 60,
            ident: 0x1c46,
            dont_fragment: true,
            ttl: 64,
            protocol: 6,
            src: [172, 16, 10, 99],
            dst: [172, 16, 10, 12],
        }
    }

    /// A much-quoted capture: 4500 003c 1c46 4000 4006 b1e6 ac10 0a63 ac10 0a0c.
    #[test]
    fn emits_a_known_header() {
        let mut bytes = [0; 20];
        header().emit(&mut bytes);
        let known = [
            0x45, 0x00, 0x00, 0x3c, 0x1c, 0x46, 0x40, 0x00, 0x40, 0x06, 0xb1, 0xe6, 0xac, 0x10,
            0x0a, 0x63, 0xac, 0x10, 0x0a, 0x0c,
        ];
        assert_eq!(bytes, known);
        assert_eq!(Ipv4Header::parse(&bytes), Ok((header(), 20)));
    }

    #[test]
    fn refuses_what_is_malformed() {
        let mut good = [0; 20];
        header().emit(&mut good);
        assert_eq!(
            Ipv4Header::parse(&good[..19]),
            Err(WireError::Truncated {
                needed: 20,
                available: 19
            })
        );
        let with = |at: usize, value: u8| {
            let mut bytes = good;
            bytes[at] = value;
            bytes[10..12].fill(0);
            let checksum = Checksum::new().bytes(&bytes).finish();
            bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
            Ipv4Header::parse(&bytes)
        };
        assert_eq!(with(0, 0x65), Err(WireError::Version(6)));
        assert_eq!(with(0, 0x44), Err(WireError::HeaderLength(16)));
        assert_eq!(
            with(0, 0x46),
            Err(WireError::Truncated {
                needed: 24,
                available: 20
            })
        );
        assert_eq!(
            with(3, 19),
            Err(WireError::TotalLength {
                field: 19,
                actual: 20
            })
        );
        assert_eq!(with(6, 0x20), Err(WireError::Fragment));
        assert_eq!(with(7, 0x01), Err(WireError::Fragment));
        let mut bytes = good;
        bytes[8] = 63;
        assert_eq!(Ipv4Header::parse(&bytes), Err(WireError::Ipv4Checksum));
    }

    #[test]
    fn options_are_skipped() {
        let mut bytes = [0; 24];
        bytes[..20].copy_from_slice(&{
            let mut b = [0; 20];
            header().emit(&mut b);
            b
        });
        bytes[0] = 0x46;
        bytes[10..12].fill(0);
        let checksum = Checksum::new().bytes(&bytes).finish();
        bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!(Ipv4Header::parse(&bytes), Ok((header(), 24)));
    }
}
