# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Queue and link of a port: rate, limit, propagation delay, and how people write them."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from .port_states import MAX_PORT

DEFAULT_LIMIT_PACKETS = 64
"""As in simple_switch."""

_BITS = {"bit": 1, "kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_SAME_AS = {f"{prefix}{unit}": f"{prefix}bit" for prefix in ("", "k", "m", "g") for unit in ("bps", "bit/s")}
"""Other ways to write them, as in `mecn`."""
_PACKETS = {"pps": 1, "kpps": 10**3, "mpps": 10**6}
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
_MAX_DELAY_NS = 60 * 10**9


@dataclass(frozen=True)
class PortSettings:
    """The queue of a port and the link behind it."""

    rate_bps: int | None = None
    """Bits per second, by length plus `overhead_bytes`; None: no such limit."""
    rate_pps: int | None = None
    """Packets per second, as simple_switch's set_queue_rate; at most one of both rates is set."""
    limit_packets: int | None = DEFAULT_LIMIT_PACKETS
    limit_bytes: int | None = None
    overhead_bytes: int = 0
    """Added to a frame's length for rate and byte limit: -14 counts the IP packet only."""
    delay_ns: int = 0
    """Propagation delay in nanoseconds."""
    in_rate_bps: int | None = None
    """Bits per second of the link towards the port, by length plus `overhead_bytes`; None: unlimited."""
    in_delay_ns: int = 0
    """Propagation delay of the link towards the port, nanoseconds."""
    in_limit_packets: int | None = None
    """What the queue before the link towards the port holds; None: much more than any queue of a topology."""

    def with_rate(self, text: str) -> "PortSettings":
        """With a rate such as 1.5mbit, 1000pps or unlimited. Raises ValueError."""
        if text == "unlimited":
            return replace(self, rate_bps=None, rate_pps=None)
        value, unit = _rate(text, (*_BITS, *_PACKETS), "1.5mbit, 1000pps or unlimited")
        if unit in _BITS:
            return replace(self, rate_bps=value, rate_pps=None)
        return replace(self, rate_bps=None, rate_pps=value)

    def with_limit(self, text: str) -> "PortSettings":
        """With a queue limit such as 100 (packets), 15000b (bytes), both by a comma, or unlimited."""
        if text == "unlimited":
            return replace(self, limit_packets=None, limit_bytes=None)
        packets, size = None, None
        for part in text.split(","):
            match = re.fullmatch(r"([0-9]{1,9})(b?)", part)
            if match is None or (size if match[2] else packets) is not None:
                raise ValueError(f"limit {text!r} is not of the form 100, 15000b, 100,15000b or unlimited")
            if match[2]:
                size = int(match[1])
            else:
                packets = int(match[1])
        return replace(self, limit_packets=packets, limit_bytes=size)

    def with_delay(self, text: str) -> "PortSettings":
        """With a propagation delay such as 40ms, 250us or 0s."""
        return replace(self, delay_ns=_delay(text))

    def with_in_rate(self, text: str) -> "PortSettings":
        """With a rate of the link towards the port, such as 10mbit or unlimited. Raises ValueError."""
        if text == "unlimited":
            return replace(self, in_rate_bps=None)
        return replace(self, in_rate_bps=_rate(text, tuple(_BITS), "10mbit or unlimited")[0])

    def with_in_delay(self, text: str) -> "PortSettings":
        """With a propagation delay of the link towards the port, such as 2ms."""
        return replace(self, in_delay_ns=_delay(text))

    def with_overhead(self, text: str) -> "PortSettings":
        """With bytes to add to each frame's length, such as -14 or 24."""
        if re.fullmatch(r"[+-]?[0-9]{1,4}", text) is None:
            raise ValueError(f"overhead {text!r} is not a number of bytes such as -14")
        return replace(self, overhead_bytes=int(text))

    @property
    def rate(self) -> str:
        """The rate as `with_rate` reads it."""
        if self.rate_bps is not None:
            return _shortest(self.rate_bps, _BITS)
        return "unlimited" if self.rate_pps is None else _shortest(self.rate_pps, _PACKETS)

    @property
    def limit(self) -> str:
        """The limit as `with_limit` reads it."""
        parts = [] if self.limit_packets is None else [str(self.limit_packets)]
        parts += [] if self.limit_bytes is None else [f"{self.limit_bytes}b"]
        return ",".join(parts) or "unlimited"

    @property
    def delay(self) -> str:
        """The delay as `with_delay` reads it."""
        return _shortest(self.delay_ns, _NANOSECONDS)

    @property
    def in_rate(self) -> str:
        """The rate of the link towards the port as `with_in_rate` reads it."""
        return "unlimited" if self.in_rate_bps is None else _shortest(self.in_rate_bps, _BITS)

    @property
    def in_delay(self) -> str:
        """The delay of the link towards the port as `with_in_delay` reads it."""
        return _shortest(self.in_delay_ns, _NANOSECONDS)


def parse_port(text: str) -> int:
    """A port number. Raises ValueError."""
    if re.fullmatch(r"[0-9]{1,3}", text) is None or int(text) > MAX_PORT:
        raise ValueError(f"port {text!r} is not in 0..{MAX_PORT}")
    return int(text)


def parse_interface(text: str) -> tuple[int, str]:
    """PORT@INTERFACE, as simple_switch takes it. Raises ValueError."""
    port, at, name = text.partition("@")
    if not at or not name:
        raise ValueError(f"{text!r} is not of the form PORT@INTERFACE, such as 1@veth0")
    return parse_port(port), name


def parse_assignment(text: str) -> tuple[int, str]:
    """PORT=VALUE. Raises ValueError."""
    port, equals, value = text.partition("=")
    if not equals or not value:
        raise ValueError(f"{text!r} is not of the form PORT=VALUE")
    return parse_port(port), value


def _rate(text: str, units: tuple[str, ...], examples: str) -> tuple[int, str]:
    value, unit = _quantity(text, "rate", units, examples)
    scaled = value * (_BITS.get(unit) or _PACKETS[unit])
    if scaled != int(scaled) or not 0 < scaled < 1 << 63:
        what = "bits" if unit in _BITS else "packets"
        raise ValueError(f"rate {text!r} is not a whole number above 0 of {what}")
    return int(scaled), unit


def _delay(text: str) -> int:
    value, unit = _quantity(text, "delay", tuple(_NANOSECONDS), "40ms, 250us or 0s")
    delay = value * _NANOSECONDS[unit]
    if delay != int(delay) or delay > _MAX_DELAY_NS:
        raise ValueError(f"delay {text!r} is not a whole number of nanoseconds up to a minute")
    return int(delay)


def _quantity(text: str, what: str, units: tuple[str, ...], examples: str) -> tuple[Decimal, str]:
    match = re.fullmatch(r"([0-9]{1,18}(?:\.[0-9]{1,18})?) ?([a-z/]+)", text.lower())
    unit = _SAME_AS.get(match[2], match[2]) if match is not None else ""
    if match is None or unit not in units:
        raise ValueError(f"{what} {text!r} is not of a form such as {examples}")
    return Decimal(match[1]), unit


def _shortest(value: int, units: dict[str, int]) -> str:
    unit = max((name for name in units if value % units[name] == 0), key=lambda name: units[name])
    return f"{value // units[unit]}{unit}" if value else f"0{next(iter(units))}"
