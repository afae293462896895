// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Declarations: at the top level, in parsers, controls, externs and instantiations.

use super::{Annotation, Argument, Block, Expr, Ident, Keyset, Param, Path, Stmt, TypeRef};
use crate::source::Span;

/// A declaration, at the top level or local to a parser or control. Which kinds may stand where is the grammar's
/// business and checked by the parser.
#[derive(Clone, PartialEq, Debug)]
pub enum Decl {
    /// `const T x = e;`
    Const(ConstDecl),
    /// `T x;`, `T x = e;` (local only)
    Var(VarDecl),
    /// `T(args) x;`
    Instantiation(Instantiation),
    /// `extern X { ... }`
    Extern(ExternDecl),
    /// `extern T f(...);`
    ExternFunction(FunctionProto),
    /// `T f(...) { ... }`
    Function(FunctionDecl),
    /// `action a(...) { ... }`
    Action(ActionDecl),
    /// `table t { ... }` (local to controls)
    Table(TableDecl),
    /// `value_set<T>(n) v;` (local to parsers)
    ValueSet(ValueSetDecl),
    /// `parser P(...);`
    ParserType(ApplicableType),
    /// `parser P(...)(...) { ... }`
    Parser(ParserDecl),
    /// `control C(...);`
    ControlType(ApplicableType),
    /// `control C(...)(...) { ... }`
    Control(ControlDecl),
    /// `package P(...);`
    Package(ApplicableType),
    /// `header H { ... }`
    Header(StructDecl),
    /// `header_union U { ... }`
    HeaderUnion(StructDecl),
    /// `struct S { ... }`
    Struct(StructDecl),
    /// `enum E { ... }`, `enum bit<8> E { ... }`
    Enum(EnumDecl),
    /// `error { ... }`
    Error(IdentListDecl),
    /// `match_kind { ... }`
    MatchKind(IdentListDecl),
    /// `typedef T x;`, `type T x;`
    Typedef(TypedefDecl),
}

impl Decl {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Decl::Const(d) => d.span,
            Decl::Var(d) => d.span,
            Decl::Instantiation(d) => d.span,
            Decl::Extern(d) => d.span,
            Decl::ExternFunction(d) => d.span,
            Decl::Function(d) => d.span,
            Decl::Action(d) => d.span,
            Decl::Table(d) => d.span,
            Decl::ValueSet(d) => d.span,
            Decl::ParserType(d) | Decl::ControlType(d) | Decl::Package(d) => d.span,
            Decl::Parser(d) => d.span,
            Decl::Control(d) => d.span,
            Decl::Header(d) | Decl::HeaderUnion(d) | Decl::Struct(d) => d.span,
            Decl::Enum(d) => d.span,
            Decl::Error(d) | Decl::MatchKind(d) => d.span,
            Decl::Typedef(d) => d.span,
        }
    }

    /// Its annotations.
    pub fn annotations(&self) -> &[Annotation] {
        match self {
            Decl::Const(d) => &d.annotations,
            Decl::Var(d) => &d.annotations,
            Decl::Instantiation(d) => &d.annotations,
            Decl::Extern(d) => &d.annotations,
            Decl::ExternFunction(d) => &d.annotations,
            Decl::Function(d) => &d.proto.annotations,
            Decl::Action(d) => &d.annotations,
            Decl::Table(d) => &d.annotations,
            Decl::ValueSet(d) => &d.annotations,
            Decl::ParserType(d) | Decl::ControlType(d) | Decl::Package(d) => &d.annotations,
            Decl::Parser(d) => &d.ty.annotations,
            Decl::Control(d) => &d.ty.annotations,
            Decl::Header(d) | Decl::HeaderUnion(d) | Decl::Struct(d) => &d.annotations,
            Decl::Enum(d) => &d.annotations,
            Decl::Error(d) | Decl::MatchKind(d) => &d.annotations,
            Decl::Typedef(d) => &d.annotations,
        }
    }

    /// The name it declares; `error` and `match_kind` declare none of their own.
    pub fn name(&self) -> Option<&Ident> {
        Some(match self {
            Decl::Const(d) => &d.name,
            Decl::Var(d) => &d.name,
            Decl::Instantiation(d) => &d.name,
            Decl::Extern(d) => &d.name,
            Decl::ExternFunction(d) => &d.name,
            Decl::Function(d) => &d.proto.name,
            Decl::Action(d) => &d.name,
            Decl::Table(d) => &d.name,
            Decl::ValueSet(d) => &d.name,
            Decl::ParserType(d) | Decl::ControlType(d) | Decl::Package(d) => &d.name,
            Decl::Parser(d) => &d.ty.name,
            Decl::Control(d) => &d.ty.name,
            Decl::Header(d) | Decl::HeaderUnion(d) | Decl::Struct(d) => &d.name,
            Decl::Enum(d) => &d.name,
            Decl::Typedef(d) => &d.name,
            Decl::Error(_) | Decl::MatchKind(_) => return None,
        })
    }
}

/// `const T x = e;`
#[derive(Clone, PartialEq, Debug)]
pub struct ConstDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Ident,
    /// Value.
    pub value: Expr,
    /// Where.
    pub span: Span,
}

/// `T x;` or `T x = e;`
#[derive(Clone, PartialEq, Debug)]
pub struct VarDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Ident,
    /// Initial value.
    pub init: Option<Expr>,
    /// Where.
    pub span: Span,
}

/// `T(args) x;` or `T(args) x = { ... };`
#[derive(Clone, PartialEq, Debug)]
pub struct Instantiation {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Type instantiated, specialized or not.
    pub ty: TypeRef,
    /// Constructor arguments.
    pub args: Vec<Argument>,
    /// Name.
    pub name: Ident,
    /// Implementations of abstract methods: [`Decl::Function`] and [`Decl::Instantiation`].
    pub initializer: Option<Vec<Decl>>,
    /// Where.
    pub span: Span,
}

/// `extern X<T> { ... }`
#[derive(Clone, PartialEq, Debug)]
pub struct ExternDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Type parameters.
    pub type_params: Vec<Ident>,
    /// Constructors and methods.
    pub methods: Vec<Method>,
    /// Where.
    pub span: Span,
}

/// A constructor or method of an extern.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// What it is.
    pub kind: MethodKind,
    /// Its signature; a constructor's `return_type` is `void` and means nothing.
    pub proto: FunctionProto,
}

/// Sorts of methods.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MethodKind {
    /// Named like the extern, without a return type.
    Constructor,
    /// Implemented by the target.
    Method,
    /// `abstract`: implemented where the extern is instantiated.
    Abstract,
}

/// `T f<A, B>(params)`
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionProto {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Return type; [`TypeKind::Void`](super::TypeKind::Void) for none.
    pub return_type: TypeRef,
    /// Name.
    pub name: Ident,
    /// Type parameters.
    pub type_params: Vec<Ident>,
    /// Parameters.
    pub params: Vec<Param>,
    /// Where.
    pub span: Span,
}

/// A function with a body.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionDecl {
    /// Signature.
    pub proto: FunctionProto,
    /// Body.
    pub body: Block,
    /// Where.
    pub span: Span,
}

/// `action a(params) { ... }`
#[derive(Clone, PartialEq, Debug)]
pub struct ActionDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Parameters: directionless ones come from the control plane.
    pub params: Vec<Param>,
    /// Body.
    pub body: Block,
    /// Where.
    pub span: Span,
}

/// `value_set<T>(size) v;`
#[derive(Clone, PartialEq, Debug)]
pub struct ValueSetDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Element type.
    pub element: TypeRef,
    /// Largest number of members.
    pub size: Expr,
    /// Name.
    pub name: Ident,
    /// Where.
    pub span: Span,
}

/// The type of a parser, control or package: name, type parameters, parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct ApplicableType {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Type parameters.
    pub type_params: Vec<Ident>,
    /// Parameters of `apply`; of a package, of its constructor.
    pub params: Vec<Param>,
    /// Where.
    pub span: Span,
}

/// A parser with its states.
#[derive(Clone, PartialEq, Debug)]
pub struct ParserDecl {
    /// Name and parameters.
    pub ty: ApplicableType,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// Constants, variables, instances and value sets.
    pub locals: Vec<Decl>,
    /// States.
    pub states: Vec<ParserState>,
    /// Where.
    pub span: Span,
}

/// `state s { ... transition ...; }`
#[derive(Clone, PartialEq, Debug)]
pub struct ParserState {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Statements before the transition.
    pub stmts: Vec<Stmt>,
    /// Transition; `None` means `reject`.
    pub transition: Option<Transition>,
    /// Where.
    pub span: Span,
}

/// `transition s;` or `transition select(...) { ... }`
#[derive(Clone, PartialEq, Debug)]
pub enum Transition {
    /// To a state, `accept` or `reject`.
    Direct(Ident),
    /// By value.
    Select {
        /// Expressions compared.
        subjects: Vec<Expr>,
        /// Cases in order.
        cases: Vec<SelectCase>,
        /// From `select` to the closing brace.
        span: Span,
    },
}

/// `keyset: state;`
#[derive(Clone, PartialEq, Debug)]
pub struct SelectCase {
    /// Values.
    pub keyset: Keyset,
    /// Next state.
    pub state: Ident,
    /// Where.
    pub span: Span,
}

/// A control with its body.
#[derive(Clone, PartialEq, Debug)]
pub struct ControlDecl {
    /// Name and parameters.
    pub ty: ApplicableType,
    /// Constructor parameters.
    pub constructor_params: Vec<Param>,
    /// Constants, variables, instances, actions and tables.
    pub locals: Vec<Decl>,
    /// `apply { ... }`
    pub body: Block,
    /// Where.
    pub span: Span,
}

/// Fields of a header, header union or struct.
#[derive(Clone, PartialEq, Debug)]
pub struct StructDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Type parameters.
    pub type_params: Vec<Ident>,
    /// Fields in order.
    pub fields: Vec<Field>,
    /// Where.
    pub span: Span,
}

/// `T f;`
#[derive(Clone, PartialEq, Debug)]
pub struct Field {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Type.
    pub ty: TypeRef,
    /// Name.
    pub name: Ident,
    /// Where.
    pub span: Span,
}

/// `enum E { A, B }` or `enum bit<8> E { A = 1, B = 2 }`
#[derive(Clone, PartialEq, Debug)]
pub struct EnumDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Underlying type of a serializable enum.
    pub underlying: Option<TypeRef>,
    /// Name.
    pub name: Ident,
    /// Members in order.
    pub members: Vec<EnumMember>,
    /// Where.
    pub span: Span,
}

/// A member of an enum.
#[derive(Clone, PartialEq, Debug)]
pub struct EnumMember {
    /// Name.
    pub name: Ident,
    /// Value: always there in a serializable enum, never in another.
    pub value: Option<Expr>,
}

/// `error { A, B }`, `match_kind { a, b }`
#[derive(Clone, PartialEq, Debug)]
pub struct IdentListDecl {
    /// Annotations (match_kind only).
    pub annotations: Vec<Annotation>,
    /// Names in order.
    pub members: Vec<Ident>,
    /// Where.
    pub span: Span,
}

/// `typedef T x;` (an alias) or `type T x;` (a new type)
#[derive(Clone, PartialEq, Debug)]
pub struct TypedefDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// `type` rather than `typedef`.
    pub is_new_type: bool,
    /// What it stands for.
    pub target: TypedefTarget,
    /// Name.
    pub name: Ident,
    /// Where.
    pub span: Span,
}

/// What a typedef stands for.
#[derive(Clone, PartialEq, Debug)]
pub enum TypedefTarget {
    /// A type.
    Type(TypeRef),
    /// A header, union, struct or enum declared on the spot; that declaration counts too.
    Decl(Box<Decl>),
}

/// `table t { ... }` (section 14.2)
#[derive(Clone, PartialEq, Debug)]
pub struct TableDecl {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Name.
    pub name: Ident,
    /// Properties in order.
    pub properties: Vec<TableProperty>,
    /// Where.
    pub span: Span,
}

/// A property of a table.
#[derive(Clone, PartialEq, Debug)]
pub struct TableProperty {
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// `const`: of `entries` and of properties with a value.
    pub is_const: bool,
    /// The name: `key`, `actions`, `entries`, `default_action`, `size`, ...
    pub name: Ident,
    /// Its value.
    pub value: TablePropertyValue,
    /// Where.
    pub span: Span,
}

/// The value of a table's property.
#[derive(Clone, PartialEq, Debug)]
pub enum TablePropertyValue {
    /// `key = { ... }`
    Key(Vec<KeyElement>),
    /// `actions = { ... }`
    Actions(Vec<ActionRef>),
    /// `entries = { ... }`, `const entries = { ... }`
    Entries(Vec<Entry>),
    /// `name = expression;`; `default_action = a(1)` is a [`Name`](super::ExprKind::Name) or a
    /// [`Call`](super::ExprKind::Call).
    Expr(Expr),
}

/// `expression: match_kind @annotations;`
#[derive(Clone, PartialEq, Debug)]
pub struct KeyElement {
    /// Key.
    pub expr: Expr,
    /// How it matches.
    pub match_kind: Ident,
    /// Annotations, `@name` among them.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}

/// An action named in a table's `actions` or entry.
#[derive(Clone, PartialEq, Debug)]
pub struct ActionRef {
    /// Annotations, such as `@defaultonly`.
    pub annotations: Vec<Annotation>,
    /// The action.
    pub name: Path,
    /// Arguments; `None` without parentheses.
    pub args: Option<Vec<Argument>>,
    /// Where.
    pub span: Span,
}

/// An entry of a table (section 14.2.1.4).
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// `const`: cannot be changed at run time.
    pub is_const: bool,
    /// `priority = e`
    pub priority: Option<Expr>,
    /// Key.
    pub keyset: Keyset,
    /// Action.
    pub action: ActionRef,
    /// Annotations after the action.
    pub annotations: Vec<Annotation>,
    /// Where.
    pub span: Span,
}
