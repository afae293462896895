// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Writing capture files: little-endian, nanosecond timestamps, no date or host of their own.

use std::io::{self, Write};

use super::{
    BYTE_ORDER_MAGIC, ENHANCED_PACKET, ETHERNET, Format, IF_TSRESOL, INTERFACE_DESCRIPTION,
    MAGIC_NANOS, MAX_RECORD, SECTION_HEADER,
};

/// Writes frames to a capture file. The same frames and times give the same bytes.
pub struct Writer<W> {
    to: W,
    format: Format,
}

impl<W: Write> Writer<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn new(mut to: W, format: Format) -> io::Result<Self> {
        match format {
            Format::Pcap => {
                to.write_all(&MAGIC_NANOS.to_le_bytes())?;
                to.write_all(&[2, 0, 4, 0])?; // version 2.4
                to.write_all(&[0; 8])?; // reserved
                to.write_all(&MAX_RECORD.to_le_bytes())?;
                to.write_all(&u32::from(ETHERNET).to_le_bytes())?;
            }
            Format::PcapNg => {
                let mut body = Vec::new();
                body.extend(BYTE_ORDER_MAGIC.to_le_bytes());
                body.extend([1, 0, 0, 0]); // version 1.0
                body.extend((-1i64).to_le_bytes()); // section length not given
                block(&mut to, SECTION_HEADER, &[&body])?;
                body.clear();
                body.extend(ETHERNET.to_le_bytes());
                body.extend([0; 2]);
                body.extend(MAX_RECORD.to_le_bytes());
                body.extend(IF_TSRESOL.to_le_bytes());
                body.extend([1, 0, 9, 0, 0, 0]); // one byte: 10^-9 s; padding
                body.extend([0; 4]); // end of options
                block(&mut to, INTERFACE_DESCRIPTION, &[&body])?;
            }
        }
        Ok(Self { to, format })
    }

    /// Appends a frame. `original_len` is its length on the wire; a frame beyond 262,144 bytes is cut.
    ///
    /// # Errors
    /// Those of the output; in the classic format also a time after the year 2106.
    pub fn write(&mut self, time_ns: u64, frame: &[u8], original_len: u32) -> io::Result<()> {
        let frame = &frame[..frame.len().min(MAX_RECORD as usize)];
        let captured = frame.len() as u32;
        match self.format {
            Format::Pcap => {
                let seconds = u32::try_from(time_ns / 1_000_000_000).map_err(|_| {
                    io::Error::new(
                        io::ErrorKind::InvalidInput,
                        "pcap cannot hold times after 2106; use pcapng",
                    )
                })?;
                let mut header = [0; 16];
                header[..4].copy_from_slice(&seconds.to_le_bytes());
                header[4..8].copy_from_slice(&((time_ns % 1_000_000_000) as u32).to_le_bytes());
                header[8..12].copy_from_slice(&captured.to_le_bytes());
                header[12..].copy_from_slice(&original_len.to_le_bytes());
                self.to.write_all(&header)?;
                self.to.write_all(frame)
            }
            Format::PcapNg => {
                let mut header = [0; 20]; // interface 0
                header[4..8].copy_from_slice(&((time_ns >> 32) as u32).to_le_bytes());
                header[8..12].copy_from_slice(&(time_ns as u32).to_le_bytes());
                header[12..16].copy_from_slice(&captured.to_le_bytes());
                header[16..].copy_from_slice(&original_len.to_le_bytes());
                block(&mut self.to, ENHANCED_PACKET, &[&header, frame])
            }
        }
    }

    /// Hands what is buffered on.
    ///
    /// # Errors
    /// Those of the output.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// The output.
    pub fn into_inner(self) -> W {
        self.to
    }
}

fn block(to: &mut impl Write, kind: u32, parts: &[&[u8]]) -> io::Result<()> {
    let body: usize = parts.iter().map(|part| part.len()).sum();
    let padding = body.next_multiple_of(4) - body;
    let length = (12 + body + padding) as u32;
    to.write_all(&kind.to_le_bytes())?;
    to.write_all(&length.to_le_bytes())?;
    for part in parts {
        to.write_all(part)?;
    }
    to.write_all(&[0; 3][..padding])?;
    to.write_all(&length.to_le_bytes())
}
