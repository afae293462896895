# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Profiles: what an operator writes, validated.

A profile is a YAML mapping; README.md beside this package explains every key. Depths are packets here,
fractional in steps of 1/256; those that are written in bytes or as a time are converted when they come in
(units.py). The default of `not_ect` follows where the schemes come from: ecn, ecn-gentle and ecnm are RED
with marks in place of drops, and RFC 3168 (section 5) keeps the drop for packets that cannot carry the
mark; threshold and mecn are defined by marks alone, and lose packets only when the buffer is full.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import WithJsonSchema
from pydantic_core import ErrorDetails, PydanticCustomError

from mecn_controller.dscp import parse_dscp
from mecn_controller.errors import Problem, ProfileError
from mecn_controller.fixed_point import (
    PROBABILITY_ONE,
    QDEPTH_MAX,
    REPORT_PERIOD_MAX,
    RTT_CLASSES,
    RTT_MAX,
    SERVICE_TIME_MAX,
    SLOPE_MAX,
    depth_to_key,
)
from mecn_controller.quantities import parse_rate
from mecn_controller.units import Link
from mecn_controller.yaml_source import Document, read_document
from mecn_controller.yaml_source import parse_document as parse_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

MarkPoint = Literal["tail", "front"]
AboveMaxTh = Literal["mark", "drop"]
NotEct = Literal["pass", "drop"]
GentleSignal = Literal["mark", "drop"]
Spacing = Literal["independent", "uniform", "wait"]

HINTS = {"aecn": "adaptive ECN is ecn, ecnm or mecn with rtt_class_bounds_ms and rtt_class_max_p"}
"""What to write instead of names that the literature has for schemes."""


def exact(value: float) -> Fraction:
    """The decimal number that was written, not its nearest binary one: 0.1 is 1/10."""
    return Fraction(repr(value))


def problem(key: str, message: str) -> PydanticCustomError:
    """A validation error that belongs to `key`; the message says all."""
    return PydanticCustomError("mecn", "{message}", {"key": key, "message": message})


def bad_value(message: str) -> PydanticCustomError:
    """A validation error of one field; the message goes after the key and its value."""
    return PydanticCustomError("mecn", "{message}", {"message": message})


def number(value: float) -> str:
    """5.0 as `5`, as a user would write it."""
    return repr(int(value)) if math.isfinite(value) and value == int(value) else repr(value)


def _check_depth(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    if value != value or not 0 <= value <= QDEPTH_MAX:
        raise bad_value(f"must be within 0 and {QDEPTH_MAX} packets")
    try:
        depth_to_key(exact(float(value)))
    except ValueError:
        nearest = round(exact(float(value)) * 256)
        raise bad_value(f"must be a multiple of 1/256 packet (nearest: {number(nearest / 256)})") from None
    return value


def _check_dscp(value: object) -> object:
    try:
        return parse_dscp(value)
    except ValueError as error:
        raise bad_value(f"cannot be used: {error}") from None


DEPTH_SCHEMA = {
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": QDEPTH_MAX},
        {"type": "string", "pattern": r"^\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([kKmM]?[bB]|[uUmM]?[sS])\s*$"},
    ]
}
"""Depths as they are written: packets as number, or bytes or a time as text."""

Depth = Annotated[
    float,
    Field(strict=True, allow_inf_nan=False),
    BeforeValidator(_check_depth),
    WithJsonSchema(DEPTH_SCHEMA),
]
Probability = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(strict=True, ge=1 / PROBABILITY_ONE, le=1, allow_inf_nan=False)]


PacketCount = Annotated[int, Field(strict=True, ge=0, le=QDEPTH_MAX)]
"""Packets in a queue."""

ServiceTime = Annotated[float, Field(strict=True, gt=0, le=SERVICE_TIME_MAX, allow_inf_nan=False)]
"""Mean time that a packet takes on the link, microseconds."""

PacketBytes = Annotated[int, Field(strict=True, ge=1, le=65535)]
"""Length of a frame, bytes."""

QueueLimit = Annotated[int, Field(strict=True, ge=1, le=QDEPTH_MAX)]
"""Packets that a queue holds."""

ReportPeriod = Annotated[
    float, Field(strict=True, ge=0.001, le=REPORT_PERIOD_MAX / 1000, allow_inf_nan=False)
]
"""Milliseconds."""

TimeConstant = Annotated[float, Field(strict=True, gt=0, le=1e9, allow_inf_nan=False)]
"""Milliseconds."""


def _check_rate(value: object) -> object:
    if isinstance(value, str):
        try:
            parse_rate(value)
        except ValueError as error:
            raise bad_value(f"cannot be used: {error}") from None
    return value


LinkRate = Annotated[str, Field(strict=True), BeforeValidator(_check_rate)]
"""A rate with its unit, as `10Mbps`."""

RttBound = Annotated[float, Field(strict=True, ge=0.016, le=RTT_MAX * 0.016, allow_inf_nan=False)]
"""Round-trip time, milliseconds."""

DSCP_LIST_SCHEMA = {
    "type": "array",
    "items": {"anyOf": [{"type": "integer", "minimum": 0, "maximum": 63}, {"type": "string"}]},
}
"""Code points as they are written, for JSON Schema: numbers or names."""

Dscp = Annotated[
    tuple[int, ...] | None,
    BeforeValidator(_check_dscp),
    WithJsonSchema({"anyOf": [DSCP_LIST_SCHEMA, {"const": "any"}, {"type": "null"}]}),
]


DEPTHS = ("min_th", "mid_th", "max_th", "threshold")
"""Keys that are depths."""
TIME_CONSTANT = "time_constant_ms"
WITH_UNIT = re.compile(r"\s*[0-9][0-9.]*\s*[A-Za-z]+\s*", re.ASCII)
"""A depth with a unit; other text is no depth at all."""


def in_packets(data: dict[str, object]) -> dict[str, object]:
    """A profile's keys with depths in packets, and `weight` in place of `time_constant_ms`."""
    try:
        link = Link.of(data.get("link_rate"), data.get("link_packet_bytes"))
    except ValueError:
        return data  # the field's own check says what is wrong
    found = dict(data)
    for key in DEPTHS:
        value = data.get(key)
        if isinstance(value, str) and WITH_UNIT.fullmatch(value):
            try:
                found[key] = link.packets(value)
            except ValueError as error:
                raise problem(key, f"{key} ({value}): {error}") from None
    constant = found.get("time_constant_ms")
    if isinstance(constant, (int, float)) and not isinstance(constant, bool) and 0 < constant < math.inf:
        if "weight" in found:
            raise problem("time_constant_ms", "time_constant_ms cannot be given beside weight")
        try:
            found["weight"] = max(1 / PROBABILITY_ONE, link.weight(constant))
        except ValueError as error:
            raise problem("time_constant_ms", f"time_constant_ms: {error}") from None
        del found["time_constant_ms"]
    return found


def _has_unit(key: str, data: Mapping[str, object]) -> bool:
    return isinstance(data.get(key), str) or (key == TIME_CONSTANT and data.get(key) is not None)


class Profile(BaseModel):
    """What all schemes share. Immutable.

    Use the scheme's class, `load_profile` or `parse_profile` to make one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

    name: str = Field(min_length=1, max_length=80, strict=True, pattern=r"^[^\x00-\x1f\x7f]+$")
    scheme: str
    mark_point: MarkPoint = "front"
    dscp: Dscp = None
    mean_service_time_us: ServiceTime | None = None
    idle_step_us: ServiceTime | None = None
    queue_limit_packets: QueueLimit | None = None
    report_period_ms: ReportPeriod | None = None
    link_rate: LinkRate | None = None
    link_packet_bytes: PacketBytes | None = None
    description: str = Field(default="", strict=True)

    _written: dict[str, object] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _in_packets(cls, data: object, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Depths that are written in bytes or as a time become packets, a time constant becomes a weight."""
        if not isinstance(data, dict):
            return handler(data)
        profile = handler(in_packets(data))
        profile._written = {key: data[key] for key in (*DEPTHS, TIME_CONSTANT) if _has_unit(key, data)}
        return profile

    @model_validator(mode="after")
    def _idle_time_has_a_beginning(self) -> Self:
        if self.idle_step_us is not None and self.mean_service_time_us is None:
            raise problem("idle_step_us", "idle_step_us needs mean_service_time_us")
        return self

    @property
    def idle_decay_step_us(self) -> float | None:
        """Idle time for which the average falls by its weight once; None: it stands still."""
        return self.mean_service_time_us if self.idle_step_us is None else self.idle_step_us

    @property
    def written(self) -> Mapping[str, object]:
        """Keys that were not written in packets or as a weight, and how: `7500 B`, a time constant."""
        return self._written

    def as_written(self, mode: Literal["json", "python"] = "python") -> dict[str, Any]:
        """The keys that were given, in the units in which they were given."""
        data = self.model_dump(mode=mode, exclude_unset=True)
        if TIME_CONSTANT in self._written:
            del data["weight"]
        return {**data, **self._written}

    @property
    def ewma_weight(self) -> Fraction:
        """The weight w of the average; 1 means the actual depth."""
        return Fraction(1)

    def replace(self, **changes: object) -> Self:
        """A copy with some keys changed, validated again. The others keep their units."""
        data = self.as_written()
        if "weight" in changes:
            data.pop(TIME_CONSTANT, None)
        elif TIME_CONSTANT in changes:
            data.pop("weight", None)
        data.update(changes)
        return validated(type(self), data, Document(f"profile {self.name!r}", data, start=(0, 0)))


class DropTail(Profile):
    """No signal at all; the average is kept and packets are counted."""

    scheme: Literal["drop-tail"] = "drop-tail"
    weight: Weight = 0.002
    time_constant_ms: TimeConstant | None = None

    @property
    def ewma_weight(self) -> Fraction:
        """The weight w of the average."""
        return exact(self.weight)


class Marking(Profile):
    """What the schemes with a signal share."""

    above_max_th: AboveMaxTh = "mark"
    not_ect: NotEct = "pass"


class Threshold(Marking):
    """CE for each packet when the actual depth is above `threshold` packets (Liu and Jain, mark-front)."""

    scheme: Literal["threshold"] = "threshold"
    threshold: Depth


def _check_order(profile: Profile, *keys: str) -> None:
    for lower, upper in itertools.pairwise(keys):
        a, b = getattr(profile, lower), getattr(profile, upper)
        if not a < b:
            raise problem(lower, f"{lower} ({number(a)}) must be less than {upper} ({number(b)})")


def _check_steepness(left: float, right: float, p: float, left_key: str, p_key: str) -> None:
    slope = exact(p) / (exact(right) - exact(left))
    if slope * PROBABILITY_ONE > SLOPE_MAX:
        where = f"within {number(right - left)} packets of {left_key} ({number(left)})"
        limit = "the data plane's ramps rise by less than 2 per packet"
        raise problem(p_key, f"{p_key} ({number(p)}) is reached {where}: {limit}")


class Drawn(Profile):
    """What the schemes share that draw packets by a ramp over the average.

    With `rtt_class_bounds_ms` of n bounds, classes 1 to n + 1 are TCP connections whose handshake took less
    than the first bound, less than the second..., and the rest; each has a max_p of its own in
    `rtt_class_max_p`. Everything else (class 0) has the profile's.
    """

    weight: Weight = 0.002
    time_constant_ms: TimeConstant | None = None
    spacing: Spacing = "independent"
    min_depth: PacketCount = 0
    mean_packet_bytes: PacketBytes | None = None
    rtt_class_bounds_ms: tuple[RttBound, ...] = ()
    rtt_class_max_p: tuple[Probability, ...] = ()

    @property
    def ewma_weight(self) -> Fraction:
        """The weight w of the average."""
        return exact(self.weight)

    @model_validator(mode="after")
    def _check_classes(self) -> Self:
        bounds, probabilities = self.rtt_class_bounds_ms, self.rtt_class_max_p
        if any(a >= b for a, b in itertools.pairwise(bounds)):
            raise problem("rtt_class_bounds_ms", "rtt_class_bounds_ms must rise")
        if len(probabilities) > RTT_CLASSES - 1:
            raise problem("rtt_class_max_p", f"rtt_class_max_p has more than {RTT_CLASSES - 1} classes")
        if bounds and not probabilities:
            raise problem("rtt_class_bounds_ms", "rtt_class_bounds_ms needs rtt_class_max_p")
        if probabilities and len(probabilities) != len(bounds) + 1:
            message = f"rtt_class_max_p must have one value for each class: {len(bounds) + 1}"
            raise problem("rtt_class_max_p", message)
        return self

    def of_class(self, max_p: float) -> Self:
        """The profile of a class: the same with another max_p, and without classes."""
        return self.replace(max_p=max_p, rtt_class_bounds_ms=(), rtt_class_max_p=())


class Ramp(Drawn):
    """One ramp, from 0 at min_th to max_p at max_th."""

    min_th: Depth
    max_th: Depth
    max_p: Probability

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_order(self, "min_th", "max_th")
        for key, p in (("max_p", self.max_p), *(("rtt_class_max_p", p) for p in self.rtt_class_max_p)):
            _check_steepness(self.min_th, self.max_th, p, "min_th", key)
        return self


class GentleRamp(Ramp):
    """A ramp that goes on from max_p at max_th to 1 at 2 max_th (Floyd's gentle RED)."""

    @model_validator(mode="after")
    def _check_gentle(self) -> Self:
        if 2 * self.max_th > QDEPTH_MAX:
            raise problem("max_th", f"max_th ({number(self.max_th)}) is doubled: at most {QDEPTH_MAX / 2:g}")
        for p in (self.max_p, *self.rtt_class_max_p):
            if (1 - exact(p)) / exact(self.max_th) * PROBABILITY_ONE > SLOPE_MAX:
                why = "the data plane's ramps rise by less than 2 per packet"
                raise problem("max_th", f"max_th ({number(self.max_th)}) is too small: {why}")
        return self


class Red(Ramp):
    """Random early detection (Floyd and Jacobson 1993): drop before the queue, always at or above max_th."""

    scheme: Literal["red"] = "red"
    mark_point: Literal["tail"] = "tail"


class RedGentle(GentleRamp):
    """RED with the gentle ramp; always drop at or above 2 max_th."""

    scheme: Literal["red-gentle"] = "red-gentle"
    mark_point: Literal["tail"] = "tail"


class Ecn(Ramp, Marking):
    """RED with marks (RFC 3168): CE between the thresholds, drop at or above max_th."""

    scheme: Literal["ecn"] = "ecn"
    above_max_th: AboveMaxTh = "drop"
    not_ect: NotEct = "drop"


class EcnGentle(GentleRamp, Marking):
    """As ecn with the gentle ramp: drop at or above 2 max_th.

    `gentle_signal` says what the ramp between max_th and 2 max_th does: mark, or drop whatever the packet's
    codepoint, so that there are marks below max_th only (ns-2's RED with `use_mark_p_` on and `mark_p_` at
    max_p).
    """

    scheme: Literal["ecn-gentle"] = "ecn-gentle"
    gentle_signal: GentleSignal = "mark"
    above_max_th: AboveMaxTh = "drop"
    not_ect: NotEct = "drop"


class Ecnm(Ramp, Marking):
    """As ecn, but every packet is marked at or above max_th."""

    scheme: Literal["ecnm"] = "ecnm"
    above_max_th: AboveMaxTh = "mark"
    not_ect: NotEct = "drop"


class Mecn(Drawn, Marking):
    """Multi-level ECN (Quet et al., section 2.1).

    Incipient marks from min_th, CE from mid_th, CE always from max_th.
    """

    scheme: Literal["mecn"] = "mecn"
    min_th: Depth
    mid_th: Depth
    max_th: Depth
    max_p: Probability | None = None
    max_p_incipient: Probability | None = None
    max_p_moderate: Probability | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        _check_order(self, "min_th", "mid_th", "max_th")
        if self.max_p is not None:
            for key in ("max_p_incipient", "max_p_moderate"):
                if getattr(self, key) is not None:
                    raise problem(key, f"{key} cannot be given beside max_p, which sets both levels")
        else:
            for key, other in (("max_p_incipient", "max_p_moderate"), ("max_p_moderate", "max_p_incipient")):
                if getattr(self, key) is None:
                    missing = f"{key} is missing" if getattr(self, other) is not None else "max_p is missing"
                    need = "scheme mecn needs max_p, or max_p_incipient and max_p_moderate"
                    raise problem(key, f"{missing}: {need}")
        key = "max_p_incipient" if self.max_p is None else "max_p"
        _check_steepness(self.min_th, self.max_th, self.p_incipient, "min_th", key)
        key = "max_p_moderate" if self.max_p is None else "max_p"
        _check_steepness(self.mid_th, self.max_th, self.p_moderate, "mid_th", key)
        for p in self.rtt_class_max_p:
            _check_steepness(self.mid_th, self.max_th, p, "mid_th", "rtt_class_max_p")
        return self

    def of_class(self, max_p: float) -> Self:
        """The profile of a class: the same with another max_p of both levels, and without classes."""
        levels = {"max_p": max_p, "max_p_incipient": None, "max_p_moderate": None}
        return self.replace(**levels, rtt_class_bounds_ms=(), rtt_class_max_p=())

    @property
    def p_incipient(self) -> float:
        """Incipient marking probability just below max_th."""
        value = self.max_p if self.max_p is not None else self.max_p_incipient
        assert value is not None  # by _check
        return value

    @property
    def p_moderate(self) -> float:
        """CE marking probability just below max_th."""
        value = self.max_p if self.max_p is not None else self.max_p_moderate
        assert value is not None  # by _check
        return value


SCHEMES: Mapping[str, type[Profile]] = {
    "drop-tail": DropTail,
    "threshold": Threshold,
    "red": Red,
    "red-gentle": RedGentle,
    "ecn": Ecn,
    "ecn-gentle": EcnGentle,
    "ecnm": Ecnm,
    "mecn": Mecn,
}


def _describe(value: object) -> str:
    text = number(value) if isinstance(value, float) else repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


_RANGES = {
    "link_packet_bytes": "1 and 65535 bytes",
    "queue_limit_packets": f"1 and {QDEPTH_MAX} packets",
    "mean_packet_bytes": "1 and 65535 bytes",
    "report_period_ms": f"0.001 and {REPORT_PERIOD_MAX / 1000:.0f} ms",
    "rtt_class_bounds_ms": f"0.016 and {RTT_MAX * 0.016:.0f} ms",
}


def _message(error: ErrorDetails, key: str, model: type[Profile]) -> str:
    """One line for one of pydantic's errors."""
    value = _describe(error["input"])
    context = error.get("ctx", {})
    match error["type"]:
        case "mecn":
            message = str(context["message"])
            return message if "key" in context else f"{key} ({value}) {message}"
        case "extra_forbidden":
            near = difflib.get_close_matches(key, model.model_fields, n=1)
            hint = f" (did you mean {near[0]}?)" if near else f" (known: {', '.join(model.model_fields)})"
            return f"{key} is not a key of scheme {model.model_fields['scheme'].default}{hint}"
        case "missing":
            return f"{key} is missing: scheme {model.model_fields['scheme'].default} needs it"
        case "float_type":
            hint = ""
            if isinstance(error["input"], str):
                with contextlib.suppress(ValueError):
                    hint = f" (YAML reads {error['input']} as text: write {float(error['input'])!r})"
            return f"{key} must be a number, not {value}{hint}"
        case "finite_number":
            return f"{key} must be a finite number, not {value}"
        case "string_type":
            return f"{key} must be text, not {value}"
        case "string_too_short" | "string_too_long" | "string_pattern_mismatch":
            return f"{key} must be one line of 1 to 80 characters"
        case "literal_error":
            return f"{key} must be {context['expected']}, not {value}".replace("'", "")
        case "int_type":
            return f"{key} must be a whole number, not {value}"
        case "greater_than_equal" | "less_than_equal" if key in _RANGES:
            return f"{key} ({value}) must be within {_RANGES[key]}"
        case "greater_than_equal" | "less_than_equal" if key == "min_depth":
            return f"{key} ({value}) must be within 0 and {QDEPTH_MAX} packets"
        case "greater_than" | "less_than_equal" if key == "time_constant_ms":
            return f"{key} ({value}) must be more than 0 and at most 1e9 ms"
        case "greater_than" | "less_than_equal" if key in ("mean_service_time_us", "idle_step_us"):
            return f"{key} ({value}) must be more than 0 and at most {SERVICE_TIME_MAX}"
        case "less_than_equal" | "greater_than_equal":
            low = "2^-32" if key == "weight" else "0"
            return f"{key} ({value}) must be within {low} and 1"
        case _:
            return f"{key} ({value}): {error['msg']}"


P = TypeVar("P", bound=Profile)


def validated(model: type[P], data: Mapping[str, object], document: Document) -> P:
    """`data` as a profile of class `model`; ProfileError with positions from `document`."""
    try:
        return model.model_validate(data)
    except ValidationError as invalid:
        problems = []
        for error in invalid.errors(include_url=False):
            key = str(error.get("ctx", {}).get("key") or (error["loc"][0] if error["loc"] else ""))
            at = document.keys.get(key, document.start)
            problems.append(Problem(*at, _message(error, key, model)))
        raise ProfileError(document.source, problems) from None


def from_document(document: Document) -> Profile:
    """A parsed document as a profile."""
    data = document.data
    if "scheme" not in data:
        message = f"scheme is missing: give one of {', '.join(SCHEMES)}"
        raise ProfileError(document.source, [Problem(*document.start, message)])
    scheme = data["scheme"]
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        at = document.keys.get("scheme", document.start)
        hint = HINTS.get(scheme) if isinstance(scheme, str) else None
        message = f"scheme {_describe(scheme)} is not known ({hint or 'available: ' + ', '.join(SCHEMES)})"
        raise ProfileError(document.source, [Problem(*at, message)])
    return validated(SCHEMES[scheme], data, document)


def parse_profile(data: str | Mapping[str, object], source: str = "profile") -> Profile:
    """A profile from YAML text, or from a mapping with the same keys."""
    if isinstance(data, str):
        return from_document(parse_yaml(data, source))
    return from_document(Document(source, dict(data), start=(0, 0)))


def load_profile(path: str | Path, *, link_rate: str | None = None) -> Profile:
    """A profile from a YAML file. `link_rate`: of the port that it is for, in place of the profile's own."""
    document = read_document(Path(path))
    if link_rate is not None:
        document.data["link_rate"] = link_rate
    return from_document(document)


def profile_yaml(profile: Profile) -> str:
    """A profile as the text of a file."""
    data = profile.as_written(mode="json")
    return str(yaml.safe_dump({"name": profile.name, "scheme": profile.scheme, **data}, sort_keys=False))
