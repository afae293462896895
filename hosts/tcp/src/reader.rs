// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! An application that reads when it likes: the announced window closes while it does not.

use crate::endpoint::{AckDue, Endpoint};

/// How far the application has read, and what was announced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader {
    /// Bytes of the peer's stream that were read.
    read: u64,
    /// Position after the last that the announced window admits. It never moves back.
    pub(crate) window_end: u64,
}

impl Reader {
    /// Before the first byte of the stream, with a window of `window` bytes.
    pub(crate) const fn new(window: u32) -> Self {
        Self {
            read: 0,
            window_end: 1 + window as u64,
        }
    }
}

impl Endpoint {
    /// From now on what has been received counts against the announced window until [`Endpoint::read`] takes it.
    /// Without this call the application reads everything at once. To be called before the handshake.
    pub fn read_by_hand(&mut self) {
        self.reader = Some(Reader::new(self.rcv_wnd));
    }

    /// Bytes received in order and not read: 0 unless [`Endpoint::read_by_hand`] was called.
    #[must_use]
    pub fn unread(&self) -> u64 {
        self.reader
            .map_or(0, |reader| self.delivered().saturating_sub(reader.read))
    }

    /// Reads up to `bytes` bytes; returns how many there were. The window opens in steps of at least the lesser of
    /// a segment and half the buffer (RFC 9293, section 3.8.6.2.2), and the peer is told at once.
    pub fn read(&mut self, bytes: u64) -> u64 {
        let taken = bytes.min(self.unread());
        let next = self.rcv.next();
        let step = u64::from(self.smss().min(self.rcv_wnd.div_ceil(2)));
        if let Some(reader) = &mut self.reader {
            reader.read += taken;
            let kept = self.stats.bytes_delivered - reader.read;
            let open = (next + u64::from(self.rcv_wnd)).saturating_sub(kept);
            if open >= reader.window_end + step {
                reader.window_end = open;
                self.ack_due = AckDue::Now;
            }
        }
        taken
    }
}
