# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Programs that are small and ask for much, by a size `n`: as BMv2 JSON, P4Info in text, or P4."""

import json
from typing import Any

from . import program

TRUE = '{"type": "bool", "value": true}'


# ---- BMv2 JSON ---------------------------------------------------------------------------------------------


def with_condition(expression: str, **more: list[Any]) -> str:
    """The small program with a condition, and more of this and that. By text: `json` has its own limit."""
    data: dict[str, Any] = program.bmv2_json()
    condition = {"name": "n", "id": 9000, "expression": "HERE", "true_next": None, "false_next": None}
    data["pipelines"][0]["conditionals"].append(condition)
    for key, value in more.items():
        data[key] = [*data.get(key, []), *value]
    return json.dumps(data).replace('"HERE"', expression)


def operation(op: str, left: str, right: str) -> str:
    return f'{{"type": "expression", "value": {{"op": "{op}", "left": {left}, "right": {right}}}}}'


def nested_comparisons(n: int) -> str:
    """`((true == true) == true) == ...`"""
    expression = TRUE
    for _ in range(n):
        expression = operation("==", expression, TRUE)
    return with_condition(expression)


def compared_stacks(n: int) -> str:
    """A stack of n elements, compared with itself."""
    headers = [
        {"name": f"s[{i}]", "id": 9000 + i, "header_type": "small", "metadata": False} for i in range(n)
    ]
    stack = {
        "name": "s",
        "id": 9000,
        "header_type": "small",
        "size": n,
        "header_ids": [9000 + i for i in range(n)],
    }
    name = '{"type": "header_stack", "value": "s"}'
    small = {"name": "small", "id": 9000, "fields": [["f", 8, False]]}
    return with_condition(
        operation("==", name, name), header_types=[small], headers=headers, header_stacks=[stack]
    )


def nested_unions(n: int) -> str:
    """A stack of unions, indexed by the validity of the same stack, and so on four times; n members each."""
    headers, unions = [], []
    for u in range(4):
        ids = [9000 + u * n + i for i in range(n)]
        headers += [
            {"name": f"us[{u}].m{i}", "id": ids[i], "header_type": "small", "metadata": False}
            for i in range(n)
        ]
        unions.append({"name": f"us[{u}]", "id": u, "union_type": "ut", "header_ids": ids, "pi_omit": True})
    kind = {"name": "ut", "id": 0, "headers": [[f"m{i}", "small"] for i in range(n)]}
    stack = {"name": "us", "id": 0, "union_type": "ut", "size": 4, "header_union_ids": [0, 1, 2, 3]}
    index = '{"type": "hexstr", "value": "0x0"}'
    for _ in range(4):
        name = '{"type": "header_union_stack", "value": "us"}'
        expression = operation("valid_union", "null", operation("dereference_union_stack", name, index))
        index = operation("b2d", "null", expression)
    return with_condition(
        expression,
        header_types=[{"name": "small", "id": 9000, "fields": [["f", 8, False]]}],
        headers=headers,
        header_union_types=[kind],
        header_unions=unions,
        header_union_stacks=[stack],
    )


def counter_arrays(n: int) -> str:
    """n arrays of 2^20 cells."""
    arrays = [{"name": f"c{i}", "id": 9000 + i, "is_direct": False, "size": 1 << 20} for i in range(n)]
    return with_condition(TRUE, counter_arrays=arrays)


def register_arrays(n: int) -> str:
    arrays = [{"name": f"r{i}", "id": 9000 + i, "bitwidth": 64, "size": 1 << 20} for i in range(n)]
    return with_condition(TRUE, register_arrays=arrays)


def wide_parameters(n: int) -> str:
    """An action with n parameters of 2^32 - 1 bits."""
    wide = [{"name": f"p{i}", "bitwidth": (1 << 32) - 1} for i in range(n)]
    return with_condition(TRUE, actions=[{"name": "w", "id": 9000, "runtime_data": wide, "primitives": []}])


def many_headers(n: int) -> str:
    """n headers of 100 fields."""
    kind = {"name": "big", "id": 9000, "fields": [[f"f{i}", 8, False] for i in range(100)]}
    headers = [{"name": f"b{i}", "id": 9000 + i, "header_type": "big", "metadata": False} for i in range(n)]
    return with_condition(TRUE, header_types=[kind], headers=headers)


def p4info_structs(n: int) -> str:
    """n structs with two members of the next one each, and a register of the first."""
    lines = ["type_info {"]
    for i in range(n):
        lines.append(f'structs {{ key: "S{i}" value {{')
        for member in "ab":
            kind = f'struct {{ name: "S{i + 1}" }}' if i + 1 < n else "bitstring { bit { bitwidth: 8 } }"
            lines.append(f'members {{ name: "{member}" type_spec {{ {kind} }} }}')
        lines.append("} }")
    preamble = 'preamble { id: 369110000 name: "rx" alias: "rx" }'
    lines.append(f'}} registers {{ {preamble} type_spec {{ struct {{ name: "S0" }} }} size: 1 }}')
    return "\n".join(lines)


# ---- P4 ----------------------------------------------------------------------------------------------------

PARAMETERS = "inout H h, inout M m"
METADATA = "inout standard_metadata_t s"
PARSER = (
    f"parser P(packet_in p, out H h, inout M m, {METADATA}) "
    "{ state start { p.extract(h.h); transition accept; } }"
)
DEPARSER = "control D(packet_out p, in H h) { apply { p.emit(h.h); } }"


def p4(
    before: str = "",
    parser: str = PARSER,
    local: str = "",
    body: str = "",
    deparser: str = DEPARSER,
    headers: str = "",
) -> str:
    """A whole program."""
    return f"""#include <core.p4>
#include <v1model.p4>
header h_t {{ bit<8> a; bit<8> b; }}
struct H {{ h_t h; {headers} }}
struct M {{ bit<8> x; bool f; bool g; bool t; }}
{before}
{parser}
control VC({PARAMETERS}) {{ apply {{ }} }}
control CC({PARAMETERS}) {{ apply {{ }} }}
control I({PARAMETERS}, {METADATA}) {{ {local} apply {{ {body} s.egress_spec = 1; }} }}
control E({PARAMETERS}, {METADATA}) {{ apply {{ }} }}
{deparser}
V1Switch(P(), VC(), I(), E(), CC(), D()) main;
"""


def sub_deparsers(n: int) -> str:
    """Each applies the next one twice: 2^n emits."""
    parts = ["control D0(packet_out p, in H h) { apply { p.emit(h.h); } }"]
    head, body = "(packet_out p, in H h) {", "apply { d.apply(p, h); d.apply(p, h); } }"
    parts += [f"control D{i}{head} D{i - 1}() d; {body}" for i in range(1, n + 1)]
    parts.append(f"control D(packet_out p, in H h) {{ D{n}() d; apply {{ d.apply(p, h); }} }}")
    return p4(deparser="\n".join(parts))


def sub_parsers(n: int) -> str:
    parts = ["parser P0(packet_in p, inout M m) { state start { m.x = m.x + 1; transition accept; } }"]
    first = "state start { q.apply(p, m); transition two; }"
    two = "state two { q.apply(p, m); transition accept; }"
    parts += [
        f"parser P{i}(packet_in p, inout M m) {{ P{i - 1}() q; {first} {two} }}" for i in range(1, n + 1)
    ]
    head = f"parser P(packet_in p, out H h, inout M m, {METADATA}) {{ P{n}() q;"
    parts.append(f"{head} state start {{ q.apply(p, m); p.extract(h.h); transition accept; }} }}")
    return p4(parser="\n".join(parts))


def sub_controls(n: int) -> str:
    parts = ["control C0(inout M m) { apply { m.x = m.x + 1; } }"]
    body = "apply { c.apply(m); c.apply(m); } }"
    parts += [f"control C{i}(inout M m) {{ C{i - 1}() c; {body}" for i in range(1, n + 1)]
    return p4(before="\n".join(parts), local=f"C{n}() c;", body="c.apply(m);")


def functions(n: int) -> str:
    parts = ["bit<8> f0(in bit<8> x) { return x + 1; }"]
    parts += [f"bit<8> f{i}(in bit<8> x) {{ return f{i - 1}(f{i - 1}(x)); }}" for i in range(1, n + 1)]
    return p4(before="\n".join(parts), body=f"m.x = f{n}(m.x);")


def strings(n: int) -> str:
    """A constant that is twice the one before, n times."""
    parts = ['const string s0 = "aaaaaaaaaaaaaaaa";']
    return p4(before="\n".join(parts + [f"const string s{i + 1} = s{i} ++ s{i};" for i in range(n)]))


def tuples(n: int) -> str:
    parts = ["typedef tuple<bit<8>, bit<8>> T0;"]
    parts += [f"typedef tuple<T{i - 1}, T{i - 1}> T{i};" for i in range(1, n + 1)]
    return p4(before="\n".join(parts) + f"struct Q {{ T{n} t; }}", local="Q q; Q r;", body="q = r;")


def structs(n: int) -> str:
    parts = ["struct S0 { bit<8> a; bit<8> b; }"]
    parts += [f"struct S{i} {{ S{i - 1} a; S{i - 1} b; }}" for i in range(1, n + 1)]
    return p4(before="\n".join(parts), local=f"S{n} q;", body=f"S{n} r; q = r; m.x = q{'.a' * (n + 1)};")


def generics(n: int) -> str:
    """Generic structs of generic structs: a type's name doubles with each."""
    parts = ["struct G0<T> { T a; T b; }", "typedef G0<bit<8>> T0;"]
    parts += [f"struct G{i}<T> {{ T a; T b; }} typedef G{i}<T{i - 1}> T{i};" for i in range(1, n + 1)]
    return p4(before="\n".join(parts), local=f"T{n} q; T{n} r;", body="q = r;")


def macros(n: int) -> str:
    parts = ["#define A0 m.x = 1;"] + [f"#define A{i} A{i - 1} A{i - 1}" for i in range(1, n + 1)]
    return "\n".join(parts) + "\n" + p4(body=f"A{n}")


def stacks(n: int) -> str:
    """n header stacks of 1,000 elements."""
    return p4(headers=" ".join(f"h_t[1000] s{i};" for i in range(n)))


def sums(n: int) -> str:
    return p4(body=f"m.x = {' + '.join(['m.x'] * n)};")


def comparisons(n: int) -> str:
    expression = "m.f == m.g"
    for _ in range(n - 1):
        expression = f"({expression}) == m.t"
    return p4(body=f"m.f = {expression};")


def assignments(n: int) -> str:
    """All in one line."""
    return p4(body="m.x = m.x + 1; " * n)


def states(n: int) -> str:
    parts = [f"state s{i} {{ m.x = {i % 256}; transition s{i + 1}; }}" for i in range(n)]
    head = f"parser P(packet_in p, out H h, inout M m, {METADATA}) {{ state start {{ transition s0; }}"
    return p4(parser=f"{head} {' '.join(parts)} state s{n} {{ transition accept; }} }}")


def tables(n: int) -> str:
    action = "action set(bit<8> v) { m.x = v; }"
    parts = [f"table t{i} {{ key = {{ h.h.a: exact; }} actions = {{ set; }} }}" for i in range(n)]
    return p4(local=action + " ".join(parts), body=" ".join(f"t{i}.apply();" for i in range(n)))
