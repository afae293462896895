// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

use super::*;

struct Run {
    text: String,
    errors: String,
    emitted: String,
}

fn run_with(options: &Options, source: &str) -> Run {
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let stream = preprocess_text(&mut sources, "t.p4", source, options, &mut diagnostics);
    let words: Vec<&str> = stream
        .tokens
        .iter()
        .map(|t| &*t.text)
        .filter(|t| !t.is_empty())
        .collect();
    Run {
        text: words.join(" "),
        errors: diagnostics.render(&sources),
        emitted: render_preprocessed(&sources, &stream),
    }
}

fn options() -> Options {
    Options {
        use_file_system: false,
        ..Options::default()
    }
}

/// The tokens of a text that has no errors; `-E` and preprocessing again must give the same.
fn ok(source: &str) -> String {
    let r = run_with(&options(), source);
    assert_eq!(r.errors, "", "in {source}");
    let again = run_with(&options(), &r.emitted);
    assert_eq!(again.text, r.text, "{}", r.emitted);
    r.text
}

fn errors(source: &str) -> String {
    run_with(&options(), source).errors
}

#[test]
fn object_macros() {
    assert_eq!(
        ok("#define A 1\n#define B A + A\nB; A;\n#undef A\nA"),
        "1 + 1 ; 1 ; A"
    );
    assert_eq!(ok("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(ok("#define EMPTY\nx EMPTY y"), "x y");
}

#[test]
fn function_macros() {
    assert_eq!(
        ok("#define F(x, y) x*(y)\nF(1, (a,b)) F (2,\n3) F"),
        "1 * ( ( a , b ) ) 2 * ( 3 ) F"
    );
    assert_eq!(ok("#define F() z\nF( )"), "z");
    assert_eq!(ok("#define F(x) <x>\nF()"), "< >");
    assert_eq!(
        ok("#define F(x) F(x) x\nF(F(1))"),
        "F ( F ( 1 ) 1 ) F ( 1 ) 1"
    );
    assert_eq!(
        ok("#define OBJ (1)\n#define OBJ2 F\n#define F(x) [x]\nOBJ OBJ2(2)"),
        "( 1 ) [ 2 ]"
    );
    assert_eq!(
        ok("#define V(a, ...) a{__VA_ARGS__}\nV(1,2,3) V(1)"),
        "1 { 2 , 3 } 1 { }"
    );
    assert_eq!(
        ok("#define V(a, ...) f(a, ##__VA_ARGS__)\nV(1) V(1,2)"),
        "f ( 1 ) f ( 1 , 2 )"
    );
}

#[test]
fn standard_rescanning_example() {
    // C11 6.10.3.5, example 3.
    let defs = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n\
                #define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n\
                #define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n";
    assert_eq!(
        ok(&format!("{defs}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);")),
        "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;"
    );
    assert_eq!(
        ok(&format!("{defs}g(x+(3,4)-w) | h 5) & m\n(f)^m(m);")),
        "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;"
    );
    assert_eq!(
        ok(&format!(
            "{defs}p() i[q()] = {{ q(1), r(2,3), r(4,), r(,5), r(,) }};"
        )),
        "int i [ ] = { 1 , 23 , 4 , 5 , } ;"
    );
}

#[test]
fn stringize_and_paste() {
    assert_eq!(ok("#define S(x) #x\nS(a  + \"b\")"), r#""a + \"b\"""#);
    assert_eq!(
        ok("#define C(a,b) a##b\n#define N 8\nC(8w,255) C(x,N) C(<,<)"),
        "8w255 xN <<"
    );
    assert_eq!(
        ok("#define C(a) pre_##a##_post\nC(mid) C()"),
        "pre_mid_post pre__post"
    );
    // What makes no token together stays apart, as in assembly.
    assert_eq!(
        ok("#define C(a,b) a##b\nC(;,x) C(/,/) C(/,*)"),
        "; x / / / *"
    );
    assert_eq!(
        run_with(&options(), "#define C(a,b) a##b\nC(>,>) C(> , >)").emitted,
        "# 2 \"t.p4\"\n  >> >>\n"
    );
}

#[test]
fn conditionals() {
    assert_eq!(
        ok("#if 0\n#if 1\na\n#else\nb\n#endif\n'\"#elif 1\nc\n#else\nd\n#endif"),
        "d"
    );
    assert_eq!(
        ok("#if 0\nx\n#elif 2 > 1\nc\n#elif 1\ne\n#else\nd\n#endif"),
        "c"
    );
    assert_eq!(
        ok(
            "#define A\n#ifdef A\n1\n#endif\n#ifndef A\n2\n#endif\n#if defined(A) && !defined B\n3\n#endif"
        ),
        "1 3"
    );
    for (expression, value) in [
        ("1 + 2 * 3 == 7", true),
        ("(1 ? 0 : 1) || 0", false),
        ("0 && 1 / 0", false),
        ("1 || 1 % 0", true),
        ("-1 >> 1 == -1", true),
        ("1 << 4 == 0x10", true),
        ("~0 == -1 && !0", true),
        ("010 == 8 && 0b11 == 3 && 10UL == 10", true),
        ("5 / 2 == 2 && -5 % 3 == -2", true),
        ("UNKNOWN", false),
        ("1 ? 2 ? 0 : 1 : 1", false),
        ("(3 & 6) == 2 && (3 | 6) == 7 && (3 ^ 6) == 5", true),
        ("2 <= 1 || 1 >= 2", false),
        ("1 << 100", false),
    ] {
        let text = ok(&format!("#if {expression}\nyes\n#else\nno\n#endif"));
        assert_eq!(text, if value { "yes" } else { "no" }, "{expression}");
    }
}

#[test]
fn conditional_errors() {
    assert_eq!(
        errors("#if 1 / 0\n#endif"),
        "t.p4:1:7: error: #if: division by zero\n#if 1 / 0\n      ^\n"
    );
    assert!(errors("a\n#if 1\nb").starts_with("t.p4:2:1: error: unterminated conditional"));
    assert!(errors("#endif").contains("#endif without #if"));
    assert!(errors("#else").contains("#else without #if"));
    assert!(errors("#if 1\n#else\n#else\n#endif").contains("#else after #else"));
    assert!(errors("#if 1\n#else\n#elif 1\n#endif").contains("#elif after #else"));
    assert!(errors("#if\n#endif").contains("#if with no expression"));
    assert!(errors("#if 1 +\n#endif").contains("ends too early"));
    assert!(errors("#if (1\n#endif").contains("missing ')'"));
    assert!(errors("#if defined(\n#endif").contains("requires an identifier"));
    assert!(errors("#if 1 2\n#endif").contains("unexpected \"2\""));
    assert!(errors(&format!("#if {}1\n#endif", "(".repeat(5000))).contains("too deeply"));
    assert!(errors(&format!("#if {}1\n#endif", "-".repeat(5001))).contains("too deeply"));
}

#[test]
fn other_errors() {
    assert_eq!(
        errors("x\n  #error no \"good'\n"),
        "t.p4:2:10: error: #error no \"good'\n  #error no \"good'\n         ^~~~~~~~~\n"
    );
    assert!(
        errors("#warning hm")
            .starts_with("t.p4:1:10: [--Wwarn=preprocessor] warning: #warning hm\n")
    );
    assert!(errors("#frob").contains("invalid preprocessing directive #frob"));
    assert!(errors("#define").contains("no macro name"));
    assert!(errors("#define 1").contains("must be identifiers"));
    assert!(errors("#define F(a").contains("expected ')'"));
    assert!(errors("#define F(a,a) a").contains("duplicate"));
    assert!(errors("#define F(a b) a").contains("expected parameter name"));
    assert!(errors("#define F(a) #b").contains("not followed by a macro parameter"));
    assert!(errors("#define F a ##").contains("either end"));
    assert!(errors("#define A 1\n#define A 2").contains("redefined"));
    assert!(errors("#define F(a,b) a\nF(1)").contains("takes 2 arguments, but 1 given"));
    assert!(errors("#define F(a) a\nF(1").contains("unterminated argument list"));
    assert!(errors("a /* b").contains("t.p4:1:3: error: unterminated comment"));
    assert!(errors("a \"b").contains("unterminated string literal"));
    assert!(errors("#include <nowhere.p4>").contains("nowhere.p4: no such file or directory"));
    assert!(errors("#include nowhere").contains("#include expects"));
    assert!(errors("#line x").contains("#line expects"));
}

#[test]
fn lines() {
    let r = run_with(
        &options(),
        "#define L __LINE__ __FILE__\nL\n#line 40 \"o.p4\"\nL\n\n# 7\nL",
    );
    assert_eq!(r.errors, "");
    assert_eq!(r.text, "2 \"t.p4\" 40 \"o.p4\" 7 \"o.p4\"");
    assert!(errors("#line 40 \"o.p4\"\n\n #nix").starts_with("o.p4:41:3: error"));
}

#[test]
fn includes() {
    let mut o = options();
    o.include_dirs.push("inc".into());
    o.files
        .insert("a.p4".into(), "#pragma once\nA\n#include <b.p4>\n".into());
    o.files.insert(
        "inc/b.p4".into(),
        "#ifndef B\n#define B\nB_ \"x\n#include \"c.p4\"\n#endif\n".into(),
    );
    o.files.insert("inc/c.p4".into(), "C\n#nix\n".into());
    let r = run_with(
        &o,
        "#define NAME \"a.p4\"\n#include NAME\n#include \"a.p4\"\n#include <b.p4>\nend",
    );
    assert_eq!(r.text, "A B_ \"x\" C end");
    assert_eq!(
        r.errors,
        "inc/b.p4:3:4: error: unterminated string literal\nB_ \"x\n   ^~\n  included from a.p4:3\n  included from t.p4:2\n\
         inc/c.p4:2:2: error: invalid preprocessing directive #nix\n#nix\n ^~~\n  included from inc/b.p4:4\n  \
         included from a.p4:3\n  included from t.p4:2\n"
    );
}

#[test]
fn limits() {
    let mut o = options();
    o.files.insert("t.p4".into(), "#include \"t.p4\"\n".into());
    assert!(
        run_with(&o, "#include \"t.p4\"\n")
            .errors
            .contains("#include nested more than 200 deep")
    );
    o.max_tokens = 1000;
    o.files.insert(
        "u.p4".into(),
        "a\n#include \"u.p4\"\n#include \"u.p4\"\n".into(),
    );
    assert!(
        run_with(&o, "#include \"u.p4\"\n")
            .errors
            .contains("program too large")
    );
    let mut bomb = String::from("#define A0 x x\n");
    for i in 1..64 {
        bomb.push_str(&format!("#define A{i} A{} A{}\n", i - 1, i - 1));
    }
    o.max_tokens = 100_000;
    assert!(
        run_with(&o, &format!("{bomb}A63"))
            .errors
            .contains("program too large")
    );
    let nested = format!("#define F(x) x\n{}1{}", "F(".repeat(3000), ")".repeat(3000));
    assert!(
        run_with(&options(), &nested)
            .errors
            .contains("nested too deeply")
    );
    let mut grow = String::from("#define S0(x) #x\n");
    for i in 1..90 {
        grow.push_str(&format!("#define S{i}(x) S{}(x)\n", i - 1));
    }
    let calls: String = (0..80).map(|_| "S1(").collect();
    assert!(
        run_with(&options(), &format!("{grow}{calls}\"a\"{}", ")".repeat(80)))
            .errors
            .contains("too long")
    );
}

#[test]
fn command_line_macros() {
    let mut o = options();
    o.macros.push(MacroOption::Define("A".into()));
    o.macros.push(MacroOption::Define("F(x)=x+1".into()));
    o.macros.push(MacroOption::Define("B=2".into()));
    o.macros.push(MacroOption::Undefine("B".into()));
    assert_eq!(run_with(&o, "A F(3) B").text, "1 3 + 1 B");
}

#[test]
fn macro_places() {
    let r = run_with(&options(), "#define BAD \"open\nx\ny = BAD;\n");
    assert_eq!(
        r.errors,
        "t.p4:3:5: error: unterminated string literal\ny = BAD;\n    ^~~\n\
         t.p4:1:13: note: in expansion of macro 'BAD'\n#define BAD \"open\n            ^~~~~\n"
    );
}

#[test]
fn emitted_text() {
    let r = run_with(
        &options(),
        "#define W 8\na\n  bit<W>>b;\n#pragma keep me\n\n\n\n\n\n\n\n\n\n\n\n\nlast",
    );
    assert_eq!(
        r.emitted,
        "# 2 \"t.p4\"\na\n  bit<8>>b;\n#pragma keep me\n# 17 \"t.p4\"\nlast\n"
    );
}

#[test]
fn emitted_text_keeps_tokens_apart() {
    assert_eq!(ok("#define S /\n#define E\n/S /E/"), "/ / / /");
    assert_eq!(
        ok("#define A \\\n  \"a\\\nb\"\nA \"c\n\\\n d\" x\ny"),
        "\"ab\" \"c\n d\" x y"
    );
}

#[test]
fn lines_after_a_string_over_several() {
    let source = "x = \"a\n\n\n b\";\ny\n  #nix";
    let emitted = run_with(&options(), &source.replace("#nix", "z")).emitted;
    assert_eq!(
        emitted,
        format!("# 1 \"t.p4\"\n{}\n", source.replace("#nix", "z"))
    );
    assert!(errors(source).starts_with("t.p4:6:4: error"));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn never_panics(source in "\\PC*") {
            let _ = run_with(&options(), &source);
        }

        #[test]
        fn directive_soup_never_panics(parts in prop::collection::vec(prop::sample::select(vec![
            "#define ", "#undef ", "#if ", "#ifdef ", "#elif ", "#else", "#endif", "#include ", "#line ", "\n", "\n", "\n",
            "A", "B", "F", "(", ")", ",", "##", "#", "x", "__VA_ARGS__", "...", "1", "\"s\"", "\"", "/*", "*/", "//", "\\\n",
            "<", ">", "defined", " ", " ", "__LINE__", "&&", "?", ":", "8w", "é",
        ]), 0..60)) {
            let source: String = parts.concat();
            let o = Options { max_tokens: 5000, ..options() };
            let r = run_with(&o, &source);
            // A `#` that a macro made is no directive, but text cannot say so. The parser refuses it.
            let hash = r.text.split(' ').any(|t| t == "#");
            if r.errors.is_empty() && !hash {
                let again = run_with(&o, &r.emitted);
                prop_assert_eq!(again.text, r.text);
            }
        }
    }
}
