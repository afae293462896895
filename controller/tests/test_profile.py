# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_controller import (
    Ecn,
    Ecnm,
    Mecn,
    ProfileError,
    Threshold,
    curve_of,
    load_profile,
    parse_profile,
)
from mecn_controller.policy.profile import SCHEMES

PROFILES = Path(__file__).parent.parent / "profiles"

MECN = """\
name: test
scheme: mecn
min_th: 1
mid_th: 2
max_th: 4
max_p: 0.1
"""


@pytest.mark.parametrize("path", sorted(PROFILES.rglob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_is_valid(path: Path) -> None:
    profile = load_profile(path)
    curve_of(profile)
    assert profile.name


def test_examples_cover_every_scheme() -> None:
    kinds = {type(load_profile(path)) for path in PROFILES.glob("*.yaml")}
    assert kinds == set(SCHEMES.values())


def test_defaults() -> None:
    mecn = Mecn(name="m", min_th=1, mid_th=2, max_th=4, max_p=0.1)
    assert (mecn.weight, mecn.mark_point, mecn.dscp) == (0.002, "front", None)
    assert (mecn.above_max_th, mecn.not_ect) == ("mark", "pass")
    ecn = Ecn(name="e", min_th=1, max_th=4, max_p=0.1)
    assert (ecn.above_max_th, ecn.not_ect) == ("drop", "drop")
    ecnm = Ecnm(name="e", min_th=1, max_th=4, max_p=0.1)
    assert (ecnm.above_max_th, ecnm.not_ect) == ("mark", "drop")
    threshold = Threshold(name="t", threshold=10)
    assert (threshold.above_max_th, threshold.not_ect) == ("mark", "pass")
    assert threshold.ewma_weight == 1


def test_max_p_sets_both_levels() -> None:
    both = parse_profile(MECN)
    assert isinstance(both, Mecn)
    assert (both.p_incipient, both.p_moderate) == (0.1, 0.1)
    each = parse_profile(MECN.replace("max_p: 0.1", "max_p_incipient: 0.2\nmax_p_moderate: 0.3"))
    assert isinstance(each, Mecn)
    assert (each.p_incipient, each.p_moderate) == (0.2, 0.3)


def test_dscp_by_name_and_number() -> None:
    assert parse_profile(MECN + "dscp: [EF, 10, 46]\n").dscp == (10, 46)
    assert parse_profile(MECN + "dscp: 8\n").dscp == (8,)
    assert parse_profile(MECN + "dscp: any\n").dscp is None


def test_replace_validates() -> None:
    profile = parse_profile(MECN)
    assert isinstance(profile, Mecn)
    assert profile.replace(max_p=0.5).p_moderate == 0.5
    assert profile.max_p == 0.1
    with pytest.raises(ProfileError, match=r"^profile 'test': min_th \(5\) must be less than mid_th \(2\)$"):
        profile.replace(min_th=5)


def changed(key: str, value: str) -> str:
    return "".join(
        f"{key}: {value}\n" if line.startswith(f"{key}:") else line + "\n" for line in MECN.splitlines()
    )


EVERY_SCHEME = "drop-tail, threshold, red, red-gentle, ecn, ecn-gentle, ecnm, mecn"

GOLDEN = {
    "empty": ("", "p.yaml:1:1: the profile is empty"),
    "list": ("- a\n", "p.yaml:1:1: a profile is a mapping of keys to values ('name: ...')"),
    "malformed": (
        "name: [a\n",
        "p.yaml:2:1: not valid YAML: expected ',' or ']', but got '<stream end>'"
        " (while parsing a flow sequence)",
    ),
    "twice": (MECN + "max_th: 5\n", "p.yaml:7:1: max_th is given twice (first in line 5)"),
    "nested": ("name: {a: b}\n", "p.yaml:1:7: name must be a value or a list of values"),
    "tag": (
        "name: !!python/name:os.system x\n",
        "p.yaml:1:7: not valid YAML: could not determine a constructor"
        " for the tag 'tag:yaml.org,2002:python/name:os.system'",
    ),
    "order": (changed("min_th", "5"), "p.yaml:3:1: min_th (5) must be less than mid_th (2)"),
    "order ecn": (
        "name: a\nscheme: ecn\nmin_th: 5\nmax_th: 4\nmax_p: 1\n",
        "p.yaml:3:1: min_th (5) must be less than max_th (4)",
    ),
    "equal": (changed("mid_th", "4"), "p.yaml:4:1: mid_th (4) must be less than max_th (4)"),
    "probability": (changed("max_p", "1.5"), "p.yaml:6:1: max_p (1.5) must be within 0 and 1"),
    "negative": (changed("max_p", "-0.1"), "p.yaml:6:1: max_p (-0.1) must be within 0 and 1"),
    "no scheme": (
        "name: a\n",
        f"p.yaml:1:1: scheme is missing: give one of {EVERY_SCHEME}",
    ),
    "adaptive": (
        "name: a\nscheme: aecn\n",
        "p.yaml:2:1: scheme 'aecn' is not known"
        " (adaptive ECN is ecn, ecnm or mecn with rtt_class_bounds_ms and rtt_class_max_p)",
    ),
    "unknown scheme": (
        "name: a\nscheme: pie\n",
        f"p.yaml:2:1: scheme 'pie' is not known (available: {EVERY_SCHEME})",
    ),
    "unknown key": (
        MECN + "maxp: 0.1\n",
        "p.yaml:7:1: maxp is not a key of scheme mecn (did you mean max_p?)",
    ),
    "other scheme's key": (
        "name: a\nscheme: drop-tail\nnot_ect: pass\n",
        "p.yaml:3:1: not_ect is not a key of"
        " scheme drop-tail (known: name, scheme, mark_point, dscp, mean_service_time_us, idle_step_us,"
        " queue_limit_packets, report_period_ms, link_rate,"
        " link_packet_bytes, description, weight, time_constant_ms)",
    ),
    "missing key": (MECN.replace("max_th: 4\n", ""), "p.yaml:1:1: max_th is missing: scheme mecn needs it"),
    "missing probability": (
        MECN.replace("max_p: 0.1\n", ""),
        "p.yaml:1:1: max_p is missing: scheme mecn needs max_p, or max_p_incipient and max_p_moderate",
    ),
    "both probabilities": (
        MECN + "max_p_moderate: 0.2\n",
        "p.yaml:7:1: max_p_moderate cannot be given beside max_p, which sets both levels",
    ),
    "text": (changed("max_th", "four"), "p.yaml:5:1: max_th must be a number, not 'four'"),
    "yaml's 1e-3": (
        changed("max_p", "1e-3"),
        "p.yaml:6:1: max_p must be a number, not '1e-3' (YAML reads 1e-3 as text: write 0.001)",
    ),
    "boolean": (changed("max_th", "yes"), "p.yaml:5:1: max_th must be a number, not True"),
    "not a number": (changed("max_p", ".nan"), "p.yaml:6:1: max_p must be a finite number, not nan"),
    "too deep": (changed("max_th", "70000"), "p.yaml:5:1: max_th (70000) must be within 0 and 65535 packets"),
    "too fine": (
        changed("max_th", "4.3"),
        "p.yaml:5:1: max_th (4.3) must be a multiple of 1/256 packet (nearest: 4.30078125)",
    ),
    "too steep": (
        "name: a\nscheme: ecn\nmin_th: 1\nmax_th: 1.25\nmax_p: 0.5\n",
        "p.yaml:5:1: max_p (0.5) is"
        " reached within 0.25 packets of min_th (1): the data plane's ramps rise by less than 2 per packet",
    ),
    "weight": (MECN + "weight: 0\n", "p.yaml:7:1: weight (0) must be within 2^-32 and 1"),
    "mark point": (MECN + "mark_point: head\n", "p.yaml:7:1: mark_point must be tail or front, not head"),
    "dscp": (
        MECN + "dscp: [EF, 64]\n",
        "p.yaml:7:1: dscp (['EF', 64]) cannot be used: 64 is not a code point from 0 to 63",
    ),
    "no dscp": (
        MECN + "dscp: []\n",
        "p.yaml:7:1: dscp ([]) cannot be used: an empty list selects no traffic: give code points, or 'any'",
    ),
    "gentle": (
        "name: a\nscheme: red-gentle\nmin_th: 5\nmax_th: 40000\nmax_p: 0.1\n",
        "p.yaml:4:1: max_th (40000) is doubled: at most 32767.5",
    ),
    "gentle and steep": (
        "name: a\nscheme: ecn-gentle\nmin_th: 0\nmax_th: 0.25\nmax_p: 0.25\n",
        "p.yaml:4:1: max_th (0.25) is too small: the data plane's ramps rise by less than 2 per packet",
    ),
    "mark point of red": (
        "name: a\nscheme: red\nmin_th: 5\nmax_th: 40\nmax_p: 0.1\nmark_point: front\n",
        "p.yaml:6:1: mark_point must be tail, not front",
    ),
    "mean size": (
        MECN + "mean_packet_bytes: 0\n",
        "p.yaml:7:1: mean_packet_bytes (0) must be within 1 and 65535 bytes",
    ),
    "queue limit": (
        MECN + "queue_limit_packets: 70000\n",
        "p.yaml:7:1: queue_limit_packets (70000) must be within 1 and 65535 packets",
    ),
    "period": (
        MECN + "report_period_ms: 0\n",
        "p.yaml:7:1: report_period_ms (0) must be within 0.001 and 4294967 ms",
    ),
    "classes without bounds": (
        MECN + "rtt_class_max_p: [0.1, 0.2]\n",
        "p.yaml:7:1: rtt_class_max_p must have one value for each class: 1",
    ),
    "bounds without classes": (
        MECN + "rtt_class_bounds_ms: [60]\n",
        "p.yaml:7:1: rtt_class_bounds_ms needs rtt_class_max_p",
    ),
    "falling bounds": (
        MECN + "rtt_class_bounds_ms: [60, 60]\nrtt_class_max_p: [0.1, 0.2, 0.3]\n",
        "p.yaml:7:1: rtt_class_bounds_ms must rise",
    ),
    "too many classes": (
        MECN + "rtt_class_bounds_ms: [1, 2, 3]\nrtt_class_max_p: [0.1, 0.1, 0.2, 0.3]\n",
        "p.yaml:8:1: rtt_class_max_p has more than 3 classes",
    ),
    "steep class": (
        "name: a\nscheme: ecn\nmin_th: 1\nmax_th: 1.25\nmax_p: 0.1\nrtt_class_max_p: [0.5]\n",
        "p.yaml:6:1: rtt_class_max_p (0.5) is"
        " reached within 0.25 packets of min_th (1): the data plane's ramps rise by less than 2 per packet",
    ),
    "name": (changed("name", "7"), "p.yaml:1:1: name must be text, not 7"),
}


@pytest.mark.parametrize("case", GOLDEN)
def test_errors_point_at_the_key(case: str) -> None:
    text, expected = GOLDEN[case]
    with pytest.raises(ProfileError) as caught:
        parse_profile(text, "p.yaml")
    assert str(caught.value) == expected


def test_every_mistake_is_reported_in_order_of_lines() -> None:
    with pytest.raises(ProfileError) as caught:
        parse_profile(MECN.replace("max_p: 0.1", "max_p: 2").replace("mid_th: 2", "mid_th: x"), "p.yaml")
    assert [problem.line for problem in caught.value.problems] == [4, 6]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match=r"none\.yaml: cannot be read: No such file or directory$"):
        load_profile(tmp_path / "none.yaml")
    with pytest.raises(ProfileError, match=r"cannot be read: Is a directory$"):
        load_profile(tmp_path)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: a\n\xff\n")
    with pytest.raises(ProfileError, match=r"binary\.yaml:2:1: is not UTF-8 text$"):
        load_profile(binary)
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"#" * (2 << 20))
    with pytest.raises(ProfileError, match="is larger than 1048576 bytes"):
        load_profile(huge)


LINE = st.one_of(
    st.text(max_size=40),
    st.builds(
        "{}: {}".format,
        st.sampled_from(
            ["name", "scheme", "min_th", "mid_th", "max_th", "max_p", "weight", "dscp", "threshold"]
        ),
        st.sampled_from(
            [
                "a",
                "ecn",
                "mecn",
                "threshold",
                "1",
                "-1",
                "1e400",
                ".inf",
                "1.0e+400",
                "[1, [2]]",
                "&x a",
                "*x",
                "0x7fffffffffffffffffff",
                "9" * 400,
                "-.inf",
                "0x" + "f" * 5000,
                "1:2:3",
                "2020-13-01",
                "!!float x",
                "!!binary =",
            ]
        ),
    ),
)


@given(st.lists(LINE, max_size=8))
def test_any_text_is_a_profile_or_a_profile_error(lines: list[str]) -> None:
    message = ""
    problems: tuple[object, ...] = ()
    try:
        parse_profile("\n".join(lines), "p.yaml")
    except ProfileError as error:
        message, problems = str(error), error.problems
    lines = message.splitlines()
    assert len(lines) == len(problems)
    assert all(line.startswith("p.yaml:") for line in lines)


@pytest.mark.parametrize("value", ["0", "-5", "4294967296"])
def test_service_time_out_of_range(value: str) -> None:
    text = f"name: a\nscheme: drop-tail\nmean_service_time_us: {value}\n"
    with pytest.raises(ProfileError, match=r"p\.yaml:3:1: mean_service_time_us \(.*\) must be more than 0"):
        parse_profile(text, "p.yaml")
