# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""How queue and link of a port are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mecn_switch.ports import PortSettings, parse_assignment, parse_interface


@pytest.mark.parametrize(
    ("text", "bits", "packets"),
    [
        ("1.5mbit", 1_500_000, None),
        ("1.5Mbit", 1_500_000, None),
        ("64kbit", 64_000, None),
        ("10gbit", 10_000_000_000, None),
        ("9600bit", 9600, None),
        ("1000pps", None, 1000),
        ("1.2kpps", None, 1200),
        ("unlimited", None, None),
    ],
)
def test_rates(text: str, bits: int | None, packets: int | None) -> None:
    settings = PortSettings(rate_pps=7).with_rate(text)
    assert (settings.rate_bps, settings.rate_pps) == (bits, packets)


@pytest.mark.parametrize(
    ("text", "packets", "size"),
    [
        ("100", 100, None),
        ("15000b", None, 15000),
        ("100,15000b", 100, 15000),
        ("0", 0, None),
        ("unlimited", None, None),
    ],
)
def test_limits(text: str, packets: int | None, size: int | None) -> None:
    settings = PortSettings().with_limit(text)
    assert (settings.limit_packets, settings.limit_bytes) == (packets, size)
    assert settings.limit == text


@pytest.mark.parametrize(
    ("text", "delay"), [("40ms", 40_000_000), ("0.5us", 500), ("0s", 0), ("60s", 60 * 10**9)]
)
def test_delays(text: str, delay: int) -> None:
    assert PortSettings().with_delay(text).delay_ns == delay


@pytest.mark.parametrize(
    ("part", "text"),
    [
        *(
            ("rate", text)
            for text in ("", "fast", "1.5", "-1mbit", "0mbit", "0.5pps", "1e3pps", "1mbit/h", "9" * 30)
        ),
        *(("limit", text) for text in ("", "-1", "1,2", "1b,2b", "1.5", "100 packets", "1,")),
        *(("delay", text) for text in ("", "40", "-1ms", "0.5ns", "61s", "1h")),
        *(("in_rate", text) for text in ("fast", "0mbit", "100pps")),
        *(("in_delay", text) for text in ("40", "61s")),
        *(("overhead", text) for text in ("", "x", "1.5", "99999")),
    ],
)
def test_refused(part: str, text: str) -> None:
    with pytest.raises(ValueError, match=part.removeprefix("in_")):
        getattr(PortSettings(), f"with_{part}")(text)


@given(st.integers(1, 10**15), st.booleans())
def test_what_is_shown_can_be_read(rate: int, bits: bool) -> None:
    settings = PortSettings(rate_bps=rate) if bits else PortSettings(rate_pps=rate)
    assert PortSettings().with_rate(settings.rate) == settings


@given(st.integers(0, 60 * 10**9))
def test_shown_delays_can_be_read(delay: int) -> None:
    settings = PortSettings(delay_ns=delay, in_delay_ns=delay)
    assert PortSettings().with_delay(settings.delay).with_in_delay(settings.in_delay) == settings


def test_interfaces_and_assignments() -> None:
    assert parse_interface("1@veth0") == (1, "veth0")
    assert parse_interface("0@dir/a@b") == (0, "dir/a@b")
    assert parse_assignment("2=1.5mbit") == (2, "1.5mbit")
    for text in ("veth0", "1@", "@veth0", "511@veth0", "-1@veth0", "x@veth0"):
        with pytest.raises(ValueError, match=r"port|PORT@INTERFACE"):
            parse_interface(text)
    for text in ("1.5mbit", "2=", "=1mbit", "600=1mbit"):
        with pytest.raises(ValueError, match=r"port|PORT=VALUE"):
            parse_assignment(text)
