// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

//! The rules by which P4Info is made, one by one. What is expected was derived by hand from the named files of p4c's
//! sources; none of it is copied from what this compiler printed.

mod common;

use common::{compile_text, program};

/// P4Info of a program that it can be made for.
fn info(text: &str) -> String {
    let c = compile_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(!c.p4info_text.is_empty(), "{:?}", c.warnings);
    c.p4info_text
}

/// P4Info of a program with these declarations, locals and statements in ingress.
fn of(declarations: &str, locals: &str, body: &str) -> String {
    info(&program(declarations, locals, body))
}

/// What stands in the way of P4Info.
fn refused(declarations: &str, locals: &str, body: &str) -> String {
    let c = compile_text(&program(declarations, locals, body)).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(c.p4info_text, "");
    c.warnings.concat()
}

/// The lines without their indentation.
fn flat(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .collect();
    format!("\n{}\n", lines.join("\n"))
}

#[track_caller]
fn has(info: &str, part: &str) {
    assert!(flat(info).contains(&flat(part)), "no\n{part}\nin\n{info}");
}

/// The names of the objects of a kind, in order. Those of fields are indented alike, but come later.
fn names(info: &str, kind: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut inside = false;
    for l in info.lines() {
        if !l.starts_with(' ') {
            inside = l == format!("{kind} {{");
        }
        if inside && let Some(n) = l.strip_prefix("    name: \"") {
            out.push(n.trim_end_matches('"').to_string());
            inside = false;
        }
    }
    out
}

/// `hierarchicalNames.h`: names begin with the declared name of the control, whatever its `@name`; absolute names stay.
/// `inlining.cpp`: in between comes the instance's name.
#[test]
fn names_say_where_an_object_is() {
    let i = info(&program(
        "@name(\"x\") control Sub(inout h_t h) {
            counter(4, CounterType.bytes) c;
            table t { actions = { NoAction; } }
            @name(\".abs\") table u { actions = { NoAction; } }
            apply { c.count(0); t.apply(); u.apply(); }
        }",
        "Sub() one; @name(\"zwei\") table t { actions = { NoAction; } }",
        "one.apply(hdr.h); t.apply();",
    ));
    assert_eq!(names(&i, "tables"), ["I.one.t", "abs", "I.zwei"]);
    assert_eq!(names(&i, "counters"), ["I.one.c"]);
}

/// `directCalls.cpp`: a type that is applied directly is instantiated behind all other declarations, under its own name.
#[test]
fn a_directly_applied_control_goes_by_its_type() {
    let i = of(
        "control Sub(inout h_t h) { table t { actions = { NoAction; } } apply { t.apply(); } }",
        "table z { actions = { NoAction; } }",
        "Sub.apply(hdr.h); z.apply();",
    );
    assert_eq!(names(&i, "tables"), ["I.z", "I.Sub.t"]);
}

/// `localizeActions.cpp`: actions of the top level come first in each control that uses them, in the order of their first
/// use; without `@name` they keep their plain names, with it they belong to the control.
#[test]
fn top_level_actions_are_copied_to_the_front() {
    let i = of(
        "action g1() { } action g2() { } @name(\"given\") action g3() { }",
        "action l() { }
        table t { actions = { l; g2; } default_action = g2; }
        table u { actions = { g3; g1; g2; NoAction; } }",
        "t.apply(); u.apply();",
    );
    assert_eq!(
        names(&i, "actions"),
        ["g2", "I.given", "g1", "NoAction", "I.l"]
    );
}

/// `unusedDeclarations.cpp`: tables, actions and instances of controls that nothing uses are left out, extern objects are
/// not; `removeReturns.cpp`, `constantFolding.cpp`: neither is what is not reached.
#[test]
fn what_is_not_used_is_left_out() {
    let i = of(
        "control Never() { register<bit<8>>(2) inner; table t { actions = { NoAction; } } apply { t.apply(); } }",
        "action unused() { } action listed() { }
        table never { actions = { listed; } default_action = listed; }
        table dead { actions = { NoAction; } }
        table behind { actions = { NoAction; } }
        table t { actions = { NoAction; } }
        register<bit<8>>(4) r; Never() n;",
        "if (8w1 == 2) { dead.apply(); } t.apply(); if (hdr.h.a == 1) { return; } else { exit; } behind.apply();",
    );
    assert_eq!(names(&i, "tables"), ["I.t"]);
    assert_eq!(names(&i, "actions"), ["NoAction"]);
    assert_eq!(names(&i, "registers"), ["I.r"]);
}

/// `actionsInlining.cpp`, then `unusedDeclarations.cpp`: an action that only actions call is not there;
/// `removeActionParameters.cpp`: parameters with a direction are put in, and all of those of an action that is called.
#[test]
fn parameters_are_those_that_the_control_plane_sets() {
    let i = of(
        "",
        "action inner(inout bit<8> q) { q = 1; }
        action listed(inout bit<8> x, bit<16> n, @name(\"other\") bit<8> m) { inner(x); hdr.h.c = n; }
        action called(bit<8> v) { hdr.h.b = v; }
        table t { actions = { listed(hdr.h.a); } default_action = listed(hdr.h.a, 3, 4); }",
        "t.apply(); called(7);",
    );
    assert_eq!(names(&i, "actions"), ["I.listed", "I.called"]);
    has(
        &i,
        "params {
            id: 1
            name: \"n\"
            bitwidth: 16
        }
        params {
            id: 2
            name: \"other\"
            bitwidth: 8
        }
        }
        actions {
        preamble {
            id: 28312405",
    );
}

/// `createBuiltins.cpp`: a table without a default action has NoAction, in its list with `@defaultonly`; an initial
/// default action is told in any case, a constant one with its id besides (`addTable` of `p4RuntimeSerializer.cpp`, since
/// p4c's pull request 4773).
#[test]
fn default_actions() {
    let i = of(
        "",
        "action a(bit<12> v) { hdr.h.c = (bit<16>)v; }
        table t { key = { hdr.h.a: exact; } actions = { a; } }
        table u { actions = { a; } const default_action = a(5); size = 0; }",
        "t.apply(); u.apply();",
    );
    has(
        &i,
        "action_refs {
            id: 21257015
            annotations: \"@defaultonly\"
            scope: DEFAULT_ONLY
        }
        initial_default_action {
            action_id: 21257015
        }
        size: 1024",
    );
    // Values take as many bytes as their width asks for (stringReprConstant of bytestrings.cpp); size 0 is the default.
    has(
        &i,
        "const_default_action_id: 24592339
        initial_default_action {
            action_id: 24592339
            arguments {
                param_id: 1
                value: \"\\000\\005\"
            }
        }
        size: 1024
        }",
    );
}

/// `getConstTable`, `getHasInitialEntries`.
#[test]
fn entries_are_told_of() {
    let key = "key = { hdr.h.a: exact; } actions = { NoAction; }";
    let i = of(
        "",
        &format!(
            "table c {{ {key} const entries = {{ 1: NoAction(); }} }}
            table e {{ {key} entries = {{ 1: NoAction(); }} }}
            table n {{ {key} const entries = {{ }} }}"
        ),
        "c.apply(); e.apply(); n.apply();",
    );
    let tables: Vec<&str> = i.split("\ntables {").skip(1).collect();
    let said = |t: &str| {
        (
            t.contains("is_const_table: true"),
            t.contains("has_initial_entries: true"),
        )
    };
    let said: Vec<_> = tables.into_iter().map(said).collect();
    assert_eq!(said, [(true, true), (false, true), (true, false)]);
}

/// `tableKeyNames.cpp`: the source of simple expressions, constants as they were written or as they are, fields with their
/// `@name`.
#[test]
fn keys_without_a_name() {
    let i = of(
        "header n_t { @name(\"first\") bit<8> a; @name(\".glob\") bit<8> b; } const int HI = 6;
        struct m_t { n_t n; n_t[2] s; } control Sub(inout h_t h, inout m_t m) {
            table t { key = {
                m.n.a: exact; m.n.b: exact; m.s[1].a: exact; m.n.isValid(): exact; h.c[HI:0x2]: exact; h.c & 0xff0: ternary;
            } actions = { NoAction; } }
            apply { t.apply(); }
        }",
        "Sub() s; m_t m;",
        "s.apply(hdr.h, m);",
    );
    for name in [
        "m.n.first",
        "glob",
        "m.s[1].first",
        "m.n.$valid$",
        "h.c[6:0x2]",
        "h.c & 0xff0",
    ] {
        assert!(
            i.contains(&format!("    name: \"{name}\"\n")),
            "{name}\n{i}"
        );
    }
}

/// `FieldIdAllocator`: a field with an id of its own takes a number, too. Selector keys have an id and are not told of.
#[test]
fn ids_of_fields() {
    let i = of(
        "",
        "action_selector(HashAlgorithm.crc16, 16, 10) s;
        table t {
            key = { hdr.h.a: exact @id(3); hdr.h.b: exact; hdr.h.c: selector; hdr.h.d: exact; }
            actions = { NoAction; } implementation = s;
        }",
        "t.apply();",
    );
    let ids: Vec<&str> = i
        .split("match_fields {")
        .skip(1)
        .filter_map(|m| m.lines().nth(1))
        .map(str::trim)
        .collect();
    // b and c get 2 and 4.
    assert_eq!(ids, ["id: 3", "id: 2", "id: 5"]);
    assert!(
        refused(
            "",
            "table t { key = { hdr.h.a: exact @id(0); } actions = { NoAction; } }",
            "t.apply();"
        )
        .contains("0 is not a valid @id value")
    );
}

/// `getMatchType`, `getTypeWidth`: kinds that P4Info does not know go by name; errors have no width.
#[test]
fn kinds_and_widths_of_keys() {
    let declarations = "match_kind { fancy } control Sub(inout h_t h, in error e) {
        table t { key = { h.a: fancy; e: exact; h.isValid(): optional; } actions = { NoAction; } }
        apply { t.apply(); } }";
    // What the back end refuses has P4Info only by the command: here it is asked what P4Info says.
    let text = program(declarations, "Sub() s;", "s.apply(hdr.h, sm.parser_error);");
    let i = common::p4info(&text);
    has(
        &i,
        "match_fields {
            id: 1
            name: \"h.a\"
            bitwidth: 8
            other_match_type: \"fancy\"
        }
        match_fields {
            id: 2
            name: \"e\"
            match_type: EXACT
        }
        match_fields {
            id: 3
            name: \"h.$valid$\"
            bitwidth: 1
            match_type: OPTIONAL
        }",
    );
    // typeSpecConverter.cpp lists the errors.
    has(
        &i,
        "type_info {\nerror {\nmembers: \"NoError\"\nmembers: \"PacketTooShort\"",
    );
}

/// `addAnnotations` of `p4RuntimeArchHandler.h`, `ToP4::preorder(Annotation)`: tokens with a space between, arguments that
/// p4c parses as a list; structured ones apart, all of them.
#[test]
fn annotations_are_kept() {
    let i = of(
        "",
        "@one @two(a , {b: 0x1F} >> c) @three(\"s\\n\") @id(5) @brief(\"say \\\"b\\\"\") @four[] @five[1 + 1, \"x\", !true] @six[k = -3]
        @pragma seven eight nine
        table t { actions = { @eleven NoAction; } }",
        "t.apply();",
    );
    has(
        &i,
        "preamble {
            id: 33554437
            name: \"I.t\"
            alias: \"t\"
            annotations: \"@one\"
            annotations: \"@two(a , { b : 0x1F } > > c)\"
            annotations: \"@three(\\\"s\\\\n\\\")\"
            annotations: \"@seven(eight nine)\"
            doc {
                brief: \"say \\\\\\\"b\\\\\\\"\"
            }
            structured_annotations {
                name: \"four\"
            }
            structured_annotations {
                name: \"five\"
                expression_list {
                    expressions {
                        int64_value: 2
                    }
                    expressions {
                        string_value: \"x\"
                    }
                    expressions {
                        bool_value: false
                    }
                }
            }
            structured_annotations {
                name: \"six\"
                kv_pair_list {
                    kv_pairs {
                        key: \"k\"
                        value {
                            int64_value: -3
                        }
                    }
                }
            }
        }",
    );
    has(&i, "id: 21257015\nannotations: \"@eleven\"\n}");
    // That of core.p4 is kept, too.
    has(
        &i,
        "name: \"NoAction\"\nalias: \"NoAction\"\nannotations: \"@noWarn(\\\"unused\\\")\"",
    );
}

/// `addAction`, `addTable`: `@hidden` objects are not told of, but have ids and names of their own.
#[test]
fn hidden_objects() {
    let i = of(
        "",
        "@hidden action secret() { }
        @hidden table t { actions = { NoAction; } }
        table u { actions = { secret; NoAction; } }
        @hidden counter(4, CounterType.packets) c;",
        "t.apply(); u.apply(); c.count(0);",
    );
    assert_eq!(names(&i, "tables"), ["I.u"]);
    assert_eq!(names(&i, "actions"), ["NoAction"]);
    assert_eq!(names(&i, "counters"), ["I.c"]);
    has(&i, "action_refs {\nid: 26611561\n}");
}

/// `addPkgInfo`
#[test]
fn the_package() {
    let text = program("", "", "").replace(
        "V1Switch(",
        "@pkginfo[name = \"n\", version = \"1\", organization = \"o\", url = \"u\"]
        @platform_property(multicast_group_table_size = 512) @brief(\"b\") @extra V1Switch(",
    );
    has(
        &info(&text),
        "pkg_info {
            name: \"n\"
            version: \"1\"
            doc {
                brief: \"b\"
            }
            annotations: \"@extra\"
            arch: \"v1model\"
            organization: \"o\"
            url: \"u\"
            structured_annotations {
                name: \"pkginfo\"
                kv_pair_list {
                    kv_pairs {
                        key: \"name\"
                        value {
                            string_value: \"n\"
                        }
                    }
                    kv_pairs {
                        key: \"version\"
                        value {
                            string_value: \"1\"
                        }
                    }
                    kv_pairs {
                        key: \"organization\"
                        value {
                            string_value: \"o\"
                        }
                    }
                    kv_pairs {
                        key: \"url\"
                        value {
                            string_value: \"u\"
                        }
                    }
                }
            }
            platform_properties {
                multicast_group_table_size: 512
            }
        }",
    );
}

/// Where the serializer asks for `type_info` at all, there is one: with tables, extern objects, extern functions.
#[test]
fn type_info_may_be_empty() {
    assert!(!of("", "", "hdr.h.a = 1;").contains("type_info"));
    for (locals, body) in [
        ("table t { actions = { NoAction; } }", "t.apply();"),
        ("counter(4, CounterType.packets) c;", ""),
        ("", "mark_to_drop(sm);"),
    ] {
        assert!(
            of("", locals, body).ends_with("type_info {\n}\n"),
            "{locals} {body}"
        );
    }
}

/// `typeSpecConverter.cpp`, `getTypeWidth`: translated types have the controller's width.
#[test]
fn types_made_by_type() {
    let i = of(
        "@extra type bit<32> plain_t;
        @p4runtime_translation(\"org/port\", 32) type bit<9> port_t;
        @p4runtime_translation(\"org/name\", string) type bit<8> name_t;
        @p4runtime_translation(\"org/vlan\", bit<16>) type bit<12> vlan_t;",
        "action a(plain_t p, port_t q, name_t n, vlan_t v) { } table t { actions = { a; NoAction; } }",
        "t.apply();",
    );
    let params = i.split("name: \"I.a\"").nth(1).expect("the action");
    has(
        params,
        "params {\nid: 1\nname: \"p\"\nbitwidth: 32\ntype_name {\nname: \"plain_t\"\n}\n}
        params {\nid: 2\nname: \"q\"\nbitwidth: 32\ntype_name {\nname: \"port_t\"\n}\n}
        params {\nid: 3\nname: \"n\"\ntype_name {\nname: \"name_t\"\n}\n}
        params {\nid: 4\nname: \"v\"\nbitwidth: 16\ntype_name {\nname: \"vlan_t\"\n}\n}",
    );
    has(
        &i,
        "new_types {
            key: \"name_t\"
            value {
                translated_type {
                    uri: \"org/name\"
                    sdn_string {
                    }
                }
            }
        }
        new_types {
            key: \"plain_t\"
            value {
                original_type {
                    bitstring {
                        bit {
                            bitwidth: 32
                        }
                    }
                }
                annotations: \"@extra\"
            }
        }
        new_types {
            key: \"port_t\"
            value {
                translated_type {
                    uri: \"org/port\"
                    sdn_bitwidth: 32
                }
            }
        }",
    );
}

/// `addAction`: plain enums go by name, serializable ones by number; the members of the latter are listed as bytes.
#[test]
fn enums() {
    let text = program(
        "enum plain { A, B } enum bit<12> num { C = 0, D = 0x102 }",
        "action a(plain p, num n) { } table t { actions = { a; NoAction; } }",
        "t.apply();",
    );
    let i = common::p4info(&text);
    has(
        &i,
        "params {\nid: 1\nname: \"p\"\ntype_name {\nname: \"plain\"\n}\n}
        params {\nid: 2\nname: \"n\"\nbitwidth: 12\n}",
    );
    has(
        &i,
        "enums {\nkey: \"plain\"\nvalue {\nmembers {\nname: \"A\"\n}\nmembers {\nname: \"B\"\n}\n}\n}
        serializable_enums {
            key: \"num\"
            value {
                underlying_type {
                    bitwidth: 12
                }
                members {
                    name: \"C\"
                    value: \"\\000\\000\"
                }
                members {
                    name: \"D\"
                    value: \"\\001\\002\"
                }
            }
        }",
    );
    assert!(common::p4info_problem(&program("", "action a(error e) { } table t { actions = { a; NoAction; } }", "t.apply();"))
        .contains("Action parameter e has a type which is not bit<>, int<>, bool, type or serializable enum"));
}

/// `getDigestCall` of `p4RuntimeArchStandard.cpp`: a digest goes by its type, once, without the type's annotations; those
/// in actions come first.
#[test]
fn digests() {
    let i = of(
        "@id(7) @note struct pair_t { bit<8> a; bool b; } struct other_t { pair_t p; int<8> s; }",
        "action a() { digest<other_t>(1, { { hdr.h.a, true }, hdr.h.s }); } table t { actions = { a; } default_action = a; }",
        "digest<pair_t>(1, { hdr.h.a, true }); t.apply(); digest<pair_t>(2, { hdr.h.b, true });",
    );
    assert_eq!(names(&i, "digests"), ["other_t", "pair_t"]);
    has(
        &i,
        "name: \"pair_t\"\nalias: \"pair_t\"\n}
        type_spec {\nstruct {\nname: \"pair_t\"\n}\n}",
    );
    has(
        &i,
        "structs {
            key: \"other_t\"
            value {
                members {
                    name: \"p\"
                    type_spec {
                        struct {
                            name: \"pair_t\"
                        }
                    }
                }
                members {
                    name: \"s\"
                    type_spec {
                        bitstring {
                            int {
                                bitwidth: 8
                            }
                        }
                    }
                }
            }
        }",
    );
}

/// `Register::from`: any type that has a `P4DataTypeSpec`.
#[test]
fn registers_of_any_type() {
    let text = program(
        "type bit<8> byte_t; struct pair_t { bit<8> a; bool b; }",
        "register<byte_t>(2) r; register<pair_t>(3) s; register<tuple<bit<1>, bool>>(4) t;",
        "",
    );
    let i = common::p4info(&text);
    has(
        &i,
        "type_spec {\nnew_type {\nname: \"byte_t\"\n}\n}\nsize: 2",
    );
    has(&i, "type_spec {\nstruct {\nname: \"pair_t\"\n}\n}\nsize: 3");
    has(
        &i,
        "type_spec {\ntuple {\nmembers {\nbitstring {\nbit {\nbitwidth: 1\n}\n}\n}\nmembers {\nbool {\n}\n}\n}\n}\nsize: 4",
    );
}

/// `addActionProfile`: tables by name; what the annotations say has fields of its own. In place: `@name` as it is.
#[test]
fn action_profiles() {
    let i = of(
        "",
        "@max_group_size(4) @selector_size_semantics(\"sum_of_members\") @max_member_weight(9) @other
        action_selector(HashAlgorithm.crc32, 32w64, 32w10) s;
        table z { key = { hdr.h.a: exact; hdr.h.b: selector; } actions = { NoAction; } implementation = s; }
        table b { key = { hdr.h.a: exact; hdr.h.b: selector; } actions = { NoAction; } implementation = s; }
        table p { key = { hdr.h.a: exact; } actions = { NoAction; } @name(\"mine\") implementation = action_profile(5); }",
        "z.apply(); b.apply(); p.apply();",
    );
    assert_eq!(names(&i, "action_profiles"), ["I.s", "mine"]);
    has(
        &i,
        "annotations: \"@other\"
        }
        table_ids: 47383691
        table_ids: 41242074
        with_selector: true
        size: 64
        max_group_size: 4
        sum_of_members {
            max_member_weight: 9
        }",
    );
    assert!(refused(
        "",
        "table p { key = { hdr.h.a: exact; } actions = { NoAction; } implementation = action_profile(5); }",
        "p.apply();"
    )
    .contains("anonymous table property 'implementation' with no name annotation"));
}

/// `addTableProperties`: direct objects come with their tables, in the order of those, and only then.
#[test]
fn direct_objects() {
    let i = of(
        "",
        "direct_counter(CounterType.bytes) c2; direct_counter(CounterType.packets_and_bytes) c1;
        direct_counter(CounterType.packets) alone; direct_meter<bit<8>>(MeterType.bytes) m;
        action a() { m.read(meta.x); } action b() { }
        table t { key = { hdr.h.a: exact; } actions = { a; } default_action = a; counters = c1; meters = m; }
        table u { key = { hdr.h.a: exact; } actions = { b; } default_action = b; counters = c2; }",
        "t.apply(); u.apply();",
    );
    assert_eq!(names(&i, "direct_counters"), ["I.c1", "I.c2"]);
    has(&i, "spec {\nunit: BOTH\n}\ndirect_table_id: 49059515");
    assert_eq!(names(&i, "direct_meters"), ["I.m"]);
}

/// `addControllerHeader`, `flattenHeader.cpp`.
#[test]
fn headers_of_the_controller() {
    let i = of(
        "struct in_t { @id(4) bit<4> a; @name(\"no\") bit<4> b; }
        @controller_header(\"packet_in\") header pin_t { bit<16> port; @outer in_t n; @hidden bit<8> h; @padding bit<8> p; }
        @controller_header(\"packet_out\") header pout_t { @name(\"egress\") bit<16> port; }",
        "",
        "",
    );
    has(
        &i,
        "annotations: \"@controller_header(\\\"packet_in\\\")\"
        }
        metadata {
            id: 1
            name: \"port\"
            bitwidth: 16
        }
        metadata {
            id: 4
            name: \"n.a\"
            annotations: \"@outer\"
            bitwidth: 4
        }
        metadata {
            id: 2
            name: \"n.b\"
            annotations: \"@outer\"
            bitwidth: 4
        }
        metadata {
            id: 5
            name: \"p\"
            annotations: \"@padding\"
            bitwidth: 8
        }",
    );
    has(&i, "metadata {\nid: 1\nname: \"egress\"\nbitwidth: 16\n}");
}

/// `addValueSet`: fields of structs with their match kinds; numbers without a name.
#[test]
fn value_sets() {
    let text = program(
        "struct k_t { @match(ternary) @x bit<8> a; bit<16> c; }",
        "",
        "",
    )
    .replace(
        "state start { p.extract(hdr.h); transition accept; }",
        "value_set<bit<8>>(4) one; value_set<k_t>(8) two; value_set<bit<8>>(2) unused;
        state start { p.extract(hdr.h); transition select(hdr.h.a) { one: next; default: accept; } }
        state next { transition select(hdr.h.a, hdr.h.c) { two: accept; default: accept; } }",
    );
    let i = info(&text);
    assert_eq!(names(&i, "value_sets"), ["P.one", "P.two"]);
    has(
        &i,
        "match {\nid: 1\nbitwidth: 8\nmatch_type: EXACT\n}\nsize: 4",
    );
    has(
        &i,
        "match {\nid: 1\nname: \"a\"\nannotations: \"@x\"\nbitwidth: 8\nmatch_type: TERNARY\n}
        match {\nid: 2\nname: \"c\"\nbitwidth: 16\nmatch_type: EXACT\n}
        size: 8",
    );
}

/// `checkForDuplicates`
#[test]
fn names_are_unique_in_their_kind() {
    let said = refused(
        "",
        "@name(\"x\") register<bit<8>>(1) r; @name(\"x\") register<bit<8>>(2) s;",
        "",
    );
    assert!(
        said.contains("Name 'I.x' is used for multiple register objects in the P4Info message"),
        "{said}"
    );
}

/// Constructor arguments count for each instance: `specialize.cpp`, `constantFolding.cpp`.
#[test]
fn constructor_arguments_are_put_in() {
    let i = of(
        "control Sub(inout h_t h)(bit<32> n, bool with) {
            counter(n * 2, CounterType.bytes) c;
            table t { actions = { NoAction; } size = n; }
            apply { c.count(0); if (with) { t.apply(); } }
        }",
        "Sub(5, true) a; Sub(6, false) b;",
        "a.apply(hdr.h); b.apply(hdr.h);",
    );
    assert_eq!(names(&i, "tables"), ["I.a.t"]);
    has(&i, "size: 5\n}\nactions {");
    has(
        &i,
        "name: \"I.a.c\"\nalias: \"a.c\"\n}\nspec {\nunit: BYTES\n}\nsize: 10",
    );
    has(
        &i,
        "name: \"I.b.c\"\nalias: \"b.c\"\n}\nspec {\nunit: BYTES\n}\nsize: 12",
    );
}

/// `addPkgInfo`: without `main` there is none, and nothing else is a mistake to the control plane.
#[test]
fn a_program_without_main() {
    let i = common::p4info("#include <core.p4>\n#include <v1model.p4>\nregister<bit<8>>(3) r;\n");
    assert!(!i.contains("pkg_info"));
    assert_eq!(names(&i, "registers"), ["r"]);
}
