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
routes: # other routes of the switch are left alone
  - {prefix: 10.0.2.0/24, port: 2, src_mac: "02:00:00:00:02:fe", dst_mac: "02:00:00:00:02:01"}
  - {prefix: 10.0.2.254/32, local: true}
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator
from pydantic.json_schema import WithJsonSchema

from mecn_controller import names
from mecn_controller.dscp import format_dscp, parse_dscp
from mecn_controller.errors import ProfileError
from mecn_controller.placed_yaml import PlacedFile, read_placed
from mecn_controller.policy.profile import DSCP_LIST_SCHEMA, SCHEMES, LinkRate, Profile, load_profile
from mecn_controller.policy.routes import AnyRoute, LocalRoute, Route
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


def _mac(value: object) -> object:
    if isinstance(value, int):
        raise ValueError("YAML takes this for a number: write it in quotes")
    return value


Mac = Annotated[str, BeforeValidator(_mac)]


class RouteEntry(BaseModel):
    """A route through a port, or an address of the switch itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prefix: str
    port: Port | None = None
    src_mac: Mac | None = None
    """Of the switch's port."""
    dst_mac: Mac | None = None
    """Of the next hop."""
    local: bool = False
    """Packets go to the controller; port and addresses are left out."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.route().entry()
        return self

    def route(self) -> AnyRoute:
        """The route. ValueError if it says too much or too little."""
        given = (self.port, self.src_mac, self.dst_mac)
        if self.local and given == (None, None, None):
            return LocalRoute(self.prefix)
        if self.local or self.port is None or self.src_mac is None or self.dst_mac is None:
            raise ValueError("give port, src_mac and dst_mac, or local: true")
        return Route(self.prefix, self.port, self.src_mac, self.dst_mac)


class Deployment(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    assignments: list[DeploymentEntry] = Field(min_length=1)
    routes: list[RouteEntry] = []


@dataclass(frozen=True)
class Declared:
    """A deployment with its profiles."""

    assignments: list[Assignment]
    rules: list[Callable[[Steerable], Rule] | None]
    """For each assignment what makes the rule that steers it."""
    warnings: tuple[str, ...] = ()
    """What the linear model says against rules, one line each."""
    routes: tuple[AnyRoute, ...] = ()


def load_deployment(path: Path) -> Declared:
    """A deployment file and its profiles; ProfileError says what is wrong where in which file."""
    file = read_placed(path, "a deployment is a mapping: assignments, routes", MAX_PROFILE_BYTES)
    deployment = file.validated(Deployment)
    return _assignments(deployment, file, path.parent)


def _assignments(deployment: Deployment, file: PlacedFile, folder: Path) -> Declared:
    found: list[Assignment] = []
    rules: list[Callable[[Steerable], Rule] | None] = []
    profiles: dict[tuple[str, str | None], Profile] = {}
    taken: set[tuple[int, int | None]] = set()
    steered: set[int] = set()
    warnings: list[str] = []
    for index, entry in enumerate(deployment.assignments):
        where = ("assignments", index)
        key = (entry.profile, entry.link_rate)
        if key not in profiles:
            profiles[key] = _profile(entry, file, folder, where)
        profile = profiles[key]
        points = profile.dscp if entry.dscp is None else entry.dscp
        if entry.adapt is not None:
            try:
                entry.adapt.check(profile)
            except ValueError as error:
                raise file.failure((*where, "adapt"), f"{entry.profile}: {error}") from None
            if warning := entry.adapt.warning(profile):
                ports = ", ".join(map(str, entry.ports))
                warnings.append(f"port{'s' if len(entry.ports) > 1 else ''} {ports}: {warning}")
        for port in entry.ports:
            for point in [None] if points is None else points:
                if (port, point) in taken:
                    traffic = format_dscp(None if point is None else (point,))
                    raise file.failure(where, f"port {port}, DSCP {traffic}, is given twice")
                taken.add((port, point))
            if entry.adapt is not None and port in steered:
                raise file.failure(where, f"port {port}: a port's reports can steer one profile only")
            if entry.adapt is not None:
                steered.add(port)
            found.append(Assignment(profile, port, entry.dscp))
            rules.append(None if entry.adapt is None else entry.adapt.make)
    return Declared(found, rules, tuple(warnings), _routes(deployment, file))


def _profile(entry: DeploymentEntry, file: PlacedFile, folder: Path, where: tuple[str | int, ...]) -> Profile:
    try:
        return load_profile(folder / entry.profile, link_rate=entry.link_rate)
    except ProfileError as error:
        if error.problems[0].line:
            raise
        raise file.failure((*where, "profile"), str(error)) from None


def _routes(deployment: Deployment, file: PlacedFile) -> tuple[AnyRoute, ...]:
    found: dict[object, AnyRoute] = {}
    for index, entry in enumerate(deployment.routes):
        route = entry.route()
        if found.setdefault(route.entry().key, route) is not route:
            raise file.failure(("routes", index), f"the route to {entry.prefix} is given twice")
    return tuple(found.values())


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
