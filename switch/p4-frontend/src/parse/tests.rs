// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

use crate::ast::*;
use crate::pp::Options;
use crate::{Parsed, parse_text};

fn parse(source: &str) -> Parsed {
    parse_text(
        "t.p4",
        source,
        &Options {
            use_file_system: false,
            ..Options::default()
        },
    )
}

/// Parses text without errors, and checks that printing and parsing again gives the same tree.
fn ok(source: &str) -> Program {
    let parsed = parse(source);
    let errors = parsed.diagnostics.render(&parsed.sources);
    assert_eq!(errors, "", "in {source}");
    let printed = print::program(&parsed.program);
    let again = parse(&printed);
    let errors = again.diagnostics.render(&again.sources);
    assert_eq!(errors, "", "in printed {printed}");
    assert_eq!(
        format!("{:-?}", again.program),
        format!("{:-?}", parsed.program),
        "{printed}"
    );
    parsed.program
}

/// The errors of a text, with places and source lines.
fn errors(source: &str) -> String {
    let parsed = parse(source);
    parsed.diagnostics.render(&parsed.sources)
}

/// Only the lines that say what is wrong and where.
fn messages(source: &str) -> Vec<String> {
    errors(source)
        .lines()
        .filter(|l| l.contains(": error: "))
        .map(str::to_string)
        .collect()
}

/// An expression, printed with all its parentheses.
fn expr(source: &str) -> String {
    let program = ok(&format!(
        "header T {{}}\nextern G<A> {{ G(); }}\nconst bool x = {source};"
    ));
    match program.decls.last() {
        Some(Decl::Const(c)) => shape(&c.value),
        other => panic!("{other:?}"),
    }
}

fn shape(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Binary {
            op, left, right, ..
        } => format!("({} {} {})", shape(left), op.as_str(), shape(right)),
        ExprKind::Unary { op, operand } => format!("({}{})", op.as_str(), shape(operand)),
        ExprKind::Cast { ty, operand } => {
            format!("(cast {} {})", print::type_ref(ty), shape(operand))
        }
        ExprKind::Ternary {
            condition,
            then,
            otherwise,
        } => {
            format!(
                "({} ? {} : {})",
                shape(condition),
                shape(then),
                shape(otherwise)
            )
        }
        ExprKind::Member { base, member } => format!("{}.{member}", shape(base)),
        ExprKind::Type(t) => format!("type({})", print::type_ref(t)),
        ExprKind::Call {
            callee,
            type_args,
            args,
        } => {
            let types: String = type_args.iter().map(|t| print::type_ref(t) + ";").collect();
            let args: Vec<String> = args
                .iter()
                .map(|a| a.value.as_ref().map_or("_".into(), shape))
                .collect();
            format!("{}[{types}]({})", shape(callee), args.join(", "))
        }
        ExprKind::Construct { ty, args } => format!("new {}({})", print::type_ref(ty), args.len()),
        _ => print::expression(e),
    }
}

#[test]
fn precedence_is_the_reference_grammars() {
    assert_eq!(expr("a + b * c - d"), "((a + (b * c)) - d)");
    assert_eq!(expr("a | b ^ c & d == e"), "((a | (b ^ (c & d))) == e)");
    assert_eq!(expr("a == b < c << d ++ e"), "(a == (b < (c << (d ++ e))))");
    assert_eq!(expr("a >> b >> c > d >= e"), "((((a >> b) >> c) > d) >= e)");
    assert_eq!(expr("a || b && c || d"), "((a || (b && c)) || d)");
    assert_eq!(expr("a |+| b |-| c"), "((a |+| b) |-| c)");
    assert_eq!(expr("-a.b[3] * !c"), "((-a.b[3]) * (!c))");
    assert_eq!(expr("- -a + ~+b"), "((-(-a)) + (~(+b)))");
    assert_eq!(expr("a ? b : c ? d : e"), "((a ? b : c) ? d : e)");
    assert_eq!(expr("a ? b ? c : d : e"), "(a ? (b ? c : d) : e)");
    assert_eq!(expr("a || b ? c + 1 : d"), "((a || b) ? (c + 1) : d)");
    assert_eq!(expr("(a + b) * c"), "((a + b) * c)");
}

#[test]
fn types_decide_the_meaning() {
    assert_eq!(expr("(T) - a"), "(cast T (-a))");
    assert_eq!(expr("(f) - a"), "(f - a)");
    assert_eq!(expr("(bit<8>) a + b"), "((cast bit<8> a) + b)");
    assert_eq!(
        expr("(bit<(W + 1)>) (int) a.b"),
        "(cast bit<(W + 1)> (cast int a.b))"
    );
    assert_eq!(expr("(G<T>) a"), "(cast G<T> a)");
    assert_eq!(expr("(T.x)"), "type(T).x");
    assert_eq!(expr("(error.x)"), "type(error).x");
    assert_eq!(expr("T(a)"), "new T(1)");
    assert_eq!(expr("G<bit<8>>(1, _)"), "new G<bit<8>>(2)");
    assert_eq!(expr(".T(a)"), "new .T(1)");
    assert_eq!(expr(".f(a)"), ".f[](a)");
    assert_eq!(expr("f<T>(a)"), "f[T;](a)");
    assert_eq!(expr("f < a > (b)"), "((f < a) > b)");
    assert_eq!(
        expr("f<bit<8>, _>(a).g<G<T>>()"),
        "f[bit<8>;_;](a).g[G<T>;]()"
    );
    assert_eq!(expr("a < T.x"), "(a < type(T).x)");
    assert_eq!(
        expr("a.f<tuple<bit<4>, list<T>>>(x = 3)"),
        "a.f[tuple<bit<4>, list<T>>;](3)"
    );
}

#[test]
fn shift_and_angles() {
    assert_eq!(expr("a >> 2"), "(a >> 2)");
    let m = messages("const bool x = a > > 2;");
    assert_eq!(
        m,
        ["t.p4:1:20: error: syntax error, unexpected \">\", expecting an expression"]
    );
    ok("action a() { x >>= 2; x <<= y >> 1; }");
}

#[test]
fn literals() {
    for s in [
        "0",
        "8w255",
        "4s0b1010",
        "0x1f",
        "0o17",
        "\"a\\\"b\\\\\\n\"",
        "true",
        "...",
        "this",
        "{#}",
    ] {
        assert_eq!(expr(s), s);
    }
    assert_eq!(expr("16w0xFF_00"), "16w0xff00");
    assert_eq!(expr("{ 1, { 2 }, ... }"), "{ 1, { 2 }, ... }");
    assert_eq!(
        expr("{ a = 1, b = { c = 2, ... }, }"),
        "{ a = 1, b = { c = 2, ... } }"
    );
    assert_eq!(expr("{}"), "{  }");
    assert_eq!(expr("x[7:0][3+:2][1]"), "x[7:0][3+:2][1]");
    assert!(
        messages("const int x = 8x3;")[0]
            .contains("invalid digit 'x' in a decimal integer literal")
    );
}

#[test]
fn types() {
    ok("struct S { bool a; bit b; bit<8> c; bit<(1+2)> d; int e; int<4> f; varbit<32> g; error h; string i;
        match_kind j; tuple<bit<1>, bool> k; list<S> l; S[4] m; tuple<> n; }
        struct P<T, U> { T t; U u; } struct Q { P<bit<8>, .S> p; P<_, void> q; P<S, S>[(2)] r; }
        typedef bit<9> A; type A B; typedef struct X { bit<8> y; } Y; typedef P<A, B> C;");
    ok(
        "enum E { a, b } enum bit<8> F { a = 1, b = 2, } enum A { x, } error { e1, e2 } match_kind { m1, m2, }",
    );
    ok("header H<T> { @a T t; } header_union U { H<bit<8>> a; } @x @y(1) header Z {}");
}

#[test]
fn externs_and_functions() {
    let p = ok("extern E<T, U> { E(bit<8> size, @optional in T t); @pure T get<V>(in V v, out U u = 3); void f();
        abstract bit<8> g(inout T x); }
        extern void ext<T>(in T x); @a extern E<bit<8>, bool> make(); extern T gen<T>();
        bit<8> fun<T>(in T a, bit<8> b) { return b; } void nothing() { return; }
        E<bit<8>, bool>(4) top; @n E<bit<8>, bool>(size = 4, t = _) abs = { bit<8> g(inout bit<8> x) { return this.h(x); }
        E<bit<8>, bool>(4) inner; };");
    let Decl::Extern(e) = &p.decls[0] else {
        panic!()
    };
    let kinds: Vec<MethodKind> = e.methods.iter().map(|m| m.kind).collect();
    assert_eq!(
        kinds,
        [
            MethodKind::Constructor,
            MethodKind::Method,
            MethodKind::Method,
            MethodKind::Abstract
        ]
    );
    assert!(matches!(p.decls[1], Decl::ExternFunction(_)));
    assert!(matches!(p.decls[4], Decl::Function(_)));
    assert!(matches!(p.decls[6], Decl::Instantiation(_)));
}

#[test]
fn parsers() {
    let p = ok("parser PT<H>(packet_in b, out H h);
        parser P(packet_in b, out H h)(bit<8> c, bool d) {
            const bit<8> K = 3; bit<8> v; bit<8> w = 4; Sub(3) sub; value_set<bit<16>>(4) vs; @n value_set<tuple<bit<8>, bit<4>>>(K) vt;
            value_set<S>(2) vu;
            @s state start { b.extract(h.e); h.f = 1; ; bit<8> x = 2; const bool y = true; { x = 1; } if (y) x = 2; else { }
                Sub.apply(b); transition select(h.a, h.b) {
                (0x800, _): ip; (1 &&& 2, 3 .. 4): ip; (default, x + 1): accept; default: reject; _: ip; vs: ip; (a) + 2: ip;
                (1 &&& 0xf): ip; (_): ip; (bit<8>) 3: ip; 1 .. 2: ip; E.a: ip; (E.a, T.b): ip;
            } }
            state ip { transition accept; } state done { }
        } header H {} extern Sub { Sub(bit<8> x); void apply(); } enum E { a } enum T { b }");
    let Some(Decl::Parser(d)) = p.decls.get(1) else {
        panic!()
    };
    assert_eq!(
        (d.locals.len(), d.states.len(), d.constructor_params.len()),
        (7, 3, 2)
    );
    let Some(Transition::Select {
        subjects, cases, ..
    }) = &d.states[0].transition
    else {
        panic!()
    };
    assert_eq!((subjects.len(), cases.len()), (2, 13));
    assert!(matches!(&cases[6].keyset.kind, KeysetKind::Expr(_)));
    assert!(matches!(&cases[7].keyset.kind, KeysetKind::Tuple(l) if l.len() == 1));
}

#[test]
fn controls() {
    let p = ok("header H {} header T {} extern Counter { Counter(bit<8> n); } enum E { a } control Other(inout H h);
        control Gen<X>(inout H h); control CT<H, M>(inout H h, M m); package Pk<H>(CT<H, H> c, @optional bool b = true);
        control C(inout H h)() {
            bit<8> x = 1; const bool t = true; Counter(8) cnt; @hidden action a(in bit<8> p, bit<8> q) { h.x = p + q; exit; }
            action b() {}
            @name(\"tab\") table t1 {
                key = { h.x: exact; h.y[3:0]: ternary @name(\"k\"); h.isValid(): exact @a @b; }
                actions = { a(1); @defaultonly NoAction; .b; b(); }
                const entries = { (1, _): a(1, 2) @x; 3 &&& 4: b; }
                const default_action = a(1, 2); size = 1024; @p const impl = Counter(3); counters = cnt; bare = x;
            }
            table t2 { actions = { b; } entries = { const priority = 3: (1, 2) : b(); priority = (x + 1): _: b; const default: b; } }
            table t3 { key = {} actions = {} }
            apply {
                @atomic { t1.apply(); }
                switch (t1.apply().action_run) { a: b: { return; } default: {} }
                switch (x) { 1: { } (2): { } E.a: { } x + 1: {} 8w3: @ann { } }
                if (t1.apply().hit) exit; else if (x == 1) ; else { x = 2; }
                if (a) if (b) ; else ;
                for (bit<8> i = 0, j = 1, k = 2; i < 3; i += 1, f(i)) { break; }
                for (; true;) continue;
                @unroll for (@x bit<8> i in 1 .. 10) x = x + i;
                for (T q in h.stack) { f(q); }
                Other.apply(h); Gen<bit<8>>.apply(h); h.stack[0].setValid(); f<bit<8>>(x); .g(); h.a.b.c(_, z = _);
                x *= 1; x /= 1; x %= 1; x += 1; x -= 1; x |+|= 1; x |-|= 1; x <<= 1; x >>= 1; x &= 1; x |= 1; x ^= 1;
                x[3:0] = 1; x[3+:2] = 1; h.s[2].f = (H) { 1 }; (x) = 2; this.m = 1;
                bit<8> local; T tt = {#}; Counter(4) inst; return x + 1;
            }
        }");
    let Some(Decl::Control(c)) = p.decls.get(8) else {
        panic!()
    };
    assert_eq!(c.locals.len(), 8);
    let Decl::Table(t) = &c.locals[5] else {
        panic!()
    };
    let names: Vec<&str> = t.properties.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "key",
            "actions",
            "entries",
            "default_action",
            "size",
            "impl",
            "counters",
            "bare"
        ]
    );
    assert!(t.properties[2].is_const && !t.properties[4].is_const);
}

#[test]
fn types_declared_before_use_matter() {
    let p = ok(
        "extern K { K(bit<8> x); void apply(); } control D(bit<8> b);
        control C() { K(1) k; apply { D.apply(1); k.apply(); K(2) l; } }",
    );
    let Some(Decl::Control(c)) = p.decls.get(2) else {
        panic!()
    };
    let StmtKind::Call(call) = &c.body.stmts[0].kind else {
        panic!()
    };
    let ExprKind::Call { callee, .. } = &call.kind else {
        panic!()
    };
    assert!(
        matches!(&callee.kind, ExprKind::Member { base, .. } if matches!(base.kind, ExprKind::Type(_)))
    );
    assert!(matches!(c.body.stmts[2].kind, StmtKind::Instantiation(_)));
    // An object hides the type of its name in its scope only.
    let p = ok(
        "header T {} control C(in bit<8> T) { apply { bit<8> y = (T) - 1; } } const int z = (T) - 1;",
    );
    let Some(Decl::Control(c)) = p.decls.get(1) else {
        panic!()
    };
    let StmtKind::Var(v) = &c.body.stmts[0].kind else {
        panic!()
    };
    assert!(matches!(
        v.init.as_ref().map(|e| &e.kind),
        Some(ExprKind::Binary { .. })
    ));
    let Some(Decl::Const(z)) = p.decls.get(2) else {
        panic!()
    };
    assert!(matches!(z.value.kind, ExprKind::Cast { .. }));
}

#[test]
fn contextual_words_are_names() {
    ok("control C(in bit<8> key, in bit<8> entries) { bit<8> type; action state(bit<8> priority) { type = priority; }
        table actions { actions = { state; } key = { key: exact; type: exact; } } apply { actions.apply(); } }
        const bit<8> list = 1; struct S { bit<8> apply; bit<8> type; bit<8> list; }
        bit<8> priority(in bit<8> state) { return entries.key.actions; } type bit<9> P;");
}

#[test]
fn annotations() {
    let p = ok("@a @b() @c(x, (y) \"s\" >> 1 # ; ) @name(\"n\") @d[] @e[1, a + b,] @f[k = 1, l = \"x\"] @title(\"p\" \"q\")
        const bit<8> x = 1;\n@pragma  stuff here 12\n@pragma z\nconst bit<8> y = 1;");
    let Decl::Const(c) = &p.decls[0] else {
        panic!()
    };
    assert_eq!(c.annotations.len(), 8);
    assert_eq!(c.annotations[3].string().as_deref(), Some("n"));
    assert_eq!(c.annotations[7].string().as_deref(), Some("pq"));
    assert_eq!(c.annotations[0].string(), None);
    assert!(matches!(&c.annotations[2].body, AnnotationBody::Unstructured(t) if t.len() == 10));
    assert!(find_annotation(&c.annotations, "f").is_some());
    let Decl::Const(c) = &p.decls[1] else {
        panic!()
    };
    assert!(matches!(&c.annotations[0].body, AnnotationBody::Pragma(t) if t.len() == 2));
}

#[test]
fn annotation_expressions() {
    let p = ok("@id(0x81000001, a >> 1) const bit<8> x = 1;");
    let Decl::Const(c) = &p.decls[0] else {
        panic!()
    };
    let AnnotationBody::Unstructured(tokens) = &c.annotations[0].body else {
        panic!()
    };
    let list = super::parse_annotation_expressions(tokens).expect("expressions");
    assert_eq!(
        list.iter().map(shape).collect::<Vec<_>>(),
        ["0x81000001", "(a >> 1)"]
    );
    assert_eq!(super::parse_annotation_expressions(&[]), Ok(vec![]));
    assert!(super::parse_annotation_expressions(&tokens[..2]).is_err());
}

#[test]
fn library_files() {
    let p = ok("#include <core.p4>\n#include <v1model.p4>\n");
    let metadata = p.decls.iter().find_map(|d| match d {
        Decl::Struct(s) if s.name.as_str() == "standard_metadata_t" => Some(s),
        _ => None,
    });
    let fields: Vec<String> = metadata
        .expect("standard_metadata_t")
        .fields
        .iter()
        .map(|f| format!("{} {}", print::type_ref(&f.ty), f.name))
        .collect();
    assert_eq!(
        fields,
        [
            "bit<9> ingress_port",
            "bit<9> egress_spec",
            "bit<9> egress_port",
            "bit<32> instance_type",
            "bit<32> packet_length",
            "bit<32> enq_timestamp",
            "bit<19> enq_qdepth",
            "bit<32> deq_timedelta",
            "bit<19> deq_qdepth",
            "bit<48> ingress_global_timestamp",
            "bit<48> egress_global_timestamp",
            "bit<16> mcast_grp",
            "bit<16> egress_rid",
            "bit<1> checksum_error",
            "error parser_error",
            "bit<3> priority",
        ]
    );
    ok("#define V1MODEL_VERSION 20200408\n#include <v1model.p4>\n");
}

#[test]
fn golden_errors() {
    assert_eq!(
        errors("struct S {\n    bit<8> a\n    bit<8> b;\n}\n"),
        "t.p4:3:5: error: syntax error, unexpected keyword \"bit\", expecting \";\"\n    bit<8> b;\n    ^~~\n\
         t.p4:2:12: note: \";\" may be missing after this\n    bit<8> a\n           ^\n"
    );
    assert_eq!(
        errors("control C() {\n\tapply { x = y + ; }\n}\n"),
        "t.p4:2:18: error: syntax error, unexpected \";\", expecting an expression\n\tapply { x = y + ; }\n\
         \t                ^\n"
    );
    assert_eq!(
        errors("#define TWICE(x) x x\nconst bit<8> y = TWICE(3 );\n"),
        "t.p4:2:24: error: syntax error, unexpected integer \"3\", expecting \";\"\n\
         const bit<8> y = TWICE(3 );\n                       ^\n"
    );
    assert_eq!(
        errors("#define BAD 1 +\nconst bit<8> y = BAD;\n"),
        "t.p4:2:21: error: syntax error, unexpected \";\", expecting an expression\nconst bit<8> y = BAD;\n\
         \x20                   ^\n"
    );
    assert_eq!(
        errors("#define BAD ] 1\nconst bit<8> y = BAD;\n"),
        "t.p4:2:18: error: syntax error, unexpected \"]\", expecting an expression\nconst bit<8> y = BAD;\n\
         \x20                ^~~\nt.p4:1:13: note: in expansion of macro 'BAD'\n#define BAD ] 1\n            ^\n"
    );
}

#[test]
fn error_messages() {
    for (source, message) in [
        (
            "control C() { }",
            "1:13: error: control 'C' has no apply block",
        ),
        ("parser P() { }", "1:12: error: parser 'P' has no states"),
        (
            "control C() { apply {",
            "1:22: error: syntax error, unexpected end of file, expecting \"}\"",
        ),
        (
            "const bit<W> x = 1;",
            "1:11: error: width must be an integer literal or an expression in parentheses: (W)",
        ),
        (
            "const bit<8>= 1;",
            "1:12: error: syntax error, unexpected \">=\": write a space between \">\" and \"=\"",
        ),
        (
            "control C() { apply { 1 = x; } }",
            "1:23: error: syntax error, unexpected integer \"1\", expecting a statement",
        ),
        (
            "control C() { apply { f(x) = 2; } }",
            "1:23: error: this expression cannot be assigned to",
        ),
        (
            "control C() { apply { f()(); } }",
            "1:23: error: this expression cannot be called as a statement",
        ),
        (
            "control C() { apply { foo(1) x; } }",
            "1:30: error: syntax error, unexpected identifier \"x\", expecting \";\"",
        ),
        (
            "control C() { apply { x; } }",
            "1:24: error: syntax error, unexpected \";\", expecting an assignment or a call",
        ),
        (
            "enum E { }",
            "1:10: error: syntax error, unexpected \"}\", expecting identifier",
        ),
        (
            "error { a, }",
            "1:12: error: syntax error, unexpected \"}\", expecting identifier",
        ),
        (
            "frob",
            "1:5: error: syntax error, unexpected end of file, expecting identifier",
        ),
        (
            "}",
            "1:1: error: syntax error, unexpected \"}\", expecting a declaration",
        ),
        (
            "const bit<8> $ = 1;",
            "1:14: error: syntax error, unexpected character '$', expecting identifier",
        ),
        (
            "@a(x const bit<8> y = 1;",
            "1:3: error: \"(\" of an annotation is never closed",
        ),
        (
            "extern E { F(); }",
            "1:12: error: constructor of 'E' must have its name, or 'F' lacks a type",
        ),
        (
            "parser P() { state s { return; } }",
            "1:24: error: syntax error, unexpected keyword \"return\", expecting a statement",
        ),
        (
            "control C() { table t { } apply { } }",
            "1:25: error: syntax error, unexpected \"}\", expecting a table property",
        ),
        (
            "control C() { table t { const key = { } } apply { } }",
            "1:31: error: syntax error, unexpected keyword \"key\", expecting \"entries\" or another table property \
             after \"const\"",
        ),
        (
            "header T {} const int x = T;",
            "1:28: error: syntax error, unexpected \";\", expecting \".\" or \"(\" after a type's name",
        ),
    ] {
        assert_eq!(messages(source), [format!("t.p4:{message}")], "{source}");
    }
}

#[test]
fn several_errors_in_one_run() {
    let m = messages(
        "struct S {\n  bit<8 a;\n  bit<8> b;\n  bit<> c;\n}\nconst bit<8> x 1;\ncontrol C() {\n  action a( { }\n  \
         table t {\n    key = { a exact; }\n    actions = { b }\n    size = ;\n  }\n  apply {\n    x = ;\n    if x { }\n    \
         y = 1 }\n  }\n}\nheader H {} junk\nconst bit<8> z = ];\n",
    );
    let places: Vec<&str> = m
        .iter()
        .map(|l| l.split(": error").next().unwrap_or(""))
        .collect();
    assert_eq!(
        places,
        [
            "t.p4:2:9",
            "t.p4:4:7",
            "t.p4:6:16",
            "t.p4:8:13",
            "t.p4:10:15",
            "t.p4:11:19",
            "t.p4:12:12",
            "t.p4:15:9",
            "t.p4:16:8",
            "t.p4:17:11",
            "t.p4:19:1",
            "t.p4:21:1",
            "t.p4:21:18",
        ],
        "{m:#?}"
    );
}

#[test]
fn recovery_keeps_to_the_braces() {
    let m = messages(
        "control C() {\n  table t { }\n  action a() { x = { 1 + }; y = ]; }\n  apply {\n    x = { 1, ] };\n    if (x) { y = (; }\n  }\n}\n\
         const int z = ;\n",
    );
    let places: Vec<&str> = m
        .iter()
        .map(|l| l.split(": error").next().unwrap_or(""))
        .collect();
    assert_eq!(
        places,
        [
            "t.p4:2:13",
            "t.p4:3:26",
            "t.p4:3:33",
            "t.p4:5:14",
            "t.p4:6:19",
            "t.p4:9:15"
        ],
        "{m:#?}"
    );
}

#[test]
fn too_many_errors_stop() {
    let text = errors(&"const bit<8> = 1;\n".repeat(100));
    assert!(text.contains("too many errors"), "{text}");
    assert_eq!(text.lines().filter(|l| l.contains(": error: ")).count(), 20);
}

#[test]
fn deep_nesting_is_refused_without_overflow() {
    let deep = |open: &str, middle: &str, close: &str| {
        format!(
            "header T {{}} const bit<8> x = {}{middle}{};",
            open.repeat(20_000),
            close.repeat(20_000)
        )
    };
    let run = move || {
        for source in [
            deep("(", "1", ")"),
            deep("-", "1", ""),
            deep("(T)", "1", ""),
            deep("{", "1", "}"),
            deep("f(", "1", ")"),
            deep("a[", "1", "]"),
            deep("1 +", "1", ""),
            deep("", "a", ".b"),
            deep("", "a", "()"),
            deep("a ? b : ", "1", ""),
            deep("a ? ", "1", ": 1"),
            deep("a || b && c | d ^ e & f << g + h * (", "1", ")"),
            deep("f<T>(a + b + c + ", "1", ")"),
            deep("(bit<(1 + ", "1", ")>) x"),
            deep("T(a < T < ", "1", ")"),
            format!(
                "struct S {{ {} bit<8> {} x; }}",
                "tuple<".repeat(20_000),
                ">".repeat(20_000)
            ),
            format!("struct S {{ bit<8>{} x; }}", "[1]".repeat(20_000)),
            format!(
                "control C() {{ apply {} {} }}",
                "{".repeat(20_000),
                "}".repeat(20_000)
            ),
            format!(
                "control C() {{ apply {{ {} ; }} }}",
                "if (x) ".repeat(20_000)
            ),
            format!(
                "control C() {{ apply {{ if (x) ; {} }} }}",
                "else if (x) ; ".repeat(20_000)
            ),
            format!(
                "control C() {{ apply {{ {} ; }} }}",
                "for (;x;) ".repeat(20_000)
            ),
            format!(
                "control C() {{ apply {{ {} }} }}",
                "switch (x) { 1: { ".repeat(20_000)
            ),
            format!("@a{} const bit<8> x = 1;", "(".repeat(20_000)),
            format!("E(1) e = {{ {}", "E(1) e = { ".repeat(20_000)),
        ] {
            let parsed = parse(&source);
            assert!(parsed.diagnostics.has_errors(), "{}", &source[..60]);
            let _ = format!("{:-?}", parsed.program.clone());
        }
        // What is allowed is usable.
        let chain = |n: usize| format!("const bit<8> x = 1{};", " + 1".repeat(n));
        ok(&chain(super::MAX_TREE_DEPTH as usize - 1));
        ok(&format!(
            "const bit<8> x = {}1{};",
            "(".repeat(100),
            ")".repeat(100)
        ));
        ok(&format!(
            "const bit<8> x = {}1{};",
            "f(a[".repeat(50),
            "])".repeat(50)
        ));
        ok(&format!(
            "control C() {{ apply {{ if (x) ; {} }} }}",
            "else if (x) { y = 1; } ".repeat(100)
        ));
    };
    // The stack a thread has by default.
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(run)
        .expect("thread")
        .join()
        .expect("no overflow");
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    const WORDS: &[&str] = &[
        "abstract",
        "action",
        "actions",
        "apply",
        "bit",
        "bool",
        "const",
        "control",
        "default",
        "else",
        "entries",
        "enum",
        "error",
        "exit",
        "extern",
        "false",
        "for",
        "header",
        "header_union",
        "if",
        "in",
        "inout",
        "int",
        "key",
        "list",
        "match_kind",
        "out",
        "package",
        "parser",
        "priority",
        "return",
        "select",
        "state",
        "string",
        "struct",
        "switch",
        "table",
        "this",
        "transition",
        "true",
        "tuple",
        "type",
        "typedef",
        "value_set",
        "varbit",
        "void",
        "_",
        "T",
        "x",
        "f",
        "8",
        "4w3",
        "\"s\"",
        "|+|=",
        "&&&",
        "...",
        "|+|",
        "<<",
        "{#}",
        "..",
        "<=",
        ">=",
        "==",
        "&&",
        "||",
        "++",
        "+=",
        "+:",
        "+",
        "-",
        "*",
        "/",
        "%",
        "|",
        "&",
        "^",
        "~",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "!",
        ":",
        ",",
        "?",
        ".",
        "=",
        ";",
        "@",
        "#",
        "\n",
        "start",
        "accept",
    ];

    /// Sensible programs made of random parts.
    fn expression() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec![
            "x", "8w3", "-1", "true", "\"s\"", "T.a", "error.b", ".g", "this", "{#}", "...", "h.f",
            "s[3]", "b[7:0]", "b[x+:4]",
        ])
        .prop_map(str::to_string);
        leaf.prop_recursive(6, 40, 4, |inner| {
            let op = prop::sample::select(vec![
                "+", "-", "*", "/", "%", "|+|", "|-|", "<<", ">>", "<", ">", "<=", ">=", "==",
                "!=", "&", "|", "^", "&&", "||", "++",
            ]);
            prop_oneof![
                (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
                inner.clone().prop_map(|a| format!("({a})")),
                (
                    prop::sample::select(vec!["!", "~", "-", "+", "(bit<8>)", "(T)", "(G<T>)"]),
                    inner.clone()
                )
                    .prop_map(|(op, a)| format!("{op} {a}")),
                (
                    prop::sample::select(vec!["f", "f<T>", "x.m<bit<8>, _>", "T", "G<bit<8>>"]),
                    inner.clone(),
                    inner.clone()
                )
                    .prop_map(|(f, a, b)| format!("{f}({a}, k = {b})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{ {a}, {b} }}")),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| format!("{{ k = {a}, l = {b}, ... }}")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})[{b}].m")),
            ]
        })
    }

    proptest! {
        #[test]
        fn expressions_round_trip(e in expression(), k in expression()) {
            ok(&format!(
                "header T {{}} extern G<A> {{ G(); }} const bool y = {e};
                 control C() {{ table t {{ key = {{ {k}: exact; }} actions = {{}} const entries = {{ {e}: f({k}); ({e}, {k}): f; }} }}
                 apply {{ switch ({k}) {{ ({e}): {{}} ({e}) + x: {{}} }} x = {e}; if ({e}) f({k}); return {k}; }} }}"
            ));
        }

        #[test]
        fn token_soup_never_panics(words in prop::collection::vec(prop::sample::select(WORDS), 0..80), glue in prop::bool::ANY) {
            let source = words.join(if glue { "" } else { " " });
            for prefix in ["", "header T {} control C() { apply { ", "header T {} parser P() { state start { ", "control C() { table t { "] {
                let text = format!("{prefix}{source}");
                let parsed = parse(&text);
                let _ = parsed.diagnostics.render(&parsed.sources);
                if !parsed.diagnostics.has_errors() && !text.contains('#') {
                    ok(&text);
                }
            }
        }

        #[test]
        fn any_text_never_panics(source in "\\PC*") {
            let parsed = parse(&source);
            let _ = parsed.diagnostics.render(&parsed.sources);
        }

        #[test]
        fn cut_and_changed_programs_never_panic(cut in 0usize..12_000, insert in prop::sample::select(WORDS), len in 0usize..40) {
            let source = include_str!("../../p4include/v1model.p4");
            let at = |n: usize| (0..=n.min(source.len())).rev().find(|i| source.is_char_boundary(*i)).unwrap_or(0);
            let (lo, hi) = (at(cut), at(cut + len));
            let parsed = parse(&format!("{} {insert} {}", &source[..lo], &source[hi..]));
            let _ = parsed.diagnostics.render(&parsed.sources);
            let _ = print::program(&parsed.program);
        }
    }
}
