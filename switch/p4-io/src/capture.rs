// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Records what passes an interface in two capture files, as `simple_switch --pcap` does.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use crate::error::IoError;
use crate::pcap::{Format, Writer};
use crate::sys;

/// The two files of one interface: `NAME_in.pcap` and `NAME_out.pcap`.
pub struct Capture {
    input: Writer<BufWriter<File>>,
    output: Writer<BufWriter<File>>,
}

impl Capture {
    pub fn create(folder: &Path, interface: &str) -> Result<Self, IoError> {
        let create = |direction: &str| {
            let path = folder.join(format!("{interface}_{direction}.pcap"));
            let file = sys::create_file(&path).map_err(|e| IoError::file(&path, e))?;
            Writer::new(BufWriter::new(file), Format::Pcap).map_err(|e| IoError::file(&path, e))
        };
        Ok(Self {
            input: create("in")?,
            output: create("out")?,
        })
    }

    pub fn input(&mut self, time_ns: u64, frame: &[u8]) -> io::Result<()> {
        self.input.write(time_ns, frame, frame.len() as u32)
    }

    pub fn output(&mut self, time_ns: u64, frame: &[u8]) -> io::Result<()> {
        self.output.write(time_ns, frame, frame.len() as u32)
    }

    pub fn flush(&mut self) -> io::Result<()> {
        self.input.flush()?;
        self.output.flush()
    }
}
