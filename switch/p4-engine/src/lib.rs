// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Executes BMv2 JSON: parser, tables, registers, traffic manager; no clock, no I/O.
//!
//! The input is the JSON that p4c emits for v1model and that `simple_switch` loads (format version
//! 2.x). [`Program::from_bmv2_json`] checks it and compiles it once; a [`Switch`] is that program
//! plus the state that packets and the control plane change. Time comes in as integer nanoseconds.
//!
//! ```text
//! receive(port, packet, now)                 depart(now)
//!   parser -> verify checksums -> ingress      egress -> update checksums -> deparser
//!     -> traffic manager queue of a port --------^
//! ```
//!
//! The caller owns the clock and keeps events in order of time: call [`Switch::receive`] when a
//! packet has arrived, and [`Switch::depart`] whenever [`Switch::next_departure`] is due. A packet
//! that meets an idle port is due at once, at the time it arrived.
//!
//! ## Semantics
//! Where `simple_switch` defines behaviour, this crate does the same; in particular
//! * `enq_qdepth` is the depth before the push, `deq_qdepth` the depth after the pop, in packets,
//!   without the packet itself and without the one in service; timestamps are in microseconds;
//! * arithmetic is exact (unbounded integers) and cut to the width of a field when it is stored;
//! * a register or counter index out of bounds reads nothing and writes nothing;
//! * a field of an invalid header keeps its last value of this packet, 0 if it never had one;
//! * an egress drop has already used its service slot.
//!
//! Where `simple_switch` would abort or is undefined, the engine goes on in a defined way: a failed
//! `assert` or `assume` drops the packet, division by zero gives 0, `random(lo, hi)` with `lo > hi`
//! gives `lo`, a parser that loops without consuming input ends with `ParserTimeout`.

#![forbid(unsafe_code)]

mod error;
mod exec;
mod load;
mod meter;
mod num;
mod packet;
mod profile;
mod program;
mod replicate;
mod switch;
mod table;
mod tm;
mod value;

pub use error::{ControlError, LoadError};
pub use meter::{MeterColor, MeterConfig};
pub use packet::Packet;
pub use profile::GroupMember;
pub use program::{
    ActionInfo, ActionProfileInfo, CounterInfo, DigestInfo, FieldInfo, KeyInfo, MatchKind,
    MeterInfo, ParamInfo, Program, RegisterInfo, TableInfo, ValueSetInfo,
};
pub use replicate::{CloneSession, Replica};
pub use switch::{
    CounterValue, Departure, Digest, DropReason, EnqueueRecord, PortStats, ReceiveOutcome, Switch,
    SwitchConfig, TableTrace,
};
pub use table::{ActionCall, EntryAction, MatchField, TableEntry};
pub use tm::{PortConfig, PortConfigError, Rate};
pub use value::Value;
