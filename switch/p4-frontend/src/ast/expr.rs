// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Expressions (section 8), keyset expressions (section 13.6) and arguments.

use num_bigint::BigInt;

use super::{Ident, Name, NamedExpr, Path, TypeRef};
use crate::source::Span;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where; parentheses around the expression are not part of it.
    pub span: Span,
}

/// The forms of `expression`.
#[derive(Clone, PartialEq, Debug)]
pub enum ExprKind {
    /// `12`, `8w0xFF`, `4s0b1010`
    Int(IntLit),
    /// `true`, `false`
    Bool(bool),
    /// `"..."`, escapes resolved.
    String(Name),
    /// `this`, in the methods of an instantiation's block.
    This,
    /// `...`: the default value of whatever is asked for; also the last element of a list (section 8.26).
    Dots,
    /// `{#}`: an invalid header or header union.
    Invalid,
    /// A name that is not a type where it stands.
    Name(Path),
    /// A type in front of `.member`: `E.x`, `error.x`, `Control.apply`; the base of [`ExprKind::Member`] only.
    Type(TypeRef),
    /// `base.member`
    Member {
        /// What has the member.
        base: Box<Expr>,
        /// Its name.
        member: Ident,
    },
    /// `base[index]`
    Index {
        /// Header stack, tuple or list.
        base: Box<Expr>,
        /// Index.
        index: Box<Expr>,
    },
    /// `base[hi:lo]`
    Slice {
        /// Sliced value.
        base: Box<Expr>,
        /// Most significant bit.
        hi: Box<Expr>,
        /// Least significant bit.
        lo: Box<Expr>,
    },
    /// `base[lo+:width]`
    PlusSlice {
        /// Sliced value.
        base: Box<Expr>,
        /// Least significant bit.
        lo: Box<Expr>,
        /// Number of bits.
        width: Box<Expr>,
    },
    /// `{a, b}`, `{}`; the last element may be [`ExprKind::Dots`].
    List(Vec<Expr>),
    /// `{f = a, g = b}`, `{f = a, ...}`
    Struct {
        /// The fields given.
        fields: Vec<NamedExpr>,
        /// `...` at the end: the others have default values.
        dots: Option<Span>,
    },
    /// `!a`, `~a`, `-a`, `+a`
    Unary {
        /// Operator.
        op: UnaryOp,
        /// Operand.
        operand: Box<Expr>,
    },
    /// `a + b` and so on.
    Binary {
        /// Operator.
        op: BinaryOp,
        /// Where the operator stands.
        op_span: Span,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// `c ? a : b`
    Ternary {
        /// Condition.
        condition: Box<Expr>,
        /// Value if true.
        then: Box<Expr>,
        /// Value if false.
        otherwise: Box<Expr>,
    },
    /// `(T) e`
    Cast {
        /// Type.
        ty: TypeRef,
        /// Operand.
        operand: Box<Expr>,
    },
    /// `f(args)`, `f<T>(args)`, `a.m(args)`, `Control.apply(args)`
    Call {
        /// What is called: a name or a member.
        callee: Box<Expr>,
        /// Type arguments; empty when none are written (`<>` cannot be told apart).
        type_args: Vec<TypeRef>,
        /// Arguments.
        args: Vec<Argument>,
    },
    /// `T(args)`, `T<A>(args)` where `T` is a type: a constructor call.
    Construct {
        /// The type constructed: [`TypeKind::Name`](super::TypeKind::Name) or
        /// [`TypeKind::Specialized`](super::TypeKind::Specialized).
        ty: TypeRef,
        /// Arguments.
        args: Vec<Argument>,
    },
}

/// How an integer literal was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum IntBase {
    /// `0b`
    Binary,
    /// `0o`
    Octal,
    /// Plain digits or `0d`.
    Decimal,
    /// `0x`
    Hexadecimal,
}

/// Width and signedness before the `w` or `s` of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct IntWidth {
    /// Bits; a literal's width is at least 1 (`w`) or 2 (`s`) by the specification, not checked here.
    pub bits: u32,
    /// `s` (`int<W>`) rather than `w` (`bit<W>`).
    pub signed: bool,
}

/// An integer literal. `8w255` has type `bit<8>`, `4s7` has `int<4>`, a plain one has `int`.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct IntLit {
    /// The digits' value, never negative, not reduced to the width.
    pub value: BigInt,
    /// Width prefix.
    pub width: Option<IntWidth>,
    /// Base it was written in.
    pub base: IntBase,
}

/// Prefix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `-`
    Minus,
    /// `+`
    Plus,
}

impl UnaryOp {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Complement => "~",
            UnaryOp::Minus => "-",
            UnaryOp::Plus => "+",
        }
    }
}

/// Infix operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum BinaryOp {
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `|+|`, saturating.
    AddSat,
    /// `|-|`, saturating.
    SubSat,
    /// `<<`
    Shl,
    /// `>>`
    Shr,
    /// `<=`
    Le,
    /// `>=`
    Ge,
    /// `<`
    Lt,
    /// `>`
    Gt,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `++`
    Concat,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOp {
    /// As written.
    pub fn as_str(self) -> &'static str {
        match self {
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::AddSat => "|+|",
            BinaryOp::SubSat => "|-|",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Le => "<=",
            BinaryOp::Ge => ">=",
            BinaryOp::Lt => "<",
            BinaryOp::Gt => ">",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::Concat => "++",
            BinaryOp::And => "&&",
            BinaryOp::Or => "||",
        }
    }

    /// Binding strength in the grammar: larger binds tighter; all are left-associative.
    pub fn precedence(self) -> u8 {
        use BinaryOp::*;
        match self {
            Or => 3,
            And => 4,
            Eq | Ne => 5,
            Lt | Gt | Le | Ge => 6,
            BitOr => 7,
            BitXor => 8,
            BitAnd => 9,
            Shl | Shr => 10,
            Concat | Add | Sub | AddSat | SubSat => 11,
            Mul | Div | Mod => 12,
        }
    }
}

/// An argument of a call or constructor.
#[derive(Clone, PartialEq, Debug)]
pub struct Argument {
    /// The parameter's name in `name = value`.
    pub name: Option<Ident>,
    /// The value; `None` is `_`.
    pub value: Option<Expr>,
    /// Whole argument.
    pub span: Span,
}

/// A set of values: label of a `select` case, or key of a table entry.
#[derive(Clone, PartialEq, Debug)]
pub struct Keyset {
    /// Which.
    pub kind: KeysetKind,
    /// Where.
    pub span: Span,
}

/// The forms of `keysetExpression`.
#[derive(Clone, PartialEq, Debug)]
pub enum KeysetKind {
    /// One value, or the name of a value set.
    Expr(Expr),
    /// `value &&& mask`
    Mask(Expr, Expr),
    /// `lo .. hi`, both included.
    Range(Expr, Expr),
    /// `default`
    Default,
    /// `_`
    DontCare,
    /// `(a, b, ...)`: one keyset for each key; never nested.
    Tuple(Vec<Keyset>),
}
