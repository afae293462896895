# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A deployment: which ports and code points of one switch are under which profiles, in one YAML file.

assignments:
  - ports: [1, 2, 3]
    profile: profiles/mecn-high.yaml # relative to this file
  - ports: [3]
    dscp: [EF]                       # in place of the profile's own list
    profile: profiles/threshold.yaml
  - ports: [4]
    profile: profiles/aecn.yaml
    link_rate: 10Mbps                # of these ports, in place of the profile's own
    adapt: {rule: aecn, rtt_ms: [20, 100, 300]}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.json_schema import WithJsonSchema

from mecn_controller import names
from mecn_controller.dscp import format_dscp, parse_dscp
from mecn_controller.errors import Problem, ProfileError
from mecn_controller.policy.profile import DSCP_LIST_SCHEMA, SCHEMES, LinkRate, Profile, load_profile
from mecn_controller.runtime.keeper import Assignment
from mecn_controller.theory.adaptation import (
    AdaptiveEcn,
    AdaptiveRed,
    Rule,
    RuleName,
    Steerable,
    class_rtts,
    steerable,
)
from mecn_controller.units import Link
from mecn_controller.yaml_source import MAX_PROFILE_BYTES

Port = Annotated[int, Field(strict=True, ge=0, le=names.MAX_PORTS - 2)]


def _points(value: object) -> tuple[int, ...]:
    points = parse_dscp(value)
    if points is None:
        raise ValueError("give a list; without dscp the profile says")
    return points


Dscp = Annotated[tuple[int, ...] | None, BeforeValidator(_points), WithJsonSchema(DSCP_LIST_SCHEMA)]


def _link(profile: Profile) -> Link:
    return Link.of(profile.link_rate, profile.link_packet_bytes)


class Adapt(BaseModel):
    """What steers the max_p of a profile (adapt.py)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: RuleName
    max_p: tuple[float, float] | None = None
    """Least and greatest max_p; None: the rule's own."""
    interval_ms: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 500
    rtt_ms: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] | None = None
    """Round-trip times without queueing. aecn: of each class; None: by the bounds of the classes.
    adaptive-red: only to check whether it is stable; None: it is not checked."""

    def check(self, profile: Profile) -> None:
        """ValueError if the rule cannot steer this profile."""
        if profile.report_period_ms is None:
            raise ValueError("adapt needs a profile with report_period_ms")
        if profile.report_period_ms > self.interval_ms:
            raise ValueError("adapt: interval_ms is shorter than the profile's report_period_ms")
        self.make(steerable(profile))
        if self.rtt_ms is not None:
            _ = _link(profile).service_time_s

    def make(self, profile: Steerable) -> Rule:
        """The rule at work on a port. ValueError as from `check`."""
        more: dict[str, Any] = {"interval_s": self.interval_ms / 1e3}
        if self.max_p is not None:
            if not 0 < self.max_p[0] < self.max_p[1] <= 1:
                raise ValueError("adapt: max_p must be two rising numbers above 0 and up to 1")
            more["bounds"] = self.max_p
        if self.rule == "adaptive-red":
            return AdaptiveRed(profile, **more)
        return AdaptiveEcn(profile, 1 / _link(profile).service_time_s, self._rtts_s(profile), **more)

    def _rtts_s(self, profile: Steerable) -> tuple[float, ...]:
        if self.rtt_ms is None:
            return class_rtts(profile.rtt_class_bounds_ms)
        return tuple(ms / 1e3 for ms in self.rtt_ms)

    def warning(self, profile: Profile) -> str:
        """What the linear model says against steering this profile; empty: nothing, or it cannot be asked.

        It needs round-trip times and the rate of the link; without the former adaptive-red is not checked.
        """
        from mecn_controller.theory.adaptation_margins import check, least_interval_s

        steered = steerable(profile)
        if self.rule == "adaptive-red" and self.rtt_ms is None:
            return ""
        rule = self.make(steered)
        rtts, capacity = self._rtts_s(steered), 1 / _link(profile).service_time_s
        found = check(
            steered, capacity_pps=capacity, rtts_s=rtts, bounds=rule.bounds, step=rule.greatest_step
        )
        if warning := found.warning():
            return warning
        least = least_interval_s(steered, capacity_pps=capacity, rtt_s=max(rtts), step=rule.greatest_step)
        if self.interval_ms < 1e3 * least:
            return (
                f"interval_ms {self.interval_ms:g} is too short for this average and a round-trip time of"
                f" {max(rtts) * 1e3:g} ms: max_p would overshoot; give {1e3 * least:.0f} or more"
            )
        return ""


class DeploymentEntry(BaseModel):
    """Some ports under one profile."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ports: list[Port] = Field(min_length=1, max_length=names.MAX_PORTS)
    profile: str = Field(min_length=1, strict=True)
    dscp: Dscp = None
    link_rate: LinkRate | None = None
    """Of these ports, in place of the profile's own."""
    adapt: Adapt | None = None


class Deployment(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    assignments: list[DeploymentEntry] = Field(min_length=1)


class _NoAliases(yaml.SafeLoader):
    """YAML without aliases, which could make a small file a huge value."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not used here", None)
        return super().compose_node(parent, index)


@dataclass(frozen=True)
class Declared:
    """A deployment with its profiles."""

    assignments: list[Assignment]
    rules: list[Callable[[Steerable], Rule] | None]
    """For each assignment what makes the rule that steers it."""
    warnings: tuple[str, ...] = ()
    """What the linear model says against rules, one line each."""


def load_deployment(path: Path) -> Declared:
    """A deployment file and its profiles; ProfileError says what is wrong with which file."""
    source = str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ProfileError(source, [Problem(0, 0, f"cannot be read: {error.strerror or error}")]) from None
    if len(raw) > MAX_PROFILE_BYTES:
        raise ProfileError(source, [Problem(0, 0, f"is larger than {MAX_PROFILE_BYTES} bytes")])
    try:
        data = yaml.load(raw.decode("utf-8"), Loader=_NoAliases)  # noqa: S506 - a safe loader
        deployment = Deployment.model_validate(data)
    except ValidationError as invalid:
        problems = [
            Problem(0, 0, f"{'.'.join(map(str, error['loc'])) or 'file'}: {error['msg']}")
            for error in invalid.errors(include_url=False)
        ]
        raise ProfileError(source, problems) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ProfileError(source, [Problem(0, 0, f"is not YAML: {' '.join(str(error).split())}")]) from None
    return _assignments(deployment, path)


def _assignments(deployment: Deployment, path: Path) -> Declared:
    found: list[Assignment] = []
    rules: list[Callable[[Steerable], Rule] | None] = []
    profiles: dict[tuple[Path, str | None], Profile] = {}
    taken: set[tuple[int, int | None]] = set()
    steered: set[int] = set()
    warnings: list[str] = []
    for entry in deployment.assignments:
        key = (path.parent / entry.profile, entry.link_rate)
        if key not in profiles:
            profiles[key] = load_profile(key[0], link_rate=entry.link_rate)
        profile = profiles[key]
        points = profile.dscp if entry.dscp is None else entry.dscp
        if entry.adapt is not None:
            try:
                entry.adapt.check(profile)
            except ValueError as error:
                raise ProfileError(str(path), [Problem(0, 0, f"{entry.profile}: {error}")]) from None
            if warning := entry.adapt.warning(profile):
                ports = ", ".join(map(str, entry.ports))
                warnings.append(f"port{'s' if len(entry.ports) > 1 else ''} {ports}: {warning}")
        for port in entry.ports:
            for point in [None] if points is None else points:
                if (port, point) in taken:
                    traffic = format_dscp(None if point is None else (point,))
                    message = f"port {port}, DSCP {traffic}, is given twice"
                    raise ProfileError(str(path), [Problem(0, 0, message)])
                taken.add((port, point))
            if entry.adapt is not None and port in steered:
                message = f"port {port}: a port's reports can steer one profile only"
                raise ProfileError(str(path), [Problem(0, 0, message)])
            if entry.adapt is not None:
                steered.add(port)
            found.append(Assignment(profile, port, entry.dscp))
            rules.append(None if entry.adapt is None else entry.adapt.make)
    return Declared(found, rules, tuple(warnings))


def json_schemas() -> dict[str, Any]:
    """JSON Schema (2020-12) of profiles, one of the schemes' models, and of deployments."""
    form: Any = Annotated[_union(tuple(SCHEMES.values())), Field(discriminator="scheme")]
    schemes: TypeAdapter[Any] = TypeAdapter(form)
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    profile = schemes.json_schema()
    for definition in profile["$defs"].values():
        definition["required"] = sorted({*definition.get("required", []), "scheme"})
    return {
        "profile": {**dialect, "title": "Profile", **profile},
        "deployment": {**dialect, **Deployment.model_json_schema()},
    }


def _union(models: tuple[type[Profile], ...]) -> Any:  # noqa: ANN401 - a type form
    union: Any = models[0]
    for model in models[1:]:
        union = union | model
    return union
