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
//! ## Control plane
//! Objects are named by index into the lists of [`Program`]; `Program::table("name")` and its like
//! find the index of a name. All of these are methods of [`Switch`]:
//!
//! | object | methods |
//! |---|---|
//! | table entries | `table_insert`, `table_modify`, `table_delete`, `table_entries`, ... |
//! | direct counters, direct meters | `table_counter_write`, `table_meter_write`, `table_meter_read` |
//! | idle timeouts | `set_idle_timeout`, `idle_timeout`, `take_idle_entries` |
//! | counters, registers, meters | `counter_read`, `register_read`, `meter_read`, and `..._write` |
//! | action profiles and selectors | `member_insert`, `group_insert`, ..., and [`EntryAction`] |
//! | multicast groups, clone sessions | `multicast_group_set`, `clone_session_set`, ... |
//! | digests | `take_digests`, `lost_digests` |
//! | parser value sets | `value_set_write`, `value_set_read` |
//!
//! A CPU port is a port like any other: a packet-out is received from it, a packet-in departs from
//! it, and the program reads and writes the headers that stand before the packet.
//!
//! ## Semantics
//! Where `simple_switch` defines behaviour, this crate does the same; in particular
//! * `enq_qdepth` is the depth before the push, `deq_qdepth` the depth after the pop, in packets,
//!   without the packet itself and without the one in service; timestamps are in microseconds;
//! * arithmetic is exact (unbounded integers) and cut to the width of a field when it is stored;
//! * a register or counter index out of bounds reads nothing and writes nothing;
//! * a field of an invalid header keeps its last value of this packet, 0 if it never had one;
//! * an egress drop has already used its service slot, and so has a recirculation;
//! * a clone of ingress is the packet as it arrived, a clone of egress has the headers that egress
//!   leaves; metadata of clones, resubmitted and recirculated packets is 0 but for the field list,
//!   `instance_type` and, for the latter two, `packet_length`: also `ingress_port` is 0;
//! * a digest has the values of the end of ingress; of several calls of `clone`, `digest`,
//!   `resubmit` or `recirculate` in one pass the last one counts;
//! * what leaves at the end of ingress is decided in this order: clone, digest, resubmit, multicast,
//!   drop, unicast;
//! * a meter without configuration is green; meters are those of RFC 2698, colour-blind;
//! * the hash of an action selector modulo the sum of weights chooses from the members in order of
//!   their ids, each repeated by its weight.
//!
//! Where `simple_switch` would abort or is undefined, the engine goes on in a defined way: a failed
//! `assert` or `assume` drops the packet, and so does an action that jumps back 100,000 times; division by zero gives 0, `random(lo, hi)` with `lo > hi`
//! gives `lo`, a parser that loops without consuming input ends with `ParserTimeout`, an index
//! beyond a header stack reads 0 and writes nothing, and a packet that goes through the switch more
//! often than [`SwitchConfig::max_passes`] is dropped (`simple_switch` would go on for ever).
//!
//! ## Programs for Tofino
//! A JSON whose `target` is `tna` or `t2na` (`mecn-p4c --arch`) goes the ways that `switch/tna.rs` describes: a packet is
//! parsed anew in egress, queues are counted in cells, and mirror sessions are clone sessions. `filter_write` configures
//! `Lpf` and `Wred`, `port_metadata_write` what the ingress parser finds before a port's packets.
//!
//! ## Execution
//! A program is interpreted, or compiled to machine code: parser, pipelines and deparser each
//! become a native function. [`SwitchConfig::execution`] chooses; by default a switch interprets
//! its first packets and then compiles. Results are the same, random numbers included. A program
//! with loops, or a host for which there is no code, stays interpreted: see [`Switch::refusal`].
//!
//! ## Refused at load, by name
//! Extern instances, primitives of other architectures, checksums other than `generic`, hashes over
//! the payload, ranges over more than 64 bits, meters of other than two rates, comparison of headers
//! that an index chooses. Of custom CRCs (`crc16_custom`, `crc32_custom`) only the parameters that
//! `simple_switch` begins with are there.

// A dependency that nothing uses is an error of `make lint`.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![deny(unsafe_code)]

mod budget;
mod error;
mod exec;
mod filter;
mod instructions;
mod jit;
mod load;
mod loaded;
mod memory;
mod meter;
mod num;
mod packet;
mod profile;
mod program;
mod replicate;
mod state;
mod switch;
mod table;
mod tm;
mod tna;
mod trace;
mod value;

pub use budget::JSON_NESTING;
pub use error::{ControlError, LoadError};
pub use filter::FilterConfig;
pub use jit::{CodeSize, Refusal};
pub use loaded::Program;
pub use memory::CounterValue;
pub use meter::{MeterColor, MeterConfig};
pub use packet::Packet;
pub use profile::GroupMember;
pub use program::{
    ActionInfo, ActionProfileInfo, CounterInfo, DigestInfo, FieldInfo, FilterInfo, Ir, KeyInfo,
    MatchKind, MeterInfo, ParamInfo, RegisterInfo, TableInfo, ValueSetInfo,
};
pub use replicate::{CloneSession, Replica};
pub use switch::{
    COMPILE_AFTER, Departure, Digest, DropReason, EnqueueRecord, Execution, PortStats,
    ReceiveOutcome, Switch, SwitchConfig,
};
pub use table::{ActionCall, EntryAction, MatchField, MatchTable, TableEntry};
pub use tm::{PortConfig, PortConfigError, Rate};
pub use trace::{ParserStep, TableTrace, Trace};
pub use value::Value;
