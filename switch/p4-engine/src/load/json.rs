// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The parts of the BMv2 JSON format that the engine reads, as serde types.
//!
//! Source: `docs/JSON_format.md` of p4lang/behavioral-model, version 2.23. Attributes that only
//! describe (`source_info`, `pi_omit`, `@name`) are not read.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

/// The text with control characters in strings escaped, which JSON demands: p4c writes those of a string
/// literal as they are, and simple_switch takes them.
pub(super) fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    let mut out: Option<Vec<u8>> = None;
    let (mut in_string, mut after_backslash) = (false, false);
    for (i, &byte) in text.iter().enumerate() {
        // After a backslash it stays as it is, an error that the parser finds.
        if in_string && byte < b' ' && !after_backslash {
            let out = out.get_or_insert_with(|| text[..i].to_vec());
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
        } else if let Some(out) = &mut out {
            out.push(byte);
        }
        in_string ^= byte == b'"' && !after_backslash;
        after_backslash = in_string && byte == b'\\' && !after_backslash;
    }
    out.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// How deep the brackets and braces of a text go.
pub(super) fn nesting(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let (mut in_string, mut after_backslash) = (false, false);
    for &byte in text {
        match byte {
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        in_string ^= byte == b'"' && !after_backslash;
        after_backslash = in_string && byte == b'\\' && !after_backslash;
    }
    deepest
}

#[derive(Deserialize)]
pub(super) struct Root {
    #[serde(rename = "__meta__")]
    pub meta: Option<Meta>,
    pub header_types: Vec<HeaderType>,
    pub headers: Vec<Header>,
    #[serde(default)]
    pub header_stacks: Vec<HeaderStack>,
    #[serde(default)]
    pub header_union_types: Vec<HeaderUnionType>,
    #[serde(default)]
    pub header_unions: Vec<HeaderUnion>,
    #[serde(default)]
    pub header_union_stacks: Vec<HeaderUnionStack>,
    #[serde(default)]
    pub errors: Vec<(String, u64)>,
    pub parsers: Vec<Parser>,
    #[serde(default)]
    pub parse_vsets: Vec<ValueSet>,
    pub deparsers: Vec<Deparser>,
    #[serde(default)]
    pub meter_arrays: Vec<MeterArray>,
    #[serde(default)]
    pub learn_lists: Vec<FieldList>,
    #[serde(default)]
    pub field_lists: Vec<FieldList>,
    #[serde(default)]
    pub counter_arrays: Vec<CounterArray>,
    #[serde(default)]
    pub register_arrays: Vec<RegisterArray>,
    pub actions: Vec<Action>,
    pub pipelines: Vec<Pipeline>,
    #[serde(default)]
    pub calculations: Vec<Calculation>,
    #[serde(default)]
    pub checksums: Vec<Checksum>,
    #[serde(default)]
    pub extern_instances: Vec<Named>,
    /// Own extension, as `tna` and `filters`: the target of a program that is not for v1model.
    pub target: Option<String>,
    pub tna: Option<Tna>,
    #[serde(default)]
    pub filters: Vec<Filter>,
    #[serde(default)]
    pub field_aliases: Vec<(String, (String, String))>,
}

/// What a program for Tofino asks of the switch.
#[derive(Deserialize)]
pub(super) struct Tna {
    pub mirrors: Vec<String>,
    pub resubmits: Vec<String>,
    pub keeps_arrival: bool,
    pub keeps_errors: bool,
}

#[derive(Deserialize)]
pub(super) struct DirectRegisters {
    /// The field that takes the number of the entry that is hit, from 1 on.
    pub index: (String, String),
    pub registers: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Filter {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    pub size: usize,
    pub bitwidth: u32,
    pub drop: Option<u64>,
    pub no_drop: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Meta {
    pub version: Option<(u64, u64)>,
}

#[derive(Deserialize)]
pub(super) struct Named {
    #[serde(default)]
    pub name: String,
}

#[derive(Deserialize)]
pub(super) struct HeaderType {
    pub name: String,
    /// Name, width (a number, or `"*"`), and optionally whether it is signed.
    pub fields: Vec<Vec<Value>>,
    /// In bytes; of types with a variable-length field.
    pub max_length: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct Header {
    pub name: String,
    #[serde(default)]
    pub id: u64,
    pub header_type: String,
    #[serde(default)]
    pub metadata: bool,
}

#[derive(Deserialize)]
pub(super) struct HeaderStack {
    pub name: String,
    pub header_ids: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct HeaderUnionType {
    pub name: String,
    /// Name of the member, and its type.
    pub headers: Vec<(String, String)>,
}

#[derive(Deserialize)]
pub(super) struct HeaderUnion {
    pub name: String,
    pub id: u64,
    pub union_type: String,
    pub header_ids: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct HeaderUnionStack {
    pub name: String,
    pub union_type: String,
    pub header_union_ids: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct ValueSet {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    pub compressed_bitwidth: u32,
    pub max_size: Option<usize>,
}

#[derive(Deserialize)]
pub(super) struct MeterArray {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default = "two")]
    pub rate_count: u32,
    #[serde(default)]
    pub size: usize,
    #[serde(default)]
    pub is_direct: bool,
    pub result_target: Option<(String, String)>,
}

fn two() -> u32 {
    2
}

/// A digest's fields, or preserved metadata.
#[derive(Deserialize)]
pub(super) struct FieldList {
    #[serde(default)]
    pub name: String,
    pub id: u32,
    pub elements: Vec<TypeValue>,
}

#[derive(Deserialize)]
pub(super) struct ActionProfile {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    pub max_size: Option<usize>,
    pub selector: Option<Selector>,
}

#[derive(Deserialize)]
pub(super) struct Selector {
    pub algo: String,
    #[serde(default)]
    pub input: Vec<TypeValue>,
}

#[derive(Deserialize)]
pub(super) struct Parser {
    pub name: String,
    pub init_state: Option<String>,
    pub parse_states: Vec<ParseState>,
}

#[derive(Deserialize)]
pub(super) struct ParseState {
    pub name: String,
    #[serde(default)]
    pub parser_ops: Vec<Call>,
    #[serde(default)]
    pub transition_key: Vec<TypeValue>,
    #[serde(default)]
    pub transitions: Vec<Transition>,
}

/// An operation with parameters: of a parser, or a primitive of an action.
#[derive(Deserialize)]
pub(super) struct Call {
    pub op: String,
    #[serde(default)]
    pub parameters: Vec<Value>,
}

#[derive(Deserialize)]
pub(super) struct TypeValue {
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(default)]
    pub value: Value,
    pub bitwidth: Option<u32>,
}

#[derive(Deserialize)]
pub(super) struct Transition {
    #[serde(rename = "type")]
    pub kind: Option<String>,
    pub value: Option<String>,
    pub mask: Option<String>,
    pub next_state: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Deparser {
    pub name: String,
    pub order: Vec<String>,
    #[serde(default)]
    pub primitives: Vec<Call>,
}

#[derive(Deserialize)]
pub(super) struct CounterArray {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    #[serde(default)]
    pub size: usize,
    #[serde(default)]
    pub is_direct: bool,
    pub binding: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct RegisterArray {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    pub size: usize,
    pub bitwidth: u32,
    /// Own extension: the first value of all cells, if not 0.
    pub initial: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Action {
    pub name: String,
    pub id: u32,
    #[serde(default)]
    pub runtime_data: Vec<RuntimeData>,
    #[serde(default)]
    pub primitives: Vec<Call>,
}

#[derive(Deserialize)]
pub(super) struct RuntimeData {
    pub name: String,
    pub bitwidth: u32,
}

#[derive(Deserialize)]
pub(super) struct Pipeline {
    pub name: String,
    pub init_table: Option<String>,
    #[serde(default)]
    pub tables: Vec<Table>,
    #[serde(default)]
    pub action_profiles: Vec<ActionProfile>,
    #[serde(default)]
    pub conditionals: Vec<Conditional>,
    #[serde(default)]
    pub action_calls: Vec<ActionCall>,
}

#[derive(Deserialize)]
pub(super) struct Table {
    pub name: String,
    #[serde(default)]
    pub id: u32,
    pub match_type: String,
    #[serde(rename = "type", default = "simple")]
    pub kind: String,
    pub action_profile: Option<String>,
    pub max_size: Option<usize>,
    #[serde(default)]
    pub with_counters: bool,
    #[serde(default)]
    pub support_timeout: bool,
    pub direct_meters: Option<String>,
    #[serde(default)]
    pub key: Vec<Key>,
    pub actions: Vec<String>,
    pub action_ids: Option<Vec<u32>>,
    pub base_default_next: Option<String>,
    #[serde(default)]
    pub next_tables: std::collections::BTreeMap<String, Option<String>>,
    pub default_entry: Option<DefaultEntry>,
    #[serde(default)]
    pub entries: Option<Vec<Entry>>,
    /// Own extension: registers with a cell for each entry.
    pub direct_registers: Option<DirectRegisters>,
    /// Own extension: `false` for entries that the control plane may change.
    pub immutable_entries: Option<bool>,
}

fn simple() -> String {
    "simple".to_owned()
}

#[derive(Deserialize)]
pub(super) struct Key {
    pub match_type: String,
    pub name: Option<String>,
    pub target: Value,
    pub mask: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct DefaultEntry {
    pub action_id: u32,
    #[serde(default)]
    pub action_const: bool,
    #[serde(default)]
    pub action_data: Option<Vec<String>>,
    #[serde(default)]
    pub action_entry_const: bool,
}

#[derive(Deserialize)]
pub(super) struct Entry {
    pub match_key: Vec<EntryKey>,
    pub action_entry: ActionEntry,
    #[serde(default)]
    pub priority: i64,
    /// Own extension: the priority that the control plane sees; the greatest wins.
    pub p4runtime_priority: Option<i32>,
}

#[derive(Deserialize)]
pub(super) struct EntryKey {
    pub match_type: String,
    pub key: Option<Value>,
    pub mask: Option<String>,
    pub prefix_length: Option<u32>,
    pub start: Option<String>,
    pub end: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ActionEntry {
    pub action_id: u32,
    #[serde(default)]
    pub action_data: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct Conditional {
    pub name: String,
    pub expression: Value,
    pub true_next: Option<String>,
    pub false_next: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ActionCall {
    pub name: String,
    pub action_id: u32,
    pub next_node: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Calculation {
    pub name: String,
    pub algo: String,
    pub input: Vec<TypeValue>,
}

#[derive(Deserialize)]
pub(super) struct Checksum {
    pub name: String,
    pub target: (String, String),
    #[serde(rename = "type", default = "generic")]
    pub kind: String,
    pub calculation: String,
    #[serde(default = "yes")]
    pub update: bool,
    #[serde(default = "yes")]
    pub verify: bool,
    #[serde(default)]
    pub if_cond: Value,
}

fn generic() -> String {
    "generic".to_owned()
}

fn yes() -> bool {
    true
}
