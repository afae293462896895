// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The program after instantiation: one parser, two pipelines, a flat set of headers, scalars, tables, actions and
//! objects. Control flow is still a tree; parameters of parsers and controls are gone.

use num_bigint::BigInt;

use crate::ast::{Annotation, BinaryOp, Name, UnaryOp};
use crate::source::Span;

/// Index of a header type.
pub type HeaderTypeId = usize;
/// Index of a header instance.
pub type HeaderId = usize;
/// Index of a header stack.
pub type StackId = usize;
/// Index of a scalar variable.
pub type ScalarId = usize;
/// Index of a table.
pub type TableId = usize;
/// Index of an action.
pub type ActionId = usize;
/// Index of an extern object.
pub type ObjectId = usize;
/// Index of a value set.
pub type SetId = usize;
/// A place that `Leave` leads out of.
pub type Label = usize;

/// Type of a value that BMv2 computes with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// `bit<W>`, `int<W>`; errors and enums are `bit<32>`.
    Bits {
        /// W
        width: u32,
        /// `int<W>`
        signed: bool,
    },
    /// `bool`
    Bool,
    /// `varbit<W>`
    Varbit(u32),
    /// `int`, in constants only.
    Int,
    /// `string`, in constants only.
    Str,
}

/// `bit<32>`
pub const WORD: Scalar = Scalar::Bits {
    width: 32,
    signed: false,
};

impl Scalar {
    /// Bits it takes as a field.
    pub fn width(self) -> u32 {
        match self {
            Scalar::Bits { width, .. } | Scalar::Varbit(width) => width,
            Scalar::Bool => 1,
            Scalar::Int | Scalar::Str => 0,
        }
    }
}

/// A header type, or the type of a metadata header.
#[derive(Debug)]
pub struct HeaderType {
    /// Name.
    pub name: Name,
    /// Fields: name and type.
    pub fields: Vec<(Name, Scalar)>,
    /// `@alias` names of fields.
    pub aliases: Vec<(Name, usize)>,
}

/// A header instance.
#[derive(Debug)]
pub struct Header {
    /// Name.
    pub name: String,
    /// Type.
    pub ty: HeaderTypeId,
    /// Metadata: no validity of its own.
    pub metadata: bool,
    /// The stack it is an element of.
    pub stack: Option<StackId>,
}

/// A header stack.
#[derive(Debug)]
pub struct Stack {
    /// Name.
    pub name: String,
    /// Type of its elements.
    pub ty: HeaderTypeId,
    /// Its elements.
    pub headers: Vec<HeaderId>,
}

/// A variable.
#[derive(Debug)]
pub struct ScalarVar {
    /// Name, unique.
    pub name: String,
    /// Type.
    pub ty: Scalar,
}

/// A header that is referred to.
#[derive(Debug, Clone, PartialEq)]
pub enum HeaderRef {
    /// By name.
    Instance(HeaderId),
    /// `stack.next`
    Next(StackId),
    /// `stack.last`
    Last(StackId),
    /// `stack[e]`
    Element(StackId, Box<Ex>),
}

/// Where a scalar value lives.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A variable.
    Scalar(ScalarId),
    /// A field of a header.
    Field(HeaderRef, usize),
}

/// A typed expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Ex {
    /// Which.
    pub kind: ExKind,
    /// Type.
    pub ty: Scalar,
}

/// The forms of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExKind {
    /// A number.
    Int(BigInt),
    /// A truth value.
    Bool(bool),
    /// A string.
    Str(Name),
    /// What a place holds.
    Place(Place),
    /// Parameter of the action, set by the control plane.
    Param(usize),
    /// `h.isValid()`
    Valid(HeaderRef),
    /// `stack.lastIndex`
    LastIndex(StackId),
    /// `packet.lookahead` of some bits: offset and width.
    Lookahead(u32, u32),
    /// Prefix operators.
    Unary(UnaryOp, Box<Ex>),
    /// Infix operators.
    Binary(BinaryOp, Box<Ex>, Box<Ex>),
    /// `c ? a : b`
    Mux(Box<Ex>, Box<Ex>, Box<Ex>),
    /// Conversion to the expression's type.
    Cast(Box<Ex>),
    /// `e[hi:lo]`
    Slice(Box<Ex>, u32, u32),
}

/// Something that is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// `place = e`
    Assign(Place, Ex),
    /// `header = header`
    AssignHeader(HeaderRef, HeaderRef),
    /// `stack = stack`
    AssignStack(StackId, StackId),
    /// `h.setValid()`
    SetValid(HeaderRef),
    /// `h.setInvalid()`
    SetInvalid(HeaderRef),
    /// `stack.push_front(n)`
    Push(StackId, u32),
    /// `stack.pop_front(n)`
    Pop(StackId, u32),
    /// `packet.extract(h)`
    Extract(HeaderRef),
    /// `packet.extract(h, n)`: n bits of varbit.
    ExtractVar(HeaderRef, Ex),
    /// `packet.advance(n)`
    Advance(Ex),
    /// `verify(c, e)`
    Verify(Ex, Ex),
    /// `r.read(dst, index)`
    RegisterRead(Place, ObjectId, Ex),
    /// `r.write(index, value)`
    RegisterWrite(ObjectId, Ex, Ex),
    /// `c.count(index)`
    Count(ObjectId, Ex),
    /// `m.execute_meter(index, dst)`
    ExecuteMeter(ObjectId, Ex, Place),
    /// Direct meter's colour.
    ReadDirectMeter(ObjectId, Place),
    /// `random(dst, lo, hi)`
    Random(Place, Ex, Ex),
    /// `hash(dst, algo, base, data, max)`
    Hash {
        /// Where the result goes.
        dst: Place,
        /// Calculation.
        calculation: usize,
        /// Added to the hash.
        base: Ex,
        /// Modulus.
        max: Ex,
    },
    /// `mark_to_drop(standard_metadata)`
    MarkToDrop,
    /// `clone(...)`
    Clone {
        /// From egress to egress, rather than from ingress.
        egress: bool,
        /// Mirroring session.
        session: Ex,
        /// What is preserved.
        list: usize,
    },
    /// `resubmit(...)`, with what is preserved.
    Resubmit(usize),
    /// `recirculate(...)`, with what is preserved.
    Recirculate(usize),
    /// `digest(receiver, data)`: receiver, learn list.
    Digest(Ex, usize),
    /// `truncate(n)`
    Truncate(Ex),
    /// `log_msg(text, values)`
    Log(Name, Option<Vec<Ex>>),
    /// `assert(c)`, or with `true` `assume(c)`
    Assert(Ex, bool),
    /// `f.execute(value, index)` of a filter.
    Filter {
        /// Where the result goes.
        dst: Place,
        /// The filter.
        object: ObjectId,
        /// Which of its cells.
        index: Ex,
        /// What goes in.
        value: Ex,
    },
    /// Goes on with another operation of the action.
    Jump(usize),
    /// The same if a condition is false.
    JumpIfZero(Ex, usize),
    /// `exit` of an action.
    Exit,
}

/// A statement.
#[derive(Debug, Clone)]
pub enum St {
    /// An operation.
    Op(Op, Span),
    /// A choice.
    If(Ex, Vec<St>, Vec<St>, Span),
    /// A table.
    Apply {
        /// The table.
        table: TableId,
        /// What follows.
        then: After,
        /// Where.
        span: Span,
    },
    /// Statements that `Leave` may lead out of.
    Scope(Label, Vec<St>),
    /// Statements that run again and again, until one of them leaves.
    Loop(Vec<St>),
    /// Statements that belong together (`@atomic`).
    Atomic(Vec<St>),
    /// Goes on behind a scope.
    Leave(Label),
    /// Ends the pipeline.
    Exit(Span),
}

/// What follows a table.
#[derive(Debug, Clone)]
pub enum After {
    /// The next statement.
    Next,
    /// By hit and miss.
    HitMiss(Vec<St>, Vec<St>),
    /// By the action that ran: positions in the table's actions; then all others.
    Actions(Vec<(Vec<usize>, Vec<St>)>, Vec<St>),
}

/// An action.
#[derive(Debug)]
pub struct Action {
    /// The control plane's name.
    pub name: String,
    /// Parameters that the control plane sets.
    pub params: Vec<ActionParam>,
    /// Body.
    pub body: Vec<(Op, Span)>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Made by the compiler, unknown to the control plane.
    pub hidden: bool,
    /// Where.
    pub span: Span,
}

/// A parameter that the control plane sets.
#[derive(Debug, Clone)]
pub struct ActionParam {
    /// Name.
    pub name: Name,
    /// Width in bits.
    pub width: u32,
    /// Type, as the control plane is told.
    pub ty: crate::sema::types::Ty,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The control plane's name.
    pub name: String,
    /// Keys.
    pub keys: Vec<Key>,
    /// Actions.
    pub actions: Vec<TableAction>,
    /// Default action.
    pub default: Option<DefaultEntry>,
    /// Greatest number of entries as declared.
    pub size: Option<u64>,
    /// Entries given in the program.
    pub entries: Option<Entries>,
    /// Direct counter.
    pub counter: Option<ObjectId>,
    /// Direct meter.
    pub meter: Option<ObjectId>,
    /// Action profile or selector.
    pub implementation: Option<ObjectId>,
    /// Registers of TNA with a cell for each entry, and where the index of the entry that was hit is put: from 1 on.
    pub direct_registers: Option<(Vec<ObjectId>, Place)>,
    /// `support_timeout`
    pub support_timeout: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where its name stands.
    pub span: Span,
}

/// A key.
#[derive(Debug)]
pub struct Key {
    /// What is matched: a place or the validity of a header.
    pub target: Ex,
    /// How.
    pub match_kind: Name,
    /// The control plane's name.
    pub name: Name,
    /// Width in bits, as the control plane sees it.
    pub width: u32,
    /// Type, as the control plane is told.
    pub ty: crate::sema::types::Ty,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// An action of a table.
#[derive(Debug)]
pub struct TableAction {
    /// The action.
    pub action: ActionId,
    /// Annotations of the reference.
    pub annotations: Vec<Annotation>,
}

/// Default action.
#[derive(Debug)]
pub struct DefaultEntry {
    /// Position in the table's actions.
    pub index: usize,
    /// Arguments.
    pub args: Vec<BigInt>,
    /// Whether the control plane may not change it.
    pub is_const: bool,
}

/// Entries of a table.
#[derive(Debug)]
pub struct Entries {
    /// `const entries`
    pub is_const: bool,
    /// In order.
    pub list: Vec<Entry>,
}

/// An entry.
#[derive(Debug)]
pub struct Entry {
    /// One for each key.
    pub keys: Vec<Match>,
    /// Position in the table's actions.
    pub action: usize,
    /// Arguments.
    pub args: Vec<BigInt>,
    /// Priority, if given or counted from one that is given; the largest wins.
    pub priority: Option<BigInt>,
    /// The number in its annotation `@priority`; the least wins.
    pub annotated: Option<i32>,
    /// Whether it cannot be changed.
    pub is_const: bool,
    /// Where.
    pub span: Span,
}

/// A set of numbers.
#[derive(Debug, Clone)]
pub enum Match {
    /// One.
    Value(BigInt),
    /// `value &&& mask`
    Mask(BigInt, BigInt),
    /// From, to.
    Range(BigInt, BigInt),
    /// All.
    Any,
}

/// An extern object.
#[derive(Debug)]
pub struct Object {
    /// The control plane's name.
    pub name: String,
    /// Which.
    pub kind: ObjectKind,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// Extern objects of v1model.
#[derive(Debug, Clone, PartialEq)]
pub enum ObjectKind {
    /// `register<bit<width>>(size)`
    Register {
        /// Bits of an element.
        width: u32,
        /// `int<W>`
        signed: bool,
        /// Elements.
        size: u64,
        /// What they are at first; 0 in v1model.
        initial: BigInt,
    },
    /// `Lpf`, `Wred` of TNA.
    Filter {
        /// Bits of what goes in.
        width: u32,
        /// Cells.
        size: u64,
        /// Of a `Wred`: what it gives for a packet to drop, and for another.
        verdicts: Option<(u64, u64)>,
    },
    /// `counter(size, type)`
    Counter {
        /// Counters.
        size: u64,
        /// What is counted: `packets`, `bytes`, `packets_and_bytes`.
        unit: Name,
    },
    /// `direct_counter(type)`
    DirectCounter {
        /// What is counted.
        unit: Name,
        /// The table that uses it.
        table: Option<TableId>,
    },
    /// `meter(size, type)`
    Meter {
        /// Meters.
        size: u64,
        /// `packets` or `bytes`.
        unit: Name,
    },
    /// `direct_meter<T>(type)`
    DirectMeter {
        /// `packets` or `bytes`.
        unit: Name,
        /// The table that uses it.
        table: Option<TableId>,
        /// Where the colour goes.
        result: Option<Place>,
    },
    /// `action_profile(size)`, `action_selector(algorithm, size, width)`
    ActionProfile {
        /// Members.
        size: u64,
        /// Of a selector: how it picks a member of a group.
        selector: Option<Selector>,
        /// The tables that use it.
        tables: Vec<TableId>,
        /// Written in place as the table's property.
        inline: bool,
    },
}

/// How a member of a group is picked.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    /// Hash algorithm.
    pub algorithm: Name,
    /// What is hashed: the tables' keys of kind `selector`.
    pub input: Vec<Ex>,
}

/// Fields that outlive the packet's way through a pipeline.
#[derive(Debug)]
pub struct FieldList {
    /// Name.
    pub name: String,
    /// The fields.
    pub fields: Vec<Ex>,
    /// Where.
    pub span: Span,
}

/// A pipeline.
#[derive(Debug, Default)]
pub struct Pipeline {
    /// Body.
    pub body: Vec<St>,
    /// Where its control stands.
    pub span: Span,
}

/// A state of the parser.
#[derive(Debug)]
pub struct State {
    /// Name, unique.
    pub name: String,
    /// Operations.
    pub ops: Vec<(Op, Span)>,
    /// What is compared.
    pub keys: Vec<Ex>,
    /// Cases in order.
    pub cases: Vec<Case>,
}

/// A transition.
#[derive(Debug, Clone)]
pub struct Case {
    /// What leads here.
    pub on: On,
    /// Next state; `None` ends the parser.
    pub next: Option<usize>,
}

/// When a transition is taken.
#[derive(Debug, Clone)]
pub enum On {
    /// Always.
    Default,
    /// Values of all keys.
    Match(Vec<Match>),
    /// Membership in a value set.
    Set(SetId),
}

/// A value set.
#[derive(Debug)]
pub struct ValueSet {
    /// The control plane's name.
    pub name: String,
    /// Width in bits of each component.
    pub widths: Vec<u32>,
    /// Greatest number of members.
    pub size: u64,
    /// Annotations.
    pub annotations: Vec<Annotation>,
}

/// What a hash or checksum is computed over, and how.
#[derive(Debug)]
pub struct Calculation {
    /// Algorithm as v1model names it.
    pub algorithm: Name,
    /// Input.
    pub input: Vec<Ex>,
    /// The payload follows.
    pub payload: bool,
    /// Where.
    pub span: Span,
    /// Of a checksum, which says where it is.
    pub of_checksum: bool,
}

/// A checksum.
#[derive(Debug)]
pub struct Checksum {
    /// Where it is kept.
    pub target: Place,
    /// How it is computed.
    pub calculation: usize,
    /// Verified rather than updated.
    pub verify: bool,
    /// Whether it applies.
    pub condition: Ex,
    /// Where.
    pub span: Span,
}

/// What the deparser emits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emit {
    /// A header.
    Header(HeaderId),
    /// All headers of a stack.
    Stack(StackId),
}

/// A program for Tofino: both of its parsers are in the one parser, whose first state tells ingress and egress apart, and
/// both deparsers in the one deparser, as no header of one is valid in the other.
#[derive(Debug, Default)]
pub struct Tna {
    /// 1 for `tna`, 2 for `t2na`.
    pub generation: u32,
    /// Name of the instance of `Pipeline`, which the control plane's names begin with.
    pub pipe: Name,
    /// Headers that come before a mirrored packet, those that are valid.
    pub mirrors: Vec<HeaderId>,
    /// The same for a resubmitted one.
    pub resubmits: Vec<HeaderId>,
    /// Ingress mirrors or resubmits: the packet is needed as it arrived.
    pub keeps_arrival: bool,
    /// Ingress reads the parser's error, so that packets with one are not dropped.
    pub keeps_errors: bool,
}

/// The whole.
#[derive(Debug, Default)]
pub struct Program {
    /// Header types.
    pub header_types: Vec<HeaderType>,
    /// Headers.
    pub headers: Vec<Header>,
    /// Header stacks.
    pub stacks: Vec<Stack>,
    /// Field lists; the id of each is its position, counted from 1.
    pub field_lists: Vec<FieldList>,
    /// Learn lists; the id of each is its position, counted from 1.
    pub learn_lists: Vec<FieldList>,
    /// Variables.
    pub scalars: Vec<ScalarVar>,
    /// Names of the first of them that are known to be taken, and how many those are.
    pub(super) scalar_names: (std::collections::HashMap<String, usize>, usize),
    /// Error codes.
    pub errors: Vec<Name>,
    /// Enums without a type of their own: name and members.
    pub enums: Vec<(Name, Vec<Name>)>,
    /// States of the parser.
    pub states: Vec<State>,
    /// First state.
    pub start: usize,
    /// Value sets.
    pub sets: Vec<ValueSet>,
    /// Actions.
    pub actions: Vec<Action>,
    /// Tables.
    pub tables: Vec<Table>,
    /// Extern objects.
    pub objects: Vec<Object>,
    /// Ingress.
    pub ingress: Pipeline,
    /// Egress.
    pub egress: Pipeline,
    /// Calculations.
    pub calculations: Vec<Calculation>,
    /// Checksums.
    pub checksums: Vec<Checksum>,
    /// Deparser.
    pub deparser: Vec<Emit>,
    /// What runs before.
    pub deparser_ops: Vec<(Op, Span)>,
    /// Where the deparser stands.
    pub deparser_span: Span,
    /// What only a program for Tofino has.
    pub tna: Option<Tna>,
    /// Standard metadata.
    pub standard_metadata: HeaderId,
    /// Package type: `V1Switch`.
    pub package: Name,
}
