// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The checked program: names resolved, every expression typed, implicit conversions made explicit, constants folded.
//! Declarations are checked once, whatever the number of their instances.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

use super::types::{ApplyType, DefId, EnumType, Ty, TypeVar};
use crate::ast::{Annotation, BinaryOp, Direction, Name, UnaryOp};
use crate::source::Span;

/// Identity of a variable, parameter or instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Declared with a type.
    Local,
    /// Parameter of a parser, control, function or action.
    Param(Direction),
    /// Parameter of a constructor: known at compile time.
    Constructor,
}

/// A variable or parameter.
#[derive(Debug)]
pub struct Var {
    /// Identity.
    pub id: VarId,
    /// Name.
    pub name: Name,
    /// Type.
    pub ty: Ty,
    /// What it is.
    pub kind: VarKind,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Declared where.
    pub span: Span,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Param {
    /// The variable that it is inside.
    pub var: Rc<Var>,
    /// Direction.
    pub direction: Direction,
    /// Default value.
    pub default: Option<Expr>,
    /// `@optional`
    pub optional: bool,
}

/// An expression with its type.
#[derive(Debug, Clone)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Type.
    pub ty: Ty,
    /// Where.
    pub span: Span,
}

/// Whether evaluating it does something.
pub fn has_effects(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Call(c) => !matches!(c.callee, Callee::Builtin(Builtin::IsValid, _)),
        ExprKind::Hit(_) | ExprKind::Miss(_) | ExprKind::ActionRun(_) => true,
        ExprKind::Field(a, ..)
        | ExprKind::Component(a, _)
        | ExprKind::Slice(a, ..)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a)
        | ExprKind::StackNext(a)
        | ExprKind::StackLast(a)
        | ExprKind::StackLastIndex(a) => has_effects(a),
        ExprKind::Element(a, b) | ExprKind::Binary(_, a, b) => has_effects(a) || has_effects(b),
        ExprKind::Mux(a, b, c) => has_effects(a) || has_effects(b) || has_effects(c),
        ExprKind::List(l) | ExprKind::Struct(l) => l.iter().any(has_effects),
        ExprKind::NamedList(l) => l.iter().any(|(_, e)| has_effects(e)),
        _ => false,
    }
}

/// Calls `f` for an expression and all in it.
pub fn visit_expr(e: &Expr, f: &mut dyn FnMut(&Expr)) {
    f(e);
    match &e.kind {
        ExprKind::Field(a, ..)
        | ExprKind::Component(a, _)
        | ExprKind::Slice(a, ..)
        | ExprKind::Unary(_, a)
        | ExprKind::Cast(a)
        | ExprKind::StackNext(a)
        | ExprKind::StackLast(a)
        | ExprKind::StackLastIndex(a) => visit_expr(a, f),
        ExprKind::Element(a, b) | ExprKind::Binary(_, a, b) => {
            visit_expr(a, f);
            visit_expr(b, f);
        }
        ExprKind::Mux(a, b, c) => {
            visit_expr(a, f);
            visit_expr(b, f);
            visit_expr(c, f);
        }
        ExprKind::List(l) | ExprKind::Struct(l) => l.iter().for_each(|e| visit_expr(e, f)),
        ExprKind::NamedList(l) => l.iter().for_each(|(_, e)| visit_expr(e, f)),
        ExprKind::Call(c) => {
            match &c.callee {
                Callee::Method(e, _)
                | Callee::Control(e)
                | Callee::Parser(e)
                | Callee::Builtin(_, e) => visit_expr(e, f),
                _ => {}
            }
            c.args.iter().flatten().for_each(|e| visit_expr(e, f));
        }
        _ => {}
    }
}

/// The forms of expressions.
#[derive(Debug, Clone)]
pub enum ExprKind {
    /// Wrong already.
    Poison,
    /// A number of type `int`, `bit<W>` or `int<W>`, in range.
    Int(BigInt),
    /// `true`, `false`
    Bool(bool),
    /// A string.
    Str(Name),
    /// `E.m`
    EnumMember(Rc<EnumType>, usize),
    /// `error.x`
    ErrorCode(Name),
    /// A variable or parameter.
    Var(Rc<Var>),
    /// A declared instance.
    Instance(Rc<Instance>),
    /// An instance without a name: a constructor call as an argument.
    Construct(Rc<Instance>),
    /// A value set.
    ValueSet(Rc<ValueSet>),
    /// Field of a struct, header or union.
    Field(Box<Expr>, usize, Name),
    /// Component of a tuple.
    Component(Box<Expr>, usize),
    /// `stack[i]`
    Element(Box<Expr>, Box<Expr>),
    /// `stack.next`
    StackNext(Box<Expr>),
    /// `stack.last`
    StackLast(Box<Expr>),
    /// `stack.lastIndex`
    StackLastIndex(Box<Expr>),
    /// `e[hi:lo]`
    Slice(Box<Expr>, u32, u32),
    /// Prefix operators.
    Unary(UnaryOp, Box<Expr>),
    /// Infix operators.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `c ? a : b`
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Conversion to the expression's type, written or implied.
    Cast(Box<Expr>),
    /// `{a, b}`: a tuple, or not yet converted.
    List(Vec<Expr>),
    /// `{f = a}`, not yet converted.
    NamedList(Vec<(Name, Expr)>),
    /// A struct or header value: all fields in order.
    Struct(Vec<Expr>),
    /// `{#}`
    Invalid,
    /// `_` as an argument.
    DontCare,
    /// `...`
    Dots,
    /// A call.
    Call(Box<Call>),
    /// `t.apply().hit`
    Hit(Rc<Table>),
    /// `t.apply().miss`
    Miss(Rc<Table>),
    /// `t.apply().action_run`, in a switch only.
    ActionRun(Rc<Table>),
}

/// A call.
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// Type arguments, written or inferred.
    pub type_args: Vec<Ty>,
    /// Arguments in the order of the parameters; `None` for an optional one that is not given.
    pub args: Vec<Option<Expr>>,
    /// The arguments' directions.
    pub directions: Vec<Direction>,
}

/// What is called.
#[derive(Debug, Clone)]
pub enum Callee {
    /// A function that the architecture declares.
    ExternFunction(Rc<Prototype>),
    /// A method of an extern object.
    Method(Box<Expr>, Rc<Prototype>),
    /// A function with a body.
    Function(Rc<Function>),
    /// An action, called directly.
    Action(Rc<Action>),
    /// `t.apply()`
    Table(Rc<Table>),
    /// `c.apply()` of a control instance.
    Control(Box<Expr>),
    /// `p.apply()` of a parser instance.
    Parser(Box<Expr>),
    /// A method that headers and stacks have.
    Builtin(Builtin, Box<Expr>),
}

/// Methods of headers, unions and stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// `h.isValid()`
    IsValid,
    /// `h.setValid()`
    SetValid,
    /// `h.setInvalid()`
    SetInvalid,
    /// `s.push_front(n)`
    PushFront,
    /// `s.pop_front(n)`
    PopFront,
}

/// The signature of an extern function, method or constructor.
#[derive(Debug)]
pub struct Prototype {
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_params: Vec<(TypeVar, Name)>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Result.
    pub result: Ty,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Declared where.
    pub span: Span,
}

/// An extern.
#[derive(Debug)]
pub struct Extern {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_params: Vec<(TypeVar, Name)>,
    /// Constructors.
    pub constructors: Vec<Rc<Prototype>>,
    /// Methods.
    pub methods: Vec<Rc<Prototype>>,
    /// Methods that an instance has to implement.
    pub abstracts: Vec<Rc<Prototype>>,
    /// Declared where.
    pub span: Span,
}

/// A function with a body.
#[derive(Debug)]
pub struct Function {
    /// The declaration.
    pub def: DefId,
    /// Signature.
    pub proto: Rc<Prototype>,
    /// Body.
    pub body: Block,
}

/// An instance of an extern, parser, control or package.
#[derive(Debug)]
pub struct Instance {
    /// Identity.
    pub id: VarId,
    /// Name; empty for one without.
    pub name: Name,
    /// Type.
    pub ty: Ty,
    /// What is instantiated.
    pub target: InstanceTarget,
    /// Constructor arguments in the order of the parameters.
    pub args: Vec<Option<Expr>>,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Abstract methods of the extern that it implements.
    pub methods: RefCell<Vec<Rc<Function>>>,
    /// Where.
    pub span: Span,
}

/// What an instance is an instance of.
#[derive(Debug, Clone)]
pub enum InstanceTarget {
    /// An extern, with the constructor used.
    Extern(Rc<Extern>, Rc<Prototype>),
    /// A parser.
    Parser(Rc<Parser>),
    /// A control.
    Control(Rc<Control>),
    /// A package.
    Package(Rc<Package>),
}

/// A package's declaration.
#[derive(Debug)]
pub struct Package {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Type parameters.
    pub type_params: Vec<(TypeVar, Name)>,
    /// Parameters of its constructor.
    pub params: Vec<Param>,
}

/// `value_set<T>(size) v;`
#[derive(Debug)]
pub struct ValueSet {
    /// Identity.
    pub id: VarId,
    /// Name.
    pub name: Name,
    /// Element type.
    pub element: Ty,
    /// Size.
    pub size: Expr,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// An action.
#[derive(Debug)]
pub struct Action {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Body.
    pub body: Block,
    /// Declared at the top level rather than in a control.
    pub global: bool,
    /// Where.
    pub span: Span,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Where its name stands.
    pub name_span: Span,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Keys.
    pub keys: Vec<Key>,
    /// Actions.
    pub actions: Vec<ActionRef>,
    /// Default action: position in `actions`, arguments of the control plane's parameters, whether constant.
    pub default_action: Option<DefaultAction>,
    /// Size, if given.
    pub size: Option<Expr>,
    /// Entries, if given.
    pub entries: Option<Entries>,
    /// Properties with a value of the architecture's, in order.
    pub properties: Vec<Property>,
    /// Where.
    pub span: Span,
}

/// A key of a table.
#[derive(Debug)]
pub struct Key {
    /// Value.
    pub expr: Expr,
    /// How it matches.
    pub match_kind: Name,
    /// The control plane's name for it.
    pub name: Name,
    /// Whether `@name` gave the name.
    pub named: bool,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// An action in a table's list.
#[derive(Debug, Clone)]
pub struct ActionRef {
    /// The action.
    pub action: Rc<Action>,
    /// Annotations of the reference.
    pub annotations: Vec<Annotation>,
    /// Values of the parameters that have a direction, which the table binds.
    pub args: Vec<Option<Expr>>,
    /// These as they are written.
    pub sources: Vec<String>,
    /// Where.
    pub span: Span,
}

impl ActionRef {
    /// The parameter that a default action or an entry leaves out although the list of actions sets it, if only the
    /// first `given` of these are repeated.
    pub fn unbound(&self, given: usize) -> Option<&Name> {
        let set = self.action.params.iter();
        let mut set = set.filter(|p| p.direction != Direction::None);
        (given < self.sources.len())
            .then(|| set.nth(given).map(|p| &p.var.name))
            .flatten()
    }
}

/// A table's default action.
#[derive(Debug, Clone)]
pub struct DefaultAction {
    /// Position in the table's actions.
    pub index: usize,
    /// Values of the parameters that the control plane sets.
    pub args: Vec<Expr>,
    /// `const`
    pub is_const: bool,
    /// Whether the program names it, rather than the language.
    pub explicit: bool,
    /// Where.
    pub span: Span,
}

/// A table's entries.
#[derive(Debug)]
pub struct Entries {
    /// `const entries`
    pub is_const: bool,
    /// Entries in order.
    pub list: Vec<Entry>,
}

/// An entry.
#[derive(Debug)]
pub struct Entry {
    /// `const`
    pub is_const: bool,
    /// Priority, if given or counted from one that is given; the largest wins.
    pub priority: Option<BigInt>,
    /// The number in its annotation `@priority`; the least wins.
    pub annotated: Option<i32>,
    /// One for each key.
    pub keys: Vec<Keyset>,
    /// Position of the action in the table's list.
    pub action: usize,
    /// Values of the parameters that the control plane sets.
    pub args: Vec<Expr>,
    /// Where.
    pub span: Span,
}

/// A property that the architecture gives a meaning.
#[derive(Debug)]
pub struct Property {
    /// Name.
    pub name: Name,
    /// `const`
    pub is_const: bool,
    /// Value.
    pub value: Expr,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// A set of values.
#[derive(Debug, Clone)]
pub enum Keyset {
    /// One value.
    Value(Expr),
    /// `value &&& mask`
    Mask(Expr, Expr),
    /// `lo .. hi`
    Range(Expr, Expr),
    /// All values.
    Any,
    /// A value set.
    Set(Rc<ValueSet>),
}

/// Statements in braces.
#[derive(Debug, Clone)]
pub struct Block {
    /// Contents.
    pub stmts: Vec<Stmt>,
    /// `@atomic`
    pub atomic: bool,
    /// With the braces.
    pub span: Span,
}

/// A statement.
#[derive(Debug, Clone)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub span: Span,
}

/// The forms of statements.
#[derive(Debug, Clone)]
pub enum StmtKind {
    /// `l = r;`
    Assign(Expr, Expr),
    /// A call whose result is not used.
    Call(Expr),
    /// `if`
    If(Expr, Box<Stmt>, Option<Box<Stmt>>),
    /// `{ ... }`
    Block(Block),
    /// `switch (t.apply().action_run)`
    SwitchAction(Rc<Table>, Vec<ActionCase>),
    /// `switch (e)`
    SwitchValue(Expr, Vec<ValueCase>),
    /// `for (init; condition; update) body`
    For {
        /// What runs first.
        init: Vec<Stmt>,
        /// Whether there is another round.
        condition: Expr,
        /// What runs after each round.
        update: Vec<Stmt>,
        /// Body.
        body: Box<Stmt>,
    },
    /// `for (T x in collection) body`
    ForIn {
        /// The variable.
        var: Rc<Var>,
        /// What is gone through.
        collection: Collection,
        /// Body.
        body: Box<Stmt>,
    },
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return(Option<Expr>),
    /// `exit`
    Exit,
    /// A variable's declaration.
    Var(Rc<Var>, Option<Expr>),
    /// An instance among statements.
    Instance(Rc<Instance>),
}

/// What a `for ... in` goes through.
#[derive(Debug, Clone)]
pub enum Collection {
    /// `lo .. hi`, both included.
    Range(Expr, Expr),
    /// The elements of a list or stack.
    Elements(Expr),
}

/// A case of a switch on the action that a table ran.
#[derive(Debug, Clone)]
pub struct ActionCase {
    /// Positions in the table's actions; empty for `default`.
    pub labels: Vec<usize>,
    /// Whether `default` is among the labels.
    pub default: bool,
    /// Body.
    pub body: Block,
}

/// A case of a switch on a value.
#[derive(Debug, Clone)]
pub struct ValueCase {
    /// Values.
    pub labels: Vec<Expr>,
    /// Whether `default` is among the labels.
    pub default: bool,
    /// Body.
    pub body: Block,
}

/// What a parser or control declares before its body.
#[derive(Debug)]
pub enum Local {
    /// A variable with its initial value.
    Var(Rc<Var>, Option<Expr>, Span),
    /// An instance.
    Instance(Rc<Instance>),
    /// An action.
    Action(Rc<Action>),
    /// A table.
    Table(Rc<Table>),
    /// A value set.
    ValueSet(Rc<ValueSet>),
}

/// A control.
#[derive(Debug)]
pub struct Control {
    /// Its type.
    pub ty: Rc<ApplyType>,
    /// Name.
    pub name: Name,
    /// Where its name stands.
    pub name_span: Span,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// Declarations in order.
    pub locals: Vec<Local>,
    /// Body.
    pub body: Block,
    /// Where.
    pub span: Span,
}

/// A parser.
#[derive(Debug)]
pub struct Parser {
    /// Its type.
    pub ty: Rc<ApplyType>,
    /// Name.
    pub name: Name,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// Declarations in order.
    pub locals: Vec<Local>,
    /// States.
    pub states: Vec<State>,
    /// Where.
    pub span: Span,
}

/// A state of a parser.
#[derive(Debug)]
pub struct State {
    /// Name.
    pub name: Name,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Statements.
    pub stmts: Vec<Stmt>,
    /// What follows.
    pub transition: Transition,
    /// Where.
    pub span: Span,
}

/// Where a transition leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A state, by position.
    State(usize),
    /// `accept`
    Accept,
    /// `reject`
    Reject,
}

/// What follows a state.
#[derive(Debug)]
pub enum Transition {
    /// Always the same.
    Direct(Target, Span),
    /// By value.
    Select {
        /// Values compared.
        subjects: Vec<Expr>,
        /// Cases in order.
        cases: Vec<(Vec<Keyset>, Target, Span)>,
        /// Where.
        span: Span,
    },
}

/// A checked program.
#[derive(Debug)]
pub struct Program {
    /// Error codes in the order of their numbers.
    pub errors: Vec<Name>,
    /// Enums in the order of declaration.
    pub enums: Vec<Rc<EnumType>>,
    /// Instances at the top level other than `main`.
    pub instances: Vec<Rc<Instance>>,
    /// `main`
    pub main: Option<Rc<Instance>>,
    /// Annotations of the package instance.
    pub headers: Vec<Rc<super::types::StructType>>,
    /// Local variables that keep the number that they are declared with.
    pub constants: std::collections::HashMap<VarId, BigInt>,
    /// Standard metadata of v1model, if declared.
    pub standard_metadata: Option<Rc<super::types::StructType>>,
}

impl Expr {
    /// An expression.
    pub fn new(kind: ExprKind, ty: Ty, span: Span) -> Expr {
        Expr { kind, ty, span }
    }

    /// An expression that is wrong already.
    pub fn poison(span: Span) -> Expr {
        Expr {
            kind: ExprKind::Poison,
            ty: Rc::new(super::types::Type::Poison),
            span,
        }
    }

    /// Whether it is wrong already.
    pub fn is_poison(&self) -> bool {
        matches!(self.kind, ExprKind::Poison) || self.ty.is_poison()
    }

    /// The number.
    pub fn as_int(&self) -> Option<&BigInt> {
        match &self.kind {
            ExprKind::Int(v) => Some(v),
            _ => None,
        }
    }

    /// Whether it is a value known at compile time.
    pub fn is_constant(&self) -> bool {
        match &self.kind {
            ExprKind::Int(_)
            | ExprKind::Bool(_)
            | ExprKind::Str(_)
            | ExprKind::EnumMember(..)
            | ExprKind::ErrorCode(_)
            | ExprKind::Invalid => true,
            ExprKind::List(l) | ExprKind::Struct(l) => l.iter().all(Expr::is_constant),
            ExprKind::NamedList(l) => l.iter().all(|(_, e)| e.is_constant()),
            ExprKind::Cast(e) => e.is_constant(),
            _ => false,
        }
    }

    /// Whether its value is fixed when the program is instantiated: constants and constructor parameters.
    pub fn is_compile_time(&self) -> bool {
        match &self.kind {
            ExprKind::Var(v) => v.kind == VarKind::Constructor,
            ExprKind::Instance(_) | ExprKind::Construct(_) => true,
            ExprKind::Unary(_, a) | ExprKind::Slice(a, ..) | ExprKind::Cast(a) => {
                a.is_compile_time()
            }
            ExprKind::Field(a, ..) | ExprKind::Component(a, _) => a.is_compile_time(),
            ExprKind::Binary(_, a, b) => a.is_compile_time() && b.is_compile_time(),
            ExprKind::Mux(a, b, c) => {
                a.is_compile_time() && b.is_compile_time() && c.is_compile_time()
            }
            ExprKind::List(l) | ExprKind::Struct(l) => l.iter().all(Expr::is_compile_time),
            ExprKind::NamedList(l) => l.iter().all(|(_, e)| e.is_compile_time()),
            _ => self.is_constant(),
        }
    }
}
