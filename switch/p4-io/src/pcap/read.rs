// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Reading capture files of either format, byte order and timestamp resolution.

use std::fmt;
use std::io::{self, Read};

use super::{
    BYTE_ORDER_MAGIC, ENHANCED_PACKET, ETHERNET, Format, IF_TSOFFSET, IF_TSRESOL,
    INTERFACE_DESCRIPTION, MAGIC_MICROS, MAGIC_NANOS, MAX_RECORD, PACKET, Record, SECTION_HEADER,
    SIMPLE_PACKET,
};

/// The longest block that is read, in bytes; a longer one is taken for damage.
const MAX_BLOCK: u32 = 16 << 20;

/// Why reading ended.
#[derive(Debug)]
pub enum ReadError {
    /// The input failed.
    Io(io::Error),
    /// The file is damaged or of another kind.
    Format {
        /// Position in bytes.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(e) => e.fmt(f),
            Self::Format { offset, reason } => write!(f, "byte {offset}: {reason}"),
        }
    }
}

#[derive(Clone, Copy)]
struct Interface {
    ethernet: bool,
    link_type: u16,
    /// Timestamp units per second.
    resolution: u64,
    /// Seconds that are added to timestamps.
    offset: i64,
    snap_len: u32,
}

enum State {
    Pcap {
        unit_ns: u64,
    },
    PcapNg {
        interfaces: Vec<Interface>,
        last_ns: u64,
    },
}

/// Reads the frames of a capture file one after the other.
pub struct Reader<R> {
    from: R,
    offset: u64,
    big_endian: bool,
    state: State,
}

impl<R: Read> Reader<R> {
    /// Reads the file's header.
    ///
    /// # Errors
    /// If the input fails, or is no capture file of Ethernet frames.
    pub fn new(from: R) -> Result<Self, ReadError> {
        let mut reader = Self {
            from,
            offset: 0,
            big_endian: false,
            state: State::PcapNg {
                interfaces: Vec::new(),
                last_ns: 0,
            },
        };
        let mut magic = [0; 4];
        if !reader.fill(&mut magic)? {
            return Err(reader.bad("neither pcap nor pcapng: the file is empty"));
        }
        let little = u32::from_le_bytes(magic);
        if little == SECTION_HEADER {
            reader.section_header()?;
            return Ok(reader);
        }
        reader.big_endian = matches!(u32::from_be_bytes(magic), MAGIC_MICROS | MAGIC_NANOS);
        let unit_ns = match reader.u32(magic) {
            MAGIC_MICROS => 1000,
            MAGIC_NANOS => 1,
            _ => {
                reader.offset = 0;
                return Err(reader.bad("neither pcap nor pcapng: unknown magic number"));
            }
        };
        let mut header = [0; 20];
        reader.need(&mut header)?;
        let link_type = reader.u32([header[16], header[17], header[18], header[19]]);
        // The upper bits tell the length of a frame check sequence.
        if link_type & 0x03ff_ffff != u32::from(ETHERNET) {
            return Err(reader.bad(format!("link type {link_type} is not Ethernet")));
        }
        reader.state = State::Pcap { unit_ns };
        Ok(reader)
    }

    /// The file's format.
    pub fn format(&self) -> Format {
        match self.state {
            State::Pcap { .. } => Format::Pcap,
            State::PcapNg { .. } => Format::PcapNg,
        }
    }

    /// The next frame; `None` at the end of the file.
    ///
    /// # Errors
    /// If the input fails, or is damaged or cut here.
    pub fn next_record(&mut self) -> Result<Option<Record>, ReadError> {
        match self.state {
            State::Pcap { unit_ns } => self.classic(unit_ns),
            State::PcapNg { .. } => loop {
                let mut kind = [0; 4];
                if !self.fill(&mut kind)? {
                    return Ok(None);
                }
                if let Some(record) = self.block(kind)? {
                    return Ok(Some(record));
                }
            },
        }
    }

    fn classic(&mut self, unit_ns: u64) -> Result<Option<Record>, ReadError> {
        let mut seconds = [0; 4];
        if !self.fill(&mut seconds)? {
            return Ok(None);
        }
        let [fraction, captured, original_len] = [self.word()?, self.word()?, self.word()?];
        self.check_length(captured, original_len)?;
        let mut bytes = vec![0; captured as usize];
        self.need(&mut bytes)?;
        let time_ns = u64::from(self.u32(seconds)) * 1_000_000_000 + u64::from(fraction) * unit_ns;
        Ok(Some(Record {
            time_ns,
            original_len,
            bytes,
        }))
    }

    /// Reads a section header block after its type.
    fn section_header(&mut self) -> Result<(), ReadError> {
        let mut length = [0; 4];
        self.need(&mut length)?;
        let mut magic = [0; 4];
        self.need(&mut magic)?;
        self.big_endian = u32::from_be_bytes(magic) == BYTE_ORDER_MAGIC;
        if self.u32(magic) != BYTE_ORDER_MAGIC {
            return Err(self.bad("the section header has no byte-order magic"));
        }
        let length = self.block_length(length, 28)?;
        let mut rest = vec![0; length as usize - 12];
        self.need(&mut rest)?;
        let major = self.half(&rest, 0);
        if major != 1 {
            return Err(self.bad(format!("pcapng version {major} is not supported")));
        }
        if let State::PcapNg { interfaces, .. } = &mut self.state {
            interfaces.clear();
        }
        Ok(())
    }

    /// Reads a block after its type; gives the frame if it holds one.
    fn block(&mut self, kind: [u8; 4]) -> Result<Option<Record>, ReadError> {
        if u32::from_le_bytes(kind) == SECTION_HEADER {
            self.section_header()?;
            return Ok(None);
        }
        let mut length = [0; 4];
        self.need(&mut length)?;
        let length = self.block_length(length, 12)?;
        let mut body = vec![0; length as usize - 8];
        self.need(&mut body)?;
        body.truncate(length as usize - 12); // the length again
        match self.u32(kind) {
            INTERFACE_DESCRIPTION => {
                let interface = self.interface(&body)?;
                if let State::PcapNg { interfaces, .. } = &mut self.state {
                    interfaces.push(interface);
                }
                Ok(None)
            }
            ENHANCED_PACKET | PACKET | SIMPLE_PACKET => {
                self.packet(self.u32(kind), &body).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn interface(&self, body: &[u8]) -> Result<Interface, ReadError> {
        if body.len() < 8 {
            return Err(self.bad("an interface description is too short"));
        }
        let link_type = self.half(body, 0);
        let mut interface = Interface {
            ethernet: link_type == ETHERNET,
            link_type,
            resolution: 1_000_000,
            offset: 0,
            snap_len: self.at(body, 4),
        };
        let mut options = &body[8..];
        while options.len() >= 4 {
            let (code, length) = (self.half(options, 0), usize::from(self.half(options, 2)));
            let Some(value) = options.get(4..4 + length) else {
                return Err(self.bad("an option is longer than its block"));
            };
            match (code, value) {
                (0, _) => break,
                (IF_TSRESOL, &[v]) => {
                    let power = u32::from(v & 0x7f);
                    let base: u64 = if v & 0x80 == 0 { 10 } else { 2 };
                    interface.resolution = base.checked_pow(power).ok_or_else(|| {
                        self.bad(format!("timestamp resolution {v:#04x} is too fine"))
                    })?;
                }
                (IF_TSOFFSET, v) => {
                    if let Ok(v) = <[u8; 8]>::try_from(v) {
                        interface.offset = if self.big_endian {
                            i64::from_be_bytes(v)
                        } else {
                            i64::from_le_bytes(v)
                        };
                    }
                }
                _ => {}
            }
            options = options
                .get(4 + length.next_multiple_of(4)..)
                .unwrap_or_default();
        }
        Ok(interface)
    }

    fn packet(&mut self, kind: u32, body: &[u8]) -> Result<Record, ReadError> {
        let header = if kind == SIMPLE_PACKET { 4 } else { 20 };
        if body.len() < header {
            return Err(self.bad("a packet block is too short"));
        }
        let index = match kind {
            SIMPLE_PACKET => 0,
            PACKET => self.half(body, 0).into(),
            _ => self.at(body, 0),
        };
        let State::PcapNg {
            interfaces,
            last_ns,
        } = &self.state
        else {
            return Err(self.bad("a block in a classic file"));
        };
        let last_ns = *last_ns;
        let Some(&interface) = interfaces.get(index as usize) else {
            return Err(self.bad(format!("interface {index} is not described")));
        };
        if !interface.ethernet {
            let link_type = interface.link_type;
            return Err(self.bad(format!("link type {link_type} is not Ethernet")));
        }
        let (captured, original_len, time_ns) = if kind == SIMPLE_PACKET {
            let original = self.at(body, 0);
            let limit = match interface.snap_len {
                0 => u32::MAX,
                limit => limit,
            };
            // Such a block has no time: it follows the one before.
            (original.min(limit), original, last_ns)
        } else {
            let stamp = u64::from(self.at(body, 4)) << 32 | u64::from(self.at(body, 8));
            let units = i128::from(stamp) * 1_000_000_000 / i128::from(interface.resolution);
            let ns = units + i128::from(interface.offset) * 1_000_000_000;
            let time_ns = u64::try_from(ns)
                .map_err(|_| self.bad("a timestamp is before 1970 or after 2554"))?;
            (self.at(body, 12), self.at(body, 16), time_ns)
        };
        self.check_length(captured, original_len)?;
        let Some(bytes) = body.get(header..header + captured as usize) else {
            return Err(self.bad("a packet is longer than its block"));
        };
        if let State::PcapNg { last_ns, .. } = &mut self.state {
            *last_ns = time_ns;
        }
        Ok(Record {
            time_ns,
            original_len,
            bytes: bytes.to_vec(),
        })
    }

    /// Both lengths: bytes that were not captured cost memory, too, where a program sums over a payload.
    fn check_length(&self, captured: u32, original: u32) -> Result<(), ReadError> {
        let length = captured.max(original);
        if length > MAX_RECORD {
            return Err(self.bad(format!(
                "a record of {length} bytes is longer than {MAX_RECORD}"
            )));
        }
        Ok(())
    }

    fn block_length(&self, bytes: [u8; 4], least: u32) -> Result<u32, ReadError> {
        let length = self.u32(bytes);
        if length < least || !length.is_multiple_of(4) || length > MAX_BLOCK {
            return Err(self.bad(format!("a block of {length} bytes is not possible")));
        }
        Ok(length)
    }

    fn u32(&self, bytes: [u8; 4]) -> u32 {
        if self.big_endian {
            u32::from_be_bytes(bytes)
        } else {
            u32::from_le_bytes(bytes)
        }
    }

    /// The word at `i`; 0 beyond the end.
    fn at(&self, bytes: &[u8], i: usize) -> u32 {
        let word = bytes.get(i..i + 4).and_then(|w| w.try_into().ok());
        self.u32(word.unwrap_or_default())
    }

    /// The half word at `i`; 0 beyond the end.
    fn half(&self, bytes: &[u8], i: usize) -> u16 {
        let half = bytes.get(i..i + 2).and_then(|h| h.try_into().ok());
        let half: [u8; 2] = half.unwrap_or_default();
        if self.big_endian {
            u16::from_be_bytes(half)
        } else {
            u16::from_le_bytes(half)
        }
    }

    fn word(&mut self) -> Result<u32, ReadError> {
        let mut bytes = [0; 4];
        self.need(&mut bytes)?;
        Ok(self.u32(bytes))
    }

    /// Fills `to`; false if the file ends just before.
    fn fill(&mut self, to: &mut [u8]) -> Result<bool, ReadError> {
        let mut have = 0;
        while have < to.len() {
            match self.from.read(&mut to[have..]) {
                Ok(0) if have == 0 => return Ok(false),
                Ok(0) => return Err(self.bad("the file ends within a record")),
                Ok(n) => have += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(ReadError::Io(e)),
            }
        }
        self.offset += have as u64;
        Ok(true)
    }

    fn need(&mut self, to: &mut [u8]) -> Result<(), ReadError> {
        if to.is_empty() || self.fill(to)? {
            Ok(())
        } else {
            Err(self.bad("the file ends within a record"))
        }
    }

    fn bad(&self, reason: impl Into<String>) -> ReadError {
        ReadError::Format {
            offset: self.offset,
            reason: reason.into(),
        }
    }
}
