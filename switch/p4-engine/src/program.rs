// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The checked, compiled, immutable form of a BMv2 JSON.
//!
//! All values that a packet carries live in one flat array of 64-bit words: the fields of every
//! header and metadata struct, one validity word per header, then the parameters of the running
//! action, temporaries and constants. A field takes one word, or several (least significant
//! first) if it is wider than 64 bits. Instructions name words by index.

use std::collections::HashMap;

use crate::instructions::{Expr, Ins, Op};
use crate::tna::Tna;

/// How a key field is matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatchKind {
    /// Equal to the entry's value.
    Exact,
    /// Equal in the first bits; the longest prefix wins.
    Lpm,
    /// Equal under a mask; the highest priority wins.
    Ternary,
    /// Within a closed interval; the highest priority wins.
    Range,
    /// Equal, or anything; the highest priority wins.
    Optional,
}

/// One field of a table's key.
#[derive(Clone, Debug)]
pub struct KeyInfo {
    /// The name that the P4 program gives the key field (`@name`), or `header.field`.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// How it is matched.
    pub kind: MatchKind,
    pub(crate) word: u32,
    /// First of the key's words that belong to this field.
    pub(crate) first: u32,
    pub(crate) static_mask: Option<Box<[u64]>>,
}

/// A word of a lookup key: where it comes from, and what of it counts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyWord {
    pub word: u32,
    pub mask: u64,
}

/// One parameter of an action.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    /// The parameter's name.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
}

/// An action.
#[derive(Clone, Debug)]
pub struct ActionInfo {
    /// The fully qualified name, such as `MyIngress.forward`.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The parameters that an entry supplies.
    pub params: Vec<ParamInfo>,
    pub(crate) pc: u32,
}

/// A table.
#[derive(Clone, Debug)]
pub struct TableInfo {
    /// The fully qualified name, such as `MyIngress.ipv4_lpm`.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The kind of the table as a whole: that of its most general key field.
    pub kind: MatchKind,
    /// The key fields in order.
    pub keys: Vec<KeyInfo>,
    /// The actions that entries may use, as indices into [`Ir::actions`].
    pub actions: Vec<usize>,
    /// The number of entries that the table holds at most.
    pub size: usize,
    /// Whether each entry has a direct counter.
    pub with_counters: bool,
    /// Whether the table's entries are constant.
    pub const_entries: bool,
    /// Whether the default action may not be replaced.
    pub const_default_action: bool,
    /// Whether neither the default action nor its parameters may be replaced.
    pub const_default_entry: bool,
    /// The action profile that entries take members or groups of, as an index into
    /// [`Ir::action_profiles`].
    pub profile: Option<usize>,
    /// Whether entries may have an idle timeout.
    pub idle_timeout: bool,
    /// The direct meter of the entries, as an index into [`Ir::meters`].
    pub direct_meter: Option<usize>,
    /// Register arrays with a cell for each entry, as indices into [`Ir::registers`].
    pub direct_registers: Vec<usize>,
    /// The field that takes the cell of the entry that is hit.
    pub(crate) entry: Option<FieldRef>,
    pub(crate) key_words: u32,
    /// How a packet's key is put together.
    pub(crate) layout: Vec<KeyWord>,
    pub(crate) next: Next,
}

impl TableInfo {
    /// Whether entries of this table carry a priority.
    pub fn has_priority(&self) -> bool {
        matches!(self.kind, MatchKind::Ternary | MatchKind::Range)
    }
}

/// Where control flow goes after a table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Next {
    /// By action index; for hits without `hit` and misses without `miss`.
    pub by_action: HashMap<usize, u32>,
    pub hit: Option<u32>,
    pub miss: Option<u32>,
    /// After a miss without any default action.
    pub base: u32,
}

/// An indirect or direct counter array.
#[derive(Clone, Debug)]
pub struct CounterInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of cells; 0 for a direct counter.
    pub size: usize,
    /// The table of a direct counter, as an index into [`Ir::tables`].
    pub table: Option<usize>,
}

/// An indirect or direct meter array.
#[derive(Clone, Debug)]
pub struct MeterInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of cells; 0 for a direct meter.
    pub size: usize,
    /// The table of a direct meter, as an index into [`Ir::tables`].
    pub table: Option<usize>,
    /// Whether it counts bytes, rather than packets.
    pub bytes: bool,
    /// The field that takes the colour of a direct meter.
    pub(crate) result: Option<FieldRef>,
}

/// An action profile, or an action selector.
#[derive(Clone, Debug)]
pub struct ActionProfileInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of members that it holds at most.
    pub size: usize,
    /// Whether it has groups.
    pub with_selector: bool,
    /// The tables that use it, as indices into [`Ir::tables`].
    pub tables: Vec<usize>,
    /// The actions that members may use, as indices into [`Ir::actions`].
    pub actions: Vec<usize>,
    /// The calculation that chooses from a group.
    pub(crate) calc: u32,
}

/// A message to the control plane that `digest` sends.
#[derive(Clone, Debug)]
pub struct DigestInfo {
    /// The name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The fields that a message carries.
    pub fields: Vec<FieldInfo>,
    pub(crate) sources: Vec<FieldRef>,
}

/// A parser value set.
#[derive(Clone, Debug)]
pub struct ValueSetInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of members that it holds at most.
    pub size: usize,
    /// The widths of the key's fields in bits.
    pub widths: Vec<u32>,
}

/// A register array.
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of cells.
    pub size: usize,
    /// The width of a cell in bits.
    pub width: u32,
    /// What every cell is at first.
    pub(crate) initial: Vec<u64>,
}

/// An array of `Lpf` or `Wred` filters.
#[derive(Clone, Debug)]
pub struct FilterInfo {
    /// The fully qualified name.
    pub name: String,
    /// The id in the JSON.
    pub id: u32,
    /// The number of cells.
    pub size: usize,
    /// The width of a sample in bits.
    pub width: u32,
    /// Of a `Wred`: what it gives for a packet to drop, and for another.
    pub verdicts: Option<(u64, u64)>,
}

/// A field of a header or of metadata.
#[derive(Clone, Debug)]
pub struct FieldInfo {
    /// `header.field`, as in the JSON.
    pub name: String,
    /// The width in bits.
    pub width: u32,
    /// Whether the field is a two's complement number.
    pub signed: bool,
}

/// A place in the word array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldRef {
    pub word: u32,
    pub width: u32,
    pub signed: bool,
}

/// A header instance.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub name: String,
    pub type_name: String,
    pub metadata: bool,
    /// The word that is 1 if the header is valid.
    pub valid: u32,
    pub fields: Vec<FieldRef>,
    /// First word and number of words of all fields.
    pub first: u32,
    pub words: u32,
    /// Length in a packet, in bytes, without the variable part.
    pub bytes: u32,
    /// The variable-length field, if there is one.
    pub var: Option<VarField>,
    /// The union that the header is a member of.
    pub union: Option<u32>,
}

/// A field of variable length: its value is right-aligned in its words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarField {
    /// Its position among the header's fields.
    pub index: usize,
    /// The word that has its present length in bits.
    pub length: u32,
    /// Its greatest length in bits.
    pub max: u32,
}

/// A stack of headers or of unions.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// The word that has the index of the next element.
    pub next: u32,
    pub size: u32,
    /// The elements: of a header stack one array, of a union stack one for each member. Indices
    /// into `Ir::arrays`.
    pub arrays: Vec<u32>,
}

/// A header that is known, or one of an array by index.
#[derive(Clone, Debug)]
pub(crate) enum HeaderRef {
    Fixed(u32),
    Indexed(u32, Box<Expr>),
}

/// An operation on headers that a plain instruction does not do.
#[derive(Clone, Debug)]
pub(crate) enum HeaderOp {
    Add(HeaderRef),
    Remove(HeaderRef),
    Assign(HeaderRef, HeaderRef),
    /// Moves the elements of a stack up (`true`) or down.
    Shift {
        stack: u32,
        up: bool,
        by: Expr,
    },
    /// Copies a variable-length field: first word, number of words, word of the length.
    CopyVar {
        d: VarPlace,
        a: VarPlace,
    },
    AssignStack {
        d: u32,
        a: u32,
    },
}

/// Where a variable-length field is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarPlace {
    pub word: u32,
    pub words: u32,
    pub length: u32,
}

/// Copies the words of `from` to a field of a header that an index chooses.
#[derive(Clone, Debug)]
pub(crate) struct IndexedStore {
    pub from: FieldRef,
    pub array: u32,
    pub field: u32,
    pub index: Expr,
}

/// A field that is extracted or looked ahead at, with its position in bits.
#[derive(Clone, Debug)]
pub(crate) enum ParserOp {
    Extract {
        to: ExtractTo,
        /// Code and the word with the length in bits of the variable-length field.
        var: Option<(u32, u32)>,
    },
    /// An error unless the stack has a last element.
    NeedLast {
        stack: u32,
    },
    /// Runs code that ends with `Ins::End` (assignments, extern calls).
    Code {
        pc: u32,
    },
    Lookahead {
        offset: u32,
        width: u32,
        dst: FieldRef,
    },
    Verify {
        pc: u32,
        condition: u32,
        error: u32,
    },
    /// Moves on by the number of bits in word `bits`, after running the code at `pc`.
    Advance {
        pc: u32,
        bits: u32,
    },
}

/// What a header is extracted to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ExtractTo {
    Header(u32),
    /// The next element of a stack; the array that its headers are in.
    Next {
        stack: u32,
        array: u32,
    },
}

#[derive(Clone, Debug)]
pub(crate) enum SelectKey {
    Field {
        word: u32,
        limbs: u32,
    },
    /// Field number `field` of the last element of a stack.
    Last {
        stack: u32,
        array: u32,
        field: u32,
        limbs: u32,
    },
    Lookahead {
        offset: u32,
        width: u32,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct ParserState {
    pub name: String,
    pub ops: Vec<ParserOp>,
    pub key: Vec<SelectKey>,
    /// Bytes that the lookaheads of the key need.
    pub key_bytes: usize,
    pub cases: Vec<SelectCase>,
    pub default: u32,
    /// Without a default transition, a key that matches nothing is an error.
    pub no_match: bool,
}

/// A test of a word of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyTest {
    /// `key & .1 == .0`
    Masked(u64, u64),
    /// `.0 <= key <= .1`
    Between(u64, u64),
}

#[derive(Clone, Debug)]
pub(crate) struct SelectCase {
    /// Value and mask of each word of the key.
    pub words: Box<[(u64, u64)]>,
    /// The value set to look in, instead; the masks of `words` apply to the key and its members.
    pub set: Option<u32>,
    pub next: u32,
}

/// The error codes that the program gives the parser errors of the P4 core library.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorCodes {
    pub no_error: u64,
    pub packet_too_short: u64,
    pub parser_timeout: u64,
    pub invalid_argument: u64,
    pub stack_out_of_bounds: u64,
    pub header_too_short: u64,
    pub no_match: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HashAlgo {
    Csum16,
    Crc16,
    Crc32,
    CrcCcitt,
    Xor8,
    Xor16,
    Xor32,
    Identity,
    Random,
    /// Of a polynomial of the program.
    Crc(Crc),
}

/// A cyclic redundancy check of at most 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crc {
    pub width: u32,
    /// The polynomial without its highest term, the bit of the term x^i at place i.
    pub coeff: u64,
    /// Bits are taken from the lowest of each byte on, and the result is reversed.
    pub reversed: bool,
    pub init: u64,
    pub xor: u64,
}

impl Crc {
    /// `width:coeff:reversed:init:xor`, numbers but the width in hexadecimal.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let width = parts
            .next()?
            .parse()
            .ok()
            .filter(|w| (1..=64).contains(w))?;
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        let ones = crate::value::mask(width);
        let crc = Self {
            width,
            coeff: number()? & ones,
            reversed: number()? == 1,
            init: number()? & ones,
            xor: number()? & ones,
        };
        parts.next().is_none().then_some(crc)
    }
}

#[derive(Clone, Debug)]
pub(crate) enum CalcInput {
    /// `length`: the word with the present length in bits, of a variable-length field.
    Field {
        valid: u32,
        field: FieldRef,
        length: Option<u32>,
    },
    Const {
        limbs: Box<[u64]>,
        width: u32,
    },
    Header {
        header: u32,
    },
}

/// A short way to a checksum; see [`Calculation::plan`].
#[derive(Clone, Debug)]
pub(crate) struct SumPlan {
    pub valid: u32,
    pub words: Box<[(u32, u32)]>,
}

#[derive(Clone, Debug)]
pub(crate) struct Calculation {
    pub algo: HashAlgo,
    pub inputs: Vec<CalcInput>,
    pub with_payload: bool,
    /// For a checksum over fields of one header that make up whole 16-bit words, if the header is
    /// valid (first word): the words and the places of their lowest bits in a 16-bit word.
    pub plan: Option<SumPlan>,
}

impl Calculation {
    /// Fills in `plan` if the inputs are such fields.
    pub fn with_plan(mut self) -> Self {
        let mut header = None;
        let (mut end, mut words) = (0u32, Vec::new());
        for i in &self.inputs {
            let &CalcInput::Field {
                valid,
                field,
                length: None,
            } = i
            else {
                return self;
            };
            if *header.get_or_insert(valid) != valid || field.width > 48 || words.len() > 1 << 10 {
                return self;
            }
            end = end.wrapping_add(field.width);
            words.push((field.word, end.wrapping_neg() & 15));
        }
        // At most 2^10 words below 2^63 / 2^10: 48 bits are moved by at most 5 for that.
        let fits = words
            .iter()
            .zip(&self.inputs)
            .all(|((_, shift), i)| match i {
                CalcInput::Field { field, .. } => field.width + shift <= 53,
                _ => false,
            });
        if let (Some(valid), true) = (header, fits && end.is_multiple_of(16)) {
            self.plan = Some(SumPlan {
                valid,
                words: words.into(),
            });
        }
        self
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Checksum {
    pub calc: u32,
    pub target: FieldRef,
    pub target_valid: u32,
    /// Code and the word that holds its outcome.
    pub condition: Option<(u32, u32)>,
}

/// A node of a pipeline's control flow.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Table(u32),
    Condition {
        pc: u32,
        word: u32,
        yes: u32,
        no: u32,
    },
    /// A condition that is one comparison of two words, or one word that is not 0.
    Test {
        test: Test,
        a: u32,
        b: u32,
        yes: u32,
        no: u32,
    },
    Action {
        pc: u32,
        next: u32,
    },
}

/// What a `Node::Test` asks of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    /// `a != 0`
    Set,
    Eq,
    Ne,
    Lt,
    Le,
}

impl Test {
    /// The test that a comparison makes.
    pub fn of(op: Op) -> Option<Self> {
        Some(match op {
            Op::Eq => Self::Eq,
            Op::Ne => Self::Ne,
            Op::Lt => Self::Lt,
            Op::Le => Self::Le,
            _ => return None,
        })
    }
}

/// No node, no state.
pub(crate) const NONE: u32 = u32::MAX;

/// The metadata fields that the target reads and writes.
#[derive(Clone, Debug)]
pub(crate) struct MetaFields {
    pub ingress_port: FieldRef,
    pub packet_length: FieldRef,
    pub egress_spec: FieldRef,
    pub egress_port: FieldRef,
    pub instance_type: FieldRef,
    pub egress_rid: Option<FieldRef>,
    pub parser_error: Option<FieldRef>,
    pub checksum_error: Option<FieldRef>,
    pub ingress_timestamp: Option<FieldRef>,
    pub egress_timestamp: Option<FieldRef>,
    pub mcast_grp: Option<FieldRef>,
    pub priority: Option<FieldRef>,
    pub queueing: Option<QueueingFields>,
}

#[derive(Clone, Debug)]
pub(crate) struct QueueingFields {
    pub enq_timestamp: FieldRef,
    pub enq_qdepth: FieldRef,
    pub deq_timedelta: FieldRef,
    pub deq_qdepth: FieldRef,
    pub qid: Option<FieldRef>,
}

/// A log message: text between the arguments, and the arguments.
#[derive(Clone, Debug)]
pub(crate) struct LogFormat {
    pub text: Vec<String>,
    pub args: Vec<Expr>,
}

/// The intermediate representation of a program: checked, lowered to instructions, immutable.
#[derive(Debug)]
pub struct Ir {
    pub(crate) fields: Vec<FieldInfo>,
    pub(crate) headers: Vec<Header>,
    /// The number of words that belong to a packet (fields and validity).
    pub(crate) state_words: usize,
    /// First word of the action parameters.
    pub(crate) locals: usize,
    /// Initial content of all words: constants, validity of metadata, zeros.
    pub(crate) template: Vec<u64>,
    pub(crate) code: Vec<Ins>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) logs: Vec<LogFormat>,
    pub(crate) parser: Vec<ParserState>,
    pub(crate) parser_start: u32,
    pub(crate) errors: ErrorCodes,
    pub(crate) error_names: Vec<(String, u64)>,
    pub(crate) calcs: Vec<Calculation>,
    pub(crate) verify: Vec<Checksum>,
    pub(crate) update: Vec<Checksum>,
    pub(crate) deparser: Vec<u32>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) ingress: u32,
    pub(crate) egress: u32,
    /// Control flow comes back to where it was. Such a program is interpreted, for a limited number of steps.
    pub(crate) cyclic: bool,
    pub(crate) tables: Vec<TableInfo>,
    pub(crate) actions: Vec<ActionInfo>,
    pub(crate) counters: Vec<CounterInfo>,
    pub(crate) registers: Vec<RegisterInfo>,
    pub(crate) meters: Vec<MeterInfo>,
    pub(crate) filters: Vec<FilterInfo>,
    pub(crate) profiles: Vec<ActionProfileInfo>,
    pub(crate) digests: Vec<DigestInfo>,
    pub(crate) value_sets: Vec<ValueSetInfo>,
    pub(crate) stacks: Vec<Stack>,
    /// Headers that an index chooses from.
    pub(crate) arrays: Vec<Vec<u32>>,
    pub(crate) unions: Vec<Vec<u32>>,
    pub(crate) header_ops: Vec<HeaderOp>,
    pub(crate) indexed_stores: Vec<IndexedStore>,
    /// Preserved metadata, by the id of the field list.
    pub(crate) field_lists: HashMap<u64, Vec<FieldRef>>,
    /// Code to run before the deparser, if any.
    pub(crate) deparser_code: Option<u32>,
    pub(crate) meta: MetaFields,
    /// Of a program for Tofino.
    pub(crate) tna: Option<Tna>,
}

impl Ir {
    /// All tables, those that the compiler made up for statements outside of tables included
    /// (they have no key).
    pub fn tables(&self) -> &[TableInfo] {
        &self.tables
    }

    /// All actions. Several may have the same name (`NoAction`): see [`Ir::table_action`].
    pub fn actions(&self) -> &[ActionInfo] {
        &self.actions
    }

    /// All counters, direct ones included.
    pub fn counters(&self) -> &[CounterInfo] {
        &self.counters
    }

    /// All register arrays.
    pub fn registers(&self) -> &[RegisterInfo] {
        &self.registers
    }

    /// All meters, direct ones included.
    pub fn meters(&self) -> &[MeterInfo] {
        &self.meters
    }

    /// All arrays of filters.
    pub fn filters(&self) -> &[FilterInfo] {
        &self.filters
    }

    /// The index of the array of filters of that name.
    pub fn filter(&self, name: &str) -> Option<usize> {
        self.filters.iter().position(|f| f.name == name)
    }

    /// All action profiles and action selectors.
    pub fn action_profiles(&self) -> &[ActionProfileInfo] {
        &self.profiles
    }

    /// All digests.
    pub fn digests(&self) -> &[DigestInfo] {
        &self.digests
    }

    /// All parser value sets.
    pub fn value_sets(&self) -> &[ValueSetInfo] {
        &self.value_sets
    }

    /// The index of the meter of that name.
    pub fn meter(&self, name: &str) -> Option<usize> {
        self.meters.iter().position(|m| m.name == name)
    }

    /// The index of the action profile of that name.
    pub fn action_profile(&self, name: &str) -> Option<usize> {
        self.profiles.iter().position(|x| x.name == name)
    }

    /// The index of the digest of that name.
    pub fn digest(&self, name: &str) -> Option<usize> {
        self.digests.iter().position(|d| d.name == name)
    }

    /// The index of the value set of that name.
    pub fn value_set(&self, name: &str) -> Option<usize> {
        self.value_sets.iter().position(|v| v.name == name)
    }

    /// The index of the action of that name among those of an action profile.
    pub fn profile_action(&self, profile: usize, name: &str) -> Option<usize> {
        let allowed = &self.profiles.get(profile)?.actions;
        allowed
            .iter()
            .copied()
            .find(|&a| self.actions[a].name == name)
    }

    /// All fields of headers and metadata.
    pub fn fields(&self) -> &[FieldInfo] {
        &self.fields
    }

    /// The declared errors with their codes, as `parser_error` has them.
    pub fn errors(&self) -> impl Iterator<Item = (&str, u64)> {
        self.error_names.iter().map(|(n, c)| (n.as_str(), *c))
    }

    /// The names of the parser's states.
    pub fn parser_states(&self) -> impl ExactSizeIterator<Item = &str> {
        self.parser.iter().map(|s| s.name.as_str())
    }

    /// The names of all headers, elements of stacks and structs of metadata included.
    pub fn headers(&self) -> impl ExactSizeIterator<Item = &str> {
        self.headers.iter().map(|h| h.name.as_str())
    }

    /// The name of an error, as the program declares it or, where it does not, as the core library does.
    pub fn error_name(&self, code: u64) -> Option<&str> {
        let declared = self.errors().find(|&(_, c)| c == code);
        let core = &self.errors;
        let known = [
            (core.no_error, "NoError"),
            (core.packet_too_short, "PacketTooShort"),
            (core.parser_timeout, "ParserTimeout"),
            (core.invalid_argument, "ParserInvalidArgument"),
            (core.stack_out_of_bounds, "StackOutOfBounds"),
            (core.header_too_short, "HeaderTooShort"),
            (core.no_match, "NoMatch"),
        ];
        let known = known.into_iter().find(|&(c, _)| c == code);
        declared
            .map(|(name, _)| name)
            .or(known.map(|(_, name)| name))
    }

    /// The index of the table of that name.
    pub fn table(&self, name: &str) -> Option<usize> {
        self.tables.iter().position(|t| t.name == name)
    }

    /// The index of the action of that name among those of a table.
    pub fn table_action(&self, table: usize, name: &str) -> Option<usize> {
        self.tables
            .get(table)?
            .actions
            .iter()
            .copied()
            .find(|&a| self.actions[a].name == name)
    }

    /// The index of the counter of that name.
    pub fn counter(&self, name: &str) -> Option<usize> {
        self.counters.iter().position(|c| c.name == name)
    }

    /// The index of the register array of that name.
    pub fn register(&self, name: &str) -> Option<usize> {
        self.registers.iter().position(|r| r.name == name)
    }
}
