// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! Types (language specification, section 7) as the checker knows them.

use std::fmt;
use std::rc::Rc;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::ast::{Annotation, Name};
use crate::source::Span;

/// A shared type.
pub type Ty = Rc<Type>;

/// Identity of a declaration that makes a type of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct DefId(pub u32);

/// Identity of a type variable: a declared type parameter, or one that inference made for it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct TypeVar(pub u32);

/// A type.
#[derive(Clone, Debug)]
pub enum Type {
    /// The type of what is wrong already; compatible with all, reported once.
    Poison,
    /// `void`
    Void,
    /// `bool`
    Bool,
    /// `int`: arbitrary precision, at compile time only.
    Int,
    /// `bit<W>` or `int<W>`
    Bits {
        /// W
        width: u32,
        /// `int<W>`
        signed: bool,
    },
    /// `varbit<W>`
    Varbit(u32),
    /// `string`
    String,
    /// `error`
    Error,
    /// `match_kind`
    MatchKind,
    /// `_` as a type argument, or the type of an argument `_`.
    DontCare,
    /// A header, header union or struct.
    Struct(Rc<StructType>),
    /// An enum.
    Enum(Rc<EnumType>),
    /// `type T x;`
    New(Rc<NewType>),
    /// `T[n]`
    Stack(Ty, u32),
    /// `tuple<...>`
    Tuple(Vec<Ty>),
    /// `list<T>`
    List(Ty),
    /// What `{a, b}` is before it meets a type; converts to tuples, structs and headers.
    ListExpr(Vec<Ty>),
    /// What `{f = a}` is before it meets a type.
    StructExpr(Vec<(Name, Ty)>),
    /// `{#}`
    Invalid,
    /// `...`
    Dots,
    /// An extern object.
    Extern(Rc<ExternType>),
    /// A parser, or the type of one.
    Parser(Rc<ApplyType>),
    /// A control, or the type of one.
    Control(Rc<ApplyType>),
    /// A package.
    Package(Rc<ApplyType>),
    /// A table.
    Table,
    /// What `t.apply()` gives.
    ApplyResult,
    /// `t.apply().action_run`
    ActionRun,
    /// A set of values of a type: a `value_set`.
    Set(Ty),
    /// A type variable.
    Var(TypeVar, Name),
}

/// Which of the struct-like types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum StructKind {
    /// `header`
    Header,
    /// `header_union`
    Union,
    /// `struct`
    Struct,
}

/// A header, header union or struct; of a generic one, one instance.
#[derive(Debug)]
pub struct StructType {
    /// The declaration.
    pub def: DefId,
    /// Which.
    pub kind: StructKind,
    /// Name as declared.
    pub name: Name,
    /// Type arguments of a generic one.
    pub args: Vec<Ty>,
    /// Fields in order.
    pub fields: Vec<FieldType>,
    /// Annotations of the declaration.
    pub annotations: Vec<Annotation>,
    /// Declared where.
    pub span: Span,
}

impl StructType {
    /// Position and description of a field.
    pub fn field(&self, name: &str) -> Option<(usize, &FieldType)> {
        self.fields
            .iter()
            .enumerate()
            .find(|(_, f)| &*f.name == name)
    }
}

/// A field.
#[derive(Debug, Clone)]
pub struct FieldType {
    /// Name.
    pub name: Name,
    /// Type.
    pub ty: Ty,
    /// Annotations.
    pub annotations: Vec<Annotation>,
    /// Numbers that `@field_list` gives.
    pub field_lists: Vec<u32>,
}

/// An enum, serializable or not.
#[derive(Debug)]
pub struct EnumType {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Underlying type of a serializable enum.
    pub underlying: Option<Ty>,
    /// Members; the value is the position for an enum that is not serializable.
    pub members: Vec<(Name, BigInt)>,
    /// Declared where.
    pub span: Span,
}

/// `type T x;`
#[derive(Debug)]
pub struct NewType {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// What it is made of.
    pub base: Ty,
    /// Annotations, `@p4runtime_translation` among them.
    pub annotations: Vec<Annotation>,
}

/// An extern with its type arguments.
#[derive(Debug)]
pub struct ExternType {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Type arguments.
    pub args: Vec<Ty>,
}

/// A parser, control or package type with its type arguments.
#[derive(Debug)]
pub struct ApplyType {
    /// The declaration.
    pub def: DefId,
    /// Name.
    pub name: Name,
    /// Type arguments.
    pub args: Vec<Ty>,
    /// Parameter types, type arguments put in: of `apply`, or of a package's constructor.
    pub params: Vec<(crate::ast::Direction, Ty)>,
    /// How many parameters come before those that `@optional` allows to leave out.
    pub required: usize,
}

impl Type {
    /// `bit<width>`
    pub fn bits(width: u32) -> Ty {
        Rc::new(Type::Bits {
            width,
            signed: false,
        })
    }

    /// Whether it is `bit<W>` or `int<W>`.
    pub fn is_bits(&self) -> bool {
        matches!(self, Type::Bits { .. })
    }

    /// Whether it is wrong already.
    pub fn is_poison(&self) -> bool {
        matches!(self, Type::Poison)
    }

    /// The header type.
    pub fn as_header(&self) -> Option<&Rc<StructType>> {
        match self {
            Type::Struct(s) if s.kind == StructKind::Header => Some(s),
            _ => None,
        }
    }

    /// The header, union or struct type.
    pub fn as_struct(&self) -> Option<&Rc<StructType>> {
        match self {
            Type::Struct(s) => Some(s),
            _ => None,
        }
    }

    /// The type with `type` names and serializable enums taken off: what the bits are.
    pub fn representation(self: &Rc<Self>) -> Ty {
        match &**self {
            Type::New(n) => n.base.representation(),
            Type::Enum(e) => match &e.underlying {
                Some(u) => u.representation(),
                None => self.clone(),
            },
            _ => self.clone(),
        }
    }

    /// Bits that a value takes, if that is fixed.
    pub fn width(self: &Rc<Self>) -> Option<u32> {
        match &*self.representation() {
            Type::Bool => Some(1),
            Type::Bits { width, .. } | Type::Varbit(width) => Some(*width),
            Type::Error | Type::Enum(_) => Some(32),
            Type::Struct(s) if s.kind != StructKind::Union => s
                .fields
                .iter()
                .try_fold(0u32, |sum, f| f.ty.width().and_then(|w| sum.checked_add(w))),
            Type::Tuple(list) => list
                .iter()
                .try_fold(0u32, |sum, t| t.width().and_then(|w| sum.checked_add(w))),
            Type::Stack(t, n) => t.width().and_then(|w| w.checked_mul(*n)),
            _ => None,
        }
    }

    /// Fields of it and of all that is in it, at most `limit`: counting ends there.
    pub fn fields_up_to(&self, limit: usize) -> usize {
        let sum = |list: &mut dyn Iterator<Item = &Ty>| {
            let mut n = 0;
            for t in list {
                if n >= limit {
                    break;
                }
                n += t.fields_up_to(limit - n);
            }
            n.max(1)
        };
        match self {
            Type::Struct(s) => sum(&mut s.fields.iter().map(|f| &f.ty)),
            Type::Tuple(list) | Type::ListExpr(list) => sum(&mut list.iter()),
            Type::Stack(t, n) => {
                let each = t.fields_up_to(limit);
                each.saturating_mul(*n as usize).min(limit)
            }
            _ => 1,
        }
    }

    /// Whether an array of it is a header stack.
    pub fn is_stackable(&self) -> bool {
        match self {
            Type::Struct(s) => s.kind != StructKind::Struct,
            Type::Poison | Type::Var(..) => true,
            _ => false,
        }
    }

    /// Whether two types are the same (section 7.1.11 ff).
    pub fn same(a: &Type, b: &Type) -> bool {
        let all = |x: &[Ty], y: &[Ty]| {
            x.len() == y.len() && x.iter().zip(y).all(|(a, b)| Type::same(a, b))
        };
        match (a, b) {
            (Type::Poison, _) | (_, Type::Poison) => true,
            (Type::DontCare, _) | (_, Type::DontCare) => true,
            (Type::Void, Type::Void)
            | (Type::Bool, Type::Bool)
            | (Type::Int, Type::Int)
            | (Type::String, Type::String)
            | (Type::Error, Type::Error)
            | (Type::MatchKind, Type::MatchKind)
            | (Type::Table, Type::Table)
            | (Type::ApplyResult, Type::ApplyResult)
            | (Type::ActionRun, Type::ActionRun)
            | (Type::Invalid, Type::Invalid)
            | (Type::Dots, Type::Dots) => true,
            (
                Type::Bits {
                    width: a,
                    signed: s,
                },
                Type::Bits {
                    width: b,
                    signed: t,
                },
            ) => a == b && s == t,
            (Type::Varbit(a), Type::Varbit(b)) => a == b,
            (Type::Struct(a), Type::Struct(b)) => a.def == b.def && all(&a.args, &b.args),
            (Type::Enum(a), Type::Enum(b)) => a.def == b.def,
            (Type::New(a), Type::New(b)) => a.def == b.def,
            (Type::Stack(a, n), Type::Stack(b, m)) => n == m && Type::same(a, b),
            (Type::Tuple(a), Type::Tuple(b)) | (Type::ListExpr(a), Type::ListExpr(b)) => all(a, b),
            (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) => Type::same(a, b),
            (Type::StructExpr(a), Type::StructExpr(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b)
                        .all(|((n, t), (m, u))| n == m && Type::same(t, u))
            }
            (Type::Extern(a), Type::Extern(b)) => a.def == b.def && all(&a.args, &b.args),
            (Type::Parser(a), Type::Parser(b))
            | (Type::Control(a), Type::Control(b))
            | (Type::Package(a), Type::Package(b)) => a.def == b.def && all(&a.args, &b.args),
            (Type::Var(a, _), Type::Var(b, _)) => a == b,
            _ => false,
        }
    }

    /// Whether a type variable occurs in it.
    pub fn mentions_var(&self) -> bool {
        let any = |list: &[Ty]| list.iter().any(|t| t.mentions_var());
        match self {
            Type::Var(..) => true,
            Type::Struct(s) => any(&s.args),
            Type::Stack(t, _) | Type::List(t) | Type::Set(t) => t.mentions_var(),
            Type::Tuple(l) | Type::ListExpr(l) => any(l),
            Type::StructExpr(l) => l.iter().any(|(_, t)| t.mentions_var()),
            Type::Extern(e) => any(&e.args),
            Type::Parser(a) | Type::Control(a) | Type::Package(a) => any(&a.args),
            _ => false,
        }
    }
}

/// The least and greatest value of `bit<W>` or `int<W>`.
pub fn range_of(width: u32, signed: bool) -> (BigInt, BigInt) {
    if signed {
        let half = BigInt::one() << width.saturating_sub(1);
        (-half.clone(), half - 1)
    } else {
        (BigInt::zero(), (BigInt::one() << width) - 1)
    }
}

/// Reduces a value to `bit<W>` or `int<W>`, modulo 2^W.
pub fn wrap(value: &BigInt, width: u32, signed: bool) -> BigInt {
    let modulus = BigInt::one() << width;
    let mut v = value % &modulus;
    if v.is_negative() {
        v += &modulus;
    }
    if signed && width > 0 && v.bit(u64::from(width - 1)) {
        v -= modulus;
    }
    v
}

fn list(f: &mut fmt::Formatter<'_>, types: &[Ty]) -> fmt::Result {
    for (i, t) in types.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        write!(f, "{t}")?;
    }
    Ok(())
}

fn named(f: &mut fmt::Formatter<'_>, name: &str, args: &[Ty]) -> fmt::Result {
    f.write_str(name)?;
    if !args.is_empty() {
        f.write_str("<")?;
        list(f, args)?;
        f.write_str(">")?;
    }
    Ok(())
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Poison => f.write_str("<error>"),
            Type::Void => f.write_str("void"),
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Bits { width, signed } => {
                write!(f, "{}<{width}>", if *signed { "int" } else { "bit" })
            }
            Type::Varbit(w) => write!(f, "varbit<{w}>"),
            Type::String => f.write_str("string"),
            Type::Error => f.write_str("error"),
            Type::MatchKind => f.write_str("match_kind"),
            Type::DontCare => f.write_str("_"),
            Type::Struct(s) => {
                let word = match s.kind {
                    StructKind::Header => "header",
                    StructKind::Union => "header_union",
                    StructKind::Struct => "struct",
                };
                write!(f, "{word} ")?;
                named(f, &s.name, &s.args)
            }
            Type::Enum(e) => write!(f, "enum {}", e.name),
            Type::New(n) => f.write_str(&n.name),
            Type::Stack(t, n) => write!(f, "{t}[{n}]"),
            Type::Tuple(l) => {
                f.write_str("tuple<")?;
                list(f, l)?;
                f.write_str(">")
            }
            Type::List(t) => write!(f, "list<{t}>"),
            Type::ListExpr(l) => {
                f.write_str("{")?;
                list(f, l)?;
                f.write_str("}")
            }
            Type::StructExpr(l) => {
                f.write_str("{")?;
                for (i, (n, t)) in l.iter().enumerate() {
                    write!(f, "{}{n} = {t}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Type::Invalid => f.write_str("{#}"),
            Type::Dots => f.write_str("..."),
            Type::Extern(e) => named(f, &e.name, &e.args),
            Type::Parser(a) => {
                f.write_str("parser ")?;
                named(f, &a.name, &a.args)
            }
            Type::Control(a) => {
                f.write_str("control ")?;
                named(f, &a.name, &a.args)
            }
            Type::Package(a) => {
                f.write_str("package ")?;
                named(f, &a.name, &a.args)
            }
            Type::Table => f.write_str("table"),
            Type::ApplyResult => f.write_str("apply_result"),
            Type::ActionRun => f.write_str("action_run"),
            Type::Set(t) => write!(f, "set<{t}>"),
            Type::Var(_, n) => f.write_str(n),
        }
    }
}
