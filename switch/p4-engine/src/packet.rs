// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Packets: real header bytes, and a payload that is only a length.

/// A packet: the bytes that are really there, followed by `payload_len` virtual zero bytes.
///
/// Simulated traffic carries its headers in `bytes` and a length in `payload_len`; captured
/// traffic has everything in `bytes` and a `payload_len` of 0. The parser may read into the
/// virtual part, which then becomes real.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// The first bytes of the packet.
    pub bytes: Vec<u8>,
    /// The number of zero bytes after them.
    pub payload_len: u32,
    /// The caller's: carried unchanged from arrival to departure, and never looked at.
    pub tag: u64,
}

impl Packet {
    /// A packet of these bytes and a virtual payload of `payload_len` bytes.
    pub fn new(bytes: Vec<u8>, payload_len: u32) -> Self {
        Self {
            bytes,
            payload_len,
            tag: 0,
        }
    }

    /// The length on the wire in bytes: `packet_length` as the P4 program sees it.
    pub fn len(&self) -> u32 {
        u32::try_from(self.bytes.len())
            .unwrap_or(u32::MAX)
            .saturating_add(self.payload_len)
    }

    /// Whether the packet has no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Cuts the packet to at most `len` bytes.
    pub(crate) fn truncate(&mut self, len: u64) {
        let real = self.bytes.len() as u64;
        if len <= real {
            self.bytes.truncate(len as usize);
            self.payload_len = 0;
        } else {
            self.payload_len = (len - real).min(self.payload_len.into()) as u32;
        }
    }

    /// Makes at least the first `n` bytes real, as far as the packet is that long.
    pub(crate) fn materialise(&mut self, n: usize) {
        let more = n
            .saturating_sub(self.bytes.len())
            .min(self.payload_len as usize);
        self.bytes.resize(self.bytes.len() + more, 0);
        self.payload_len -= more as u32;
    }
}
