// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Runs a switch on capture files, in virtual time: the same files give the same files.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;

use crate::counters::PortTotals;
use crate::driver::{Driver, TraceRecord};
use crate::error::IoError;
use crate::pcap::{Format, ReadError, Reader, Record, Writer};
use crate::shared::SharedSwitch;
use crate::sys;

/// A port, the file its frames come from and the file they go to.
#[derive(Clone, Debug)]
pub struct FilePort {
    /// The port's number.
    pub port: u16,
    /// Frames that arrive, at their records' times; `None`: nothing arrives.
    pub input: Option<PathBuf>,
    /// Frames that leave, at the times at which they arrive at the far end of the link. Its format is
    /// pcapng if its name ends so, else pcap.
    pub output: PathBuf,
    /// Propagation delay of the link in nanoseconds.
    pub delay_ns: u64,
}

/// What a run on files did.
#[derive(Clone, Debug, Default)]
pub struct FileTotals {
    /// Counts of each port, in the order given.
    pub ports: Vec<PortTotals>,
    /// Time from the first record to the last frame at the far end of its link, in nanoseconds.
    pub duration_ns: u64,
    /// Frames sent out of ports that have no file.
    pub unattached: u64,
}

struct Input {
    port: u16,
    path: PathBuf,
    reader: Reader<BufReader<File>>,
    next: Option<Record>,
}

impl Input {
    fn open(port: u16, path: &Path) -> Result<Self, IoError> {
        let file = File::open(path).map_err(|e| IoError::file(path, e))?;
        let reader = Reader::new(BufReader::new(file)).map_err(|e| bad(path, e))?;
        let mut input = Self {
            port,
            path: path.to_owned(),
            reader,
            next: None,
        };
        input.next = input.read()?;
        Ok(input)
    }

    fn read(&mut self) -> Result<Option<Record>, IoError> {
        self.reader.next_record().map_err(|e| bad(&self.path, e))
    }
}

fn bad(path: &Path, error: ReadError) -> IoError {
    match error {
        ReadError::Io(e) => IoError::file(path, e),
        ReadError::Format { offset, reason } => IoError::Format {
            path: path.to_owned(),
            offset,
            reason,
        },
    }
}

/// A file that gets its name when it is complete.
struct Output {
    path: PathBuf,
    partial: PathBuf,
    writer: Writer<BufWriter<File>>,
}

impl Output {
    fn create(path: &Path) -> Result<Self, IoError> {
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let format = match path.extension() {
            Some(e) if e == "pcapng" => Format::PcapNg,
            _ => Format::Pcap,
        };
        let file = sys::create_file(&partial).map_err(|e| IoError::file(&partial, e))?;
        let writer =
            Writer::new(BufWriter::new(file), format).map_err(|e| IoError::file(&partial, e))?;
        Ok(Self {
            path: path.to_owned(),
            partial,
            writer,
        })
    }

    fn finish(self) -> Result<(), IoError> {
        let mut to = self.writer.into_inner();
        to.flush().map_err(|e| IoError::file(&self.partial, e))?;
        fs::rename(&self.partial, &self.path).map_err(|e| IoError::file(&self.path, e))
    }
}

/// Runs the frames of all inputs through the switch in order of time; of frames with the same time the
/// one of the lower port goes first. Time 0 of the switch is that of the first record, and times in the
/// output continue those of the input. A time that goes back within a file counts as the one before.
///
/// # Errors
/// If a file cannot be read or written or a port is given twice. Outputs appear only if all went well.
pub fn run_files(
    switch: &SharedSwitch,
    ports: &[FilePort],
    trace: Option<&mut dyn FnMut(TraceRecord)>,
) -> Result<FileTotals, IoError> {
    let numbers: Vec<u16> = ports.iter().map(|port| port.port).collect();
    for (i, port) in numbers.iter().enumerate() {
        if numbers[..i].contains(port) {
            return Err(IoError::Config(format!("port {port} is given twice")));
        }
    }
    let mut inputs = Vec::new();
    for port in ports {
        if let Some(path) = &port.input {
            inputs.push(Input::open(port.port, path)?);
        }
    }
    inputs.sort_by_key(|input| input.port);
    let outputs: Result<Vec<Output>, IoError> = ports
        .iter()
        .map(|port| Output::create(&port.output))
        .collect();
    let outputs = outputs.inspect_err(|_| remove_partial(ports))?;
    let mut driver = Driver::new(&numbers, None);
    for port in ports {
        if let Some(link) = driver.link(port.port) {
            link.delay_ns.store(port.delay_ns, Relaxed);
        }
    }
    driver.trace = trace.is_some().then(Vec::new);
    let run = Run {
        driver,
        outputs,
        base_ns: 0,
        end_ns: 0,
        trace,
    };
    run.all(switch, inputs)
        .inspect_err(|_| remove_partial(ports))
}

fn remove_partial(ports: &[FilePort]) {
    for port in ports {
        let mut partial = port.output.as_os_str().to_owned();
        partial.push(".partial");
        // It may not exist; the error that led here is the one to report.
        let _ = fs::remove_file(PathBuf::from(partial));
    }
}

struct Run<'a> {
    driver: Driver,
    outputs: Vec<Output>,
    base_ns: u64,
    end_ns: u64,
    trace: Option<&'a mut dyn FnMut(TraceRecord)>,
}

impl Run<'_> {
    fn all(mut self, switch: &SharedSwitch, mut inputs: Vec<Input>) -> Result<FileTotals, IoError> {
        let firsts = inputs.iter().filter_map(|input| input.next.as_ref());
        self.base_ns = firsts.map(|record| record.time_ns).min().unwrap_or(0);
        let mut now_ns = 0;
        loop {
            let earliest = inputs
                .iter_mut()
                .filter(|input| input.next.is_some())
                .min_by_key(|input| input.next.as_ref().map(|record| record.time_ns));
            let Some(input) = earliest else { break };
            let Some(record) = input.next.take() else {
                break;
            };
            input.next = input.read()?;
            now_ns = now_ns.max(record.time_ns.saturating_sub(self.base_ns));
            let missing = record
                .original_len
                .saturating_sub(record.bytes.len() as u32);
            {
                let _turn = switch.announce();
                let mut engine = switch
                    .mutex()
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let engine = &mut *engine;
                self.driver
                    .receive(engine, input.port, &[&record.bytes], missing, now_ns);
            }
            self.write(now_ns)?;
        }
        {
            let mut engine = switch.control();
            self.driver.depart(&mut engine, u64::MAX);
        }
        self.write(u64::MAX)?;
        for output in self.outputs {
            output.finish()?;
        }
        let ports = self
            .driver
            .links()
            .iter()
            .map(|link| link.counters.totals());
        Ok(FileTotals {
            ports: ports.collect(),
            duration_ns: self.end_ns,
            unattached: self.driver.unattached,
        })
    }

    /// Writes the frames that have left by `now_ns`.
    fn write(&mut self, now_ns: u64) -> Result<(), IoError> {
        for (index, output) in self.outputs.iter_mut().enumerate() {
            while self.driver.due(index, now_ns).next().is_some() {
                let Some(held) = self.driver.take(index) else {
                    break;
                };
                let original = (held.bytes.len() as u32).saturating_add(held.payload_len);
                let time_ns = self.base_ns.saturating_add(held.due_ns);
                output
                    .writer
                    .write(time_ns, &held.bytes, original)
                    .map_err(|e| IoError::file(&output.partial, e))?;
                self.end_ns = self.end_ns.max(held.due_ns);
                let link = &self.driver.links()[index];
                link.counters.sent(held.bytes.len(), 0);
                self.driver.give_back(held.bytes);
            }
        }
        if let (Some(sink), Some(records)) = (self.trace.as_mut(), self.driver.trace.as_mut()) {
            records.drain(..).for_each(sink);
        }
        Ok(())
    }
}
