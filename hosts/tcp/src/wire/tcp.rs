// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! TCP header (RFC 9293, section 3.1), with the ECE and CWR flags of RFC 3168.

use super::{Checksum, WireError};
use core::fmt;
use core::ops::BitOr;

/// Length of a TCP header without options, in bytes.
pub const TCP_HEADER_LEN: usize = 20;

const OPT_END: u8 = 0;
const OPT_NOP: u8 = 1;
const OPT_MSS: u8 = 2;
const OPT_WINDOW_SCALE: u8 = 3;
const OPT_SACK_PERMITTED: u8 = 4;
const OPT_SACK: u8 = 5;

/// Most option bytes that a header can hold.
const MAX_OPTIONS_LEN: usize = 40;

/// Most blocks that a SACK option can hold (RFC 2018, section 3).
pub const MAX_SACK_BLOCKS: usize = 4;

/// The eight flag bits of a TCP header.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u8);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// No more data from sender.
    pub const FIN: Self = Self(0x01);
    /// Synchronise sequence numbers.
    pub const SYN: Self = Self(0x02);
    /// Reset the connection.
    pub const RST: Self = Self(0x04);
    /// Push.
    pub const PSH: Self = Self(0x08);
    /// The acknowledgment field is significant.
    pub const ACK: Self = Self(0x10);
    /// The urgent pointer is significant.
    pub const URG: Self = Self(0x20);
    /// ECN-Echo.
    pub const ECE: Self = Self(0x40);
    /// Congestion window reduced.
    pub const CWR: Self = Self(0x80);

    /// From the flag byte of the header.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The flag byte of the header.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Whether all of `other` are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is set.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// These flags, and `other` if `condition`.
    #[must_use]
    pub const fn with_if(self, condition: bool, other: Self) -> Self {
        if condition {
            Self(self.0 | other.0)
        } else {
            self
        }
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, rhs: Self) -> Self {
        Self(self.0 | rhs.0)
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 8] = ["FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR"];
        let mut first = true;
        for (bit, name) in NAMES.iter().enumerate() {
            if self.0 & (1 << bit) != 0 {
                if !first {
                    f.write_str("|")?;
                }
                f.write_str(name)?;
                first = false;
            }
        }
        if first { f.write_str("-") } else { Ok(()) }
    }
}

/// The blocks of a SACK option: left and right edges as sequence numbers (RFC 2018, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SackBlocks {
    blocks: [(u32, u32); MAX_SACK_BLOCKS],
    len: u8,
}

impl SackBlocks {
    /// Adds a block: its first sequence number and that after its last. Ignored when there are four already.
    pub fn push(&mut self, left: u32, right: u32) {
        if let Some(slot) = self.blocks.get_mut(usize::from(self.len)) {
            *slot = (left, right);
            self.len += 1;
        }
    }

    /// The blocks in their order.
    #[must_use]
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.len)]
    }
}

/// The TCP options that are understood. Others are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TcpOptions {
    /// Maximum segment size in bytes (RFC 9293, section 3.7.1); SYN segments only.
    pub mss: Option<u16>,
    /// Window scale shift count (RFC 7323, section 2); SYN segments only.
    pub window_scale: Option<u8>,
    /// Selective acknowledgments may be sent (RFC 2018, section 2); SYN segments only.
    pub sack_permitted: bool,
    /// Selective acknowledgments (RFC 2018, section 3). Beside the other options on a SYN there is not room for all.
    pub sack: SackBlocks,
}

impl TcpOptions {
    /// Length on the wire, padded to whole words.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        let blocks = self.sack_blocks();
        self.syn_len() + if blocks > 0 { 4 + 8 * blocks } else { 0 }
    }

    /// Length of the options that SYNs have. NOPs fill each up to whole words.
    const fn syn_len(&self) -> usize {
        4 * (self.mss.is_some() as usize
            + self.window_scale.is_some() as usize
            + self.sack_permitted as usize)
    }

    /// SACK blocks that there is room for.
    const fn sack_blocks(&self) -> usize {
        let room = (MAX_OPTIONS_LEN - 4 - self.syn_len()) / 8;
        let len = self.sack.len as usize;
        if len < room { len } else { room }
    }

    fn parse(mut bytes: &[u8]) -> Result<Self, WireError> {
        let mut options = Self::default();
        while let [kind, rest @ ..] = bytes {
            match *kind {
                OPT_END => break,
                OPT_NOP => bytes = rest,
                kind => {
                    let bad = WireError::Option { kind };
                    let len = usize::from(*rest.first().ok_or(bad)?);
                    if len < 2 {
                        return Err(bad);
                    }
                    let (option, after) = bytes.split_at_checked(len).ok_or(bad)?;
                    match (kind, &option[2..]) {
                        (OPT_MSS, &[hi, lo]) => options.mss = Some(u16::from_be_bytes([hi, lo])),
                        (OPT_WINDOW_SCALE, &[shift]) => options.window_scale = Some(shift),
                        (OPT_SACK_PERMITTED, &[]) => options.sack_permitted = true,
                        (OPT_SACK, blocks) if !blocks.is_empty() && blocks.len() % 8 == 0 => {
                            for b in blocks.chunks_exact(8) {
                                let left = u32::from_be_bytes([b[0], b[1], b[2], b[3]]);
                                let right = u32::from_be_bytes([b[4], b[5], b[6], b[7]]);
                                options.sack.push(left, right);
                            }
                        }
                        (OPT_MSS | OPT_WINDOW_SCALE | OPT_SACK_PERMITTED | OPT_SACK, _) => {
                            return Err(bad);
                        }
                        _ => {}
                    }
                    bytes = after;
                }
            }
        }
        Ok(options)
    }

    /// Writes [`Self::encoded_len`] bytes.
    fn emit(&self, out: &mut [u8; MAX_OPTIONS_LEN]) {
        let mut at = 0;
        let mut word = |bytes: [u8; 4]| {
            out[at..at + 4].copy_from_slice(&bytes);
            at += 4;
        };
        if let Some(mss) = self.mss {
            let [hi, lo] = mss.to_be_bytes();
            word([OPT_MSS, 4, hi, lo]);
        }
        if let Some(shift) = self.window_scale {
            word([OPT_NOP, OPT_WINDOW_SCALE, 3, shift]);
        }
        if self.sack_permitted {
            word([OPT_NOP, OPT_NOP, OPT_SACK_PERMITTED, 2]);
        }
        let blocks = self.sack_blocks();
        if blocks > 0 {
            word([OPT_NOP, OPT_NOP, OPT_SACK, 2 + 8 * blocks as u8]);
            for &(left, right) in &self.sack.as_slice()[..blocks] {
                word(left.to_be_bytes());
                word(right.to_be_bytes());
            }
        }
    }
}

/// A TCP header. The urgent pointer is neither read nor written: no urgent data here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct TcpHeader {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Sequence number of the first byte (or of SYN or FIN).
    pub seq: u32,
    /// Acknowledgment number; significant with ACK.
    pub ack: u32,
    /// Control flags.
    pub flags: Flags,
    /// Window field, unscaled.
    pub window: u16,
    /// Options.
    pub options: TcpOptions,
}

impl TcpHeader {
    /// Length on the wire, in bytes.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        TCP_HEADER_LEN + self.options.encoded_len()
    }

    /// Parses and verifies the header at the start of `bytes`, followed on the wire by
    /// `payload_len` zero bytes, sent from `src` to `dst`. Returns it with its length in bytes.
    ///
    /// # Errors
    /// Wrong lengths, options or checksum.
    pub fn parse(
        bytes: &[u8],
        payload_len: u32,
        src: [u8; 4],
        dst: [u8; 4],
    ) -> Result<(Self, usize), WireError> {
        let truncated = |needed| WireError::Truncated {
            needed,
            available: bytes.len(),
        };
        let h = bytes
            .first_chunk::<TCP_HEADER_LEN>()
            .ok_or(truncated(TCP_HEADER_LEN))?;
        let header_len = usize::from(h[12] >> 4) * 4;
        if header_len < TCP_HEADER_LEN {
            return Err(WireError::HeaderLength(header_len));
        }
        let header = bytes.get(..header_len).ok_or(truncated(header_len))?;
        let tcp_len = payload_len.saturating_add(header_len as u32);
        if Checksum::new()
            .pseudo_header(src, dst, tcp_len)
            .bytes(header)
            .sum()
            != 0xffff
        {
            return Err(WireError::TcpChecksum);
        }
        let parsed = Self {
            src_port: u16::from_be_bytes([h[0], h[1]]),
            dst_port: u16::from_be_bytes([h[2], h[3]]),
            seq: u32::from_be_bytes([h[4], h[5], h[6], h[7]]),
            ack: u32::from_be_bytes([h[8], h[9], h[10], h[11]]),
            flags: Flags::from_bits(h[13]),
            window: u16::from_be_bytes([h[14], h[15]]),
            options: if header_len > TCP_HEADER_LEN {
                TcpOptions::parse(&header[TCP_HEADER_LEN..])?
            } else {
                TcpOptions::default()
            },
        };
        Ok((parsed, header_len))
    }

    /// Writes the header with its checksum over `payload_len` zero bytes and returns its length.
    pub fn emit(&self, out: &mut [u8; 60], payload_len: u32, src: [u8; 4], dst: [u8; 4]) -> usize {
        let header_len = self.encoded_len();
        out[0..2].copy_from_slice(&self.src_port.to_be_bytes());
        out[2..4].copy_from_slice(&self.dst_port.to_be_bytes());
        out[4..8].copy_from_slice(&self.seq.to_be_bytes());
        out[8..12].copy_from_slice(&self.ack.to_be_bytes());
        out[12] = (header_len as u8 / 4) << 4;
        out[13] = self.flags.bits();
        out[14..16].copy_from_slice(&self.window.to_be_bytes());
        out[16..20].fill(0);
        if header_len > TCP_HEADER_LEN
            && let Some(options) = out[TCP_HEADER_LEN..].first_chunk_mut()
        {
            self.options.emit(options);
        }
        let tcp_len = payload_len.saturating_add(header_len as u32);
        let checksum = Checksum::new()
            .pseudo_header(src, dst, tcp_len)
            .bytes(&out[..header_len])
            .finish();
        out[16..18].copy_from_slice(&checksum.to_be_bytes());
        header_len
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SRC: [u8; 4] = [10, 0, 0, 1];
    const DST: [u8; 4] = [10, 0, 0, 2];

    fn blocks(n: u32) -> SackBlocks {
        let mut blocks = SackBlocks::default();
        (0..n).for_each(|i| blocks.push(u32::MAX - 10 * i, (u32::MAX - 10 * i).wrapping_add(5)));
        blocks
    }

    /// A full set of options leaves room for three blocks: the least recent is left out.
    #[test]
    fn sack_blocks_fill_the_room_there_is() {
        let all = TcpOptions {
            mss: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            sack: blocks(4),
        };
        assert_eq!(all.encoded_len(), 40);
        let mut bytes = [0; 40];
        all.emit(&mut bytes);
        let parsed = TcpOptions::parse(&bytes);
        assert_eq!(
            parsed,
            Ok(TcpOptions {
                sack: blocks(3),
                ..all
            })
        );
    }

    fn parse_options(bytes: &[u8]) -> Result<TcpOptions, WireError> {
        TcpOptions::parse(bytes)
    }

    #[test]
    fn header_round_trip_with_options() {
        for options in [
            TcpOptions::default(),
            TcpOptions {
                mss: Some(960),
                ..TcpOptions::default()
            },
            TcpOptions {
                window_scale: Some(3),
                ..TcpOptions::default()
            },
            TcpOptions {
                mss: Some(1460),
                window_scale: Some(14),
                sack_permitted: true,
                ..TcpOptions::default()
            },
            TcpOptions {
                sack: blocks(4),
                ..TcpOptions::default()
            },
            TcpOptions {
                mss: Some(1),
                window_scale: Some(2),
                sack_permitted: true,
                sack: blocks(3),
            },
        ] {
            let header = TcpHeader {
                src_port: 1,
                dst_port: 65535,
                seq: 0xdead_beef,
                ack: 7,
                flags: Flags::SYN | Flags::ECE | Flags::CWR,
                window: 4242,
                options,
            };
            let mut out = [0xaa; 60];
            let len = header.emit(&mut out, 1000, SRC, DST);
            assert_eq!(len, header.encoded_len());
            assert_eq!(
                TcpHeader::parse(&out[..len], 1000, SRC, DST),
                Ok((header, len))
            );
            assert_eq!(
                TcpHeader::parse(&out[..len], 999, SRC, DST),
                Err(WireError::TcpChecksum)
            );
        }
    }

    #[test]
    fn illegal_option_lengths_are_refused_and_unknown_options_skipped() {
        assert_eq!(
            parse_options(&[8, 10, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 1, 2])
                .unwrap()
                .mss,
            Some(258)
        );
        assert_eq!(parse_options(&[0, 2, 0]), Ok(TcpOptions::default()));
        assert_eq!(parse_options(&[2, 0]), Err(WireError::Option { kind: 2 }));
        assert_eq!(parse_options(&[2, 1]), Err(WireError::Option { kind: 2 }));
        assert_eq!(parse_options(&[2]), Err(WireError::Option { kind: 2 }));
        assert_eq!(
            parse_options(&[2, 3, 1]),
            Err(WireError::Option { kind: 2 })
        );
        // SACK-permitted has no value, SACK pairs of words (RFC 2018, sections 2 and 3)
        assert_eq!(
            parse_options(&[4, 3, 0]),
            Err(WireError::Option { kind: 4 })
        );
        assert_eq!(parse_options(&[5, 2]), Err(WireError::Option { kind: 5 }));
        assert_eq!(
            parse_options(&[5, 6, 0, 0, 0, 1]),
            Err(WireError::Option { kind: 5 })
        );
        assert_eq!(
            parse_options(&[9, 5, 0, 0]),
            Err(WireError::Option { kind: 9 })
        );
    }
}
