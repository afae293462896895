# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies as YAML: nodes, links, and what runs between them.

::

    name: two senders
    overhead_bytes: -14              # rates count IP packets; default 0: with Ethernet's header
    mtu: 1000                        # longest IP packet of the hosts; default 1500
    hosts: [S1, S2, D1, D2]
    switches: [R1, R2]
    links:
      - {between: [R1, R2], rate: 1.5mbit, delay: 40ms, queue_limit: 200}
      - {between: [S1, R1], rate: 10mbit, delay: 2ms}
      - {between: [S2, R1], rate: 10mbit, delay: 20ms}
      - {between: [R2, D1], rate: 10mbit, delay: 4ms}
      - {between: [R2, D2], rate: 10mbit, delay: 4ms}
    profiles:                        # the first is the queue that a lab shows and records
      - {switch: R1, towards: R2, profile: mecn-low.yaml}     # relative to this file
    flows:                           # bulk TCP; without any, the i-th of the first half of the hosts
      - {from: S1, to: D1}           # sends to the i-th of the second half
      - {from: S2, to: D2, start: 2s}

`load_scenario` names file, line and column of whatever cannot be used.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import yaml
from mecn_controller.errors import Problem, ProfileError
from mecn_controller.fixed_point import SERVICE_TIME_MAX
from mecn_controller.placed_yaml import PlacedFile, parse_placed, read_placed
from mecn_controller.policy.profile import Profile, load_profile
from mecn_controller.quantities import parse_rate, parse_time
from mecn_switch.ports import PortSettings
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.json_schema import WithJsonSchema
from pydantic_core import PydanticCustomError

from .topology import DEFAULT_QUEUE_LIMIT, Host, Link, Switch, Topology, TopologyError, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_FILE_BYTES = 4 << 20
WHAT = "a topology is a mapping: name, hosts, links..."
DEFAULT_MTU = 1500
MAX_TIME_S = 86400
ETHERNET_HEADER_BYTES = 14


class TopologyFileError(TopologyError):
    """A file that cannot be used; one line for each problem: file, line, column, reason."""

    def __init__(self, source: str, problems: list[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        lines = (
            f"{source}:{p.line}:{p.column}: {p.message}" if p.line else f"{source}: {p.message}"
            for p in self.problems
        )
        super().__init__("\n".join(lines))


# ---- What a scenario is ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Flow:
    """A bulk TCP connection between two hosts."""

    source: str
    sink: str
    start_s: float = 0.0
    stop_s: float | None = None
    """When the application stops handing data over; None: never."""


@dataclass(frozen=True, slots=True)
class Placement:
    """A profile for the queue of a switch's port."""

    switch: str
    port: int
    profile: Profile


@dataclass(frozen=True)
class Scenario:
    """A topology, the profiles of its queues, and the flows between its hosts."""

    topology: Topology
    placements: tuple[Placement, ...]
    flows: tuple[Flow, ...]
    mtu: int = DEFAULT_MTU
    """Longest IP packet of the hosts, bytes."""


# ---- What the file says ------------------------------------------------------------------------------------


def _quantity(parse: Callable[[str], object], examples: str) -> Callable[[object], object]:
    def check(value: object) -> object:
        if not isinstance(value, str):
            raise PydanticCustomError("mecn", "{m}", {"m": f"must have a unit, such as {examples}"})
        try:
            return parse(value)
        except ValueError as error:
            raise PydanticCustomError("mecn", "{m}", {"m": str(error)}) from None

    return check


def _rate(text: str) -> int:
    rate = parse_rate(text)
    if not rate.is_integer():
        raise ValueError(f"rate {text!r} is not a whole number of bits per second")
    return int(rate)


def _time(text: str) -> int:
    seconds = parse_time(text, zero=True)
    if seconds > MAX_TIME_S:
        raise ValueError(f"{text!r} is longer than {MAX_TIME_S} s")
    return round(seconds * 1e9)


_TEXT = WithJsonSchema({"type": "string"})
Rate = Annotated[int, BeforeValidator(_quantity(_rate, "1.5mbit, 10mbit, 1gbit")), _TEXT]
"""Bits per second."""
Time = Annotated[int, BeforeValidator(_quantity(_time, "40ms, 2s")), _TEXT]
"""Nanoseconds."""
Name = Annotated[str, Field(strict=True)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LinkDescription(_Part):
    """A link."""

    between: tuple[Name, Name]
    rate: Rate
    delay: Time
    queue_limit: int = Field(default=DEFAULT_QUEUE_LIMIT, strict=True, ge=1, le=1_000_000)


class ProfileDescription(_Part):
    """A profile for the queue of the switch's port towards a neighbour."""

    switch: Name
    towards: Name
    profile: str = Field(strict=True, min_length=1)


class FlowDescription(_Part):
    """A flow."""

    source: Name = Field(alias="from")
    sink: Name = Field(alias="to")
    start: Time = 0
    stop: Time = 0
    """0: never."""


class Description(_Part):
    """The file."""

    name: str = Field(strict=True, min_length=1, max_length=80)
    overhead_bytes: int = Field(default=0, strict=True)
    mtu: int = Field(default=DEFAULT_MTU, strict=True, ge=128, le=9000)
    hosts: list[Name] = Field(min_length=1)
    switches: list[Name] = []
    links: list[LinkDescription] = Field(min_length=1)
    profiles: list[ProfileDescription] = []
    flows: list[FlowDescription] = []


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a topology file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Description.model_json_schema()}


# ---- Reading -----------------------------------------------------------------------------------------------


def load_scenario(path: Path) -> Scenario:
    """Reads a topology file and the profiles that it names.

    Raises :class:`TopologyFileError`, or ProfileError where a profile is wrong.
    """
    with _as_topology_errors():
        file = read_placed(path, WHAT, MAX_FILE_BYTES)
    return _scenario(file, path.parent)


def parse_scenario(text: str, source: str, folder: Path) -> Scenario:
    """As :func:`load_scenario`; profiles are looked for in `folder`."""
    with _as_topology_errors():
        file = parse_placed(text, source, WHAT)
    return _scenario(file, folder)


@contextmanager
def _as_topology_errors() -> Iterator[None]:
    try:
        yield
    except ProfileError as error:
        raise TopologyFileError(error.source, list(error.problems)) from None


def _failure(file: PlacedFile, where: Where, message: str) -> TopologyFileError:
    return TopologyFileError(file.source, [file.problem(where, message)])


def _scenario(file: PlacedFile, folder: Path) -> Scenario:
    with _as_topology_errors():
        described = file.validated(Description)
    try:
        topology = Topology(
            name=described.name,
            hosts=tuple(map(Host, described.hosts)),
            switches=tuple(map(Switch, described.switches)),
            links=tuple(
                Link(*link.between, link.rate, link.delay / 1e9, link.queue_limit) for link in described.links
            ),
            overhead_bytes=described.overhead_bytes,
        )
    except TopologyError as error:
        raise _failure(file, error.where, str(error)) from None
    return Scenario(
        topology, _placements(file, described, topology, folder), _flows(file, described), described.mtu
    )


def _placements(
    file: PlacedFile, described: Description, topology: Topology, folder: Path
) -> tuple[Placement, ...]:
    from .addressing import address_plan

    plan = address_plan(topology)
    found: dict[tuple[str, int], Placement] = {}
    for index, wanted in enumerate(described.profiles):
        where: Where = ("profiles", index)
        if wanted.switch not in described.switches:
            raise _failure(file, (*where, "switch"), f"there is no switch {wanted.switch}")
        try:
            port = plan.port(wanted.switch, topology.link_between(wanted.switch, wanted.towards))
        except TopologyError as error:
            raise _failure(file, (*where, "towards"), str(error)) from None
        if (wanted.switch, port) in found:
            message = f"the queue of {wanted.switch} towards {wanted.towards} has a profile already"
            raise _failure(file, where, message)
        try:
            profile = load_profile(folder / wanted.profile)
        except ProfileError as error:
            if error.problems[0].line:
                raise
            raise _failure(file, (*where, "profile"), str(error)) from None
        fitted = with_service_time(profile, topology, wanted.switch, port, described.mtu)
        found[wanted.switch, port] = Placement(wanted.switch, port, fitted)
    return tuple(found.values())


def with_service_time(profile: Profile, topology: Topology, switch: str, port: int, mtu: int) -> Profile:
    """The profile with the time of a packet on the port's link, unless it says one itself.

    Without it the average of an idle queue never falls.
    """
    from .addressing import address_plan

    if profile.mean_service_time_us is not None:
        return profile
    plan = address_plan(topology)
    link = next(topology.links[i] for i in topology.links_of(switch) if plan.port(switch, i) == port)
    bits = 8 * (mtu + ETHERNET_HEADER_BYTES + topology.overhead_bytes)
    return profile.replace(mean_service_time_us=min(1e6 * bits / link.rate_bps, float(SERVICE_TIME_MAX)))


def _flows(file: PlacedFile, described: Description) -> tuple[Flow, ...]:
    for index, flow in enumerate(described.flows):
        for key, name in (("from", flow.source), ("to", flow.sink)):
            if name not in described.hosts:
                raise _failure(file, ("flows", index, key), f"there is no host {name}")
        if flow.source == flow.sink:
            raise _failure(file, ("flows", index), f"the flow begins and ends at {flow.source}")
        if 0 < flow.stop <= flow.start:
            raise _failure(file, ("flows", index, "stop"), "the flow must stop after its start")
    if described.flows:
        return tuple(
            Flow(flow.source, flow.sink, flow.start / 1e9, flow.stop / 1e9 if flow.stop else None)
            for flow in described.flows
        )
    half = len(described.hosts) // 2
    return tuple(Flow(a, b) for a, b in zip(described.hosts[:half], described.hosts[half:], strict=False))


# ---- Writing -----------------------------------------------------------------------------------------------


def to_yaml(topology: Topology, flows: tuple[Flow, ...] = (), mtu: int = DEFAULT_MTU) -> str:
    """The file that describes a topology, without profiles."""
    settings = PortSettings()
    links = []
    for link in topology.links:
        of = settings.with_rate(f"{link.rate_bps}bit").with_delay(f"{round(link.delay_s * 1e9)}ns")
        row = {"between": [link.a, link.b], "rate": of.rate, "delay": of.delay}
        links.append({**row, "queue_limit": link.queue_limit})
    data: dict[str, object] = {
        "name": topology.name,
        "overhead_bytes": topology.overhead_bytes,
        "mtu": mtu,
        "hosts": [host.name for host in topology.hosts],
        "switches": [switch.name for switch in topology.switches],
        "links": links,
    }
    if flows:
        data["flows"] = [
            {
                "from": flow.source,
                "to": flow.sink,
                "start": f"{round(flow.start_s * 1e9)}ns",
                **({} if flow.stop_s is None else {"stop": f"{round(flow.stop_s * 1e9)}ns"}),
            }
            for flow in flows
        ]
    lines = []
    for key, value in data.items():
        if key in ("links", "flows"):
            lines.append(f"{key}:")
            lines += [f"  - {_flow_style(item)}" for item in value]  # type: ignore[attr-defined]
        else:
            lines.append(f"{key}: {_flow_style(value)}")
    return "\n".join(lines) + "\n"


def _flow_style(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=1 << 20)
    return text.removesuffix("...\n").strip()
