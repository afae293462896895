# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A forwarding pipeline: a P4Info and the engine that runs the device config, known to fit each other."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import mecn_native
from finsy.proto import p4r
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet  # type: ignore[import-not-found,import-untyped,unused-ignore]

from .digests import Digests
from .fit import fit
from .p4info import read_p4info
from .port_states import PortStates
from .schema import Schema
from .status import invalid_argument

SwitchFactory = Callable[[bytes], mecn_native.Switch]
"""Makes a switch from a BMv2 JSON; raises `mecn_native.LoadError` if it is not one."""

EntryKey = tuple[int, tuple[mecn_native.MatchField, ...], int]
"""Table id, match key and priority: what identifies an entry."""


@dataclass(frozen=True)
class Cookies:
    """What a controller stores with an entry and the switch only hands back."""

    controller_metadata: int = 0
    metadata: bytes = b""


NO_COOKIES = Cookies()


@dataclass(frozen=True)
class OneShot:
    """The set of actions that one entry was written with, and what was made of it in the engine."""

    profile_id: int
    group: int
    members: tuple[int, ...]
    wire: p4r.ActionProfileActionSet


@dataclass
class Pipeline:
    """One configured pipeline. The engine holds the state; beside it is what only controllers need."""

    config: p4r.ForwardingPipelineConfig
    schema: Schema
    switch: mecn_native.Switch
    cookies: dict[EntryKey, Cookies] = field(default_factory=dict)
    default_cookies: dict[int, Cookies] = field(default_factory=dict)
    clock: Callable[[], int] = time.monotonic_ns
    """The data plane's time in nanoseconds."""
    one_shots: dict[EntryKey, OneShot] = field(default_factory=dict)
    ports: PortStates = field(default_factory=PortStates)
    groups: dict[tuple[int, int], p4r.ActionProfileGroup] = field(default_factory=dict)
    """Groups as they were written, by action profile and id."""
    multicast_groups: dict[int, p4r.MulticastGroupEntry] = field(default_factory=dict)
    clone_sessions: dict[int, p4r.CloneSessionEntry] = field(default_factory=dict)
    digests: Digests = field(default_factory=Digests)
    _last_id: int = 0

    def one_shots_of(self, profile_id: int) -> bool:
        """Whether tables of this action selector are programmed with sets of actions."""
        return any(one_shot.profile_id == profile_id for one_shot in self.one_shots.values())

    def new_id(self) -> int:
        """An id for a member or group of a one-shot."""
        self._last_id += 1
        return self._last_id


_WRAPPER_TAGS = (b"\x08", b"\x12", b"\x1a")
"""First bytes of a `p4.tmp.P4DeviceConfig`: its fields reassign (1), extras (2), device_data (3). No JSON
begins with them."""


def bmv2_json(device_config: bytes) -> bytes:
    """The BMv2 JSON of a device config: the config itself, or what is in a `p4.tmp.P4DeviceConfig`, as
    controllers send it that follow p4lang/tutorials."""
    if device_config[:1] not in _WRAPPER_TAGS:
        return device_config
    try:
        fields = UnknownFieldSet(Empty.FromString(device_config))
    except DecodeError:
        return device_config
    for field_ in fields:
        if field_.field_number == 3 and isinstance(field_.data, bytes):
            return field_.data
    return device_config


def make_switch(device_config: bytes, factory: SwitchFactory) -> mecn_native.Switch:
    """Raises INVALID_ARGUMENT if it cannot be realised."""
    try:
        return factory(device_config)
    except mecn_native.LoadError as error:
        raise invalid_argument(f"device config: {error}") from error


def build_pipeline(
    config: p4r.ForwardingPipelineConfig,
    factory: SwitchFactory,
    clock: Callable[[], int] = time.monotonic_ns,
    ports: PortStates | None = None,
) -> Pipeline:
    """Raises INVALID_ARGUMENT if the config is incomplete, cannot be realised, or its halves do not fit."""
    if not config.HasField("p4info"):
        raise invalid_argument("the pipeline config has no P4Info")
    if not config.p4_device_config:
        raise invalid_argument("the pipeline config has no device config (a BMv2 JSON)")
    states = ports if ports is not None else PortStates()
    schema = read_p4info(config.p4info, states.names, states.cpu_port)
    device_config = bmv2_json(config.p4_device_config)
    switch = make_switch(device_config, factory)
    kept = p4r.ForwardingPipelineConfig()
    kept.CopyFrom(config)
    schema = fit(schema, switch, device_config)
    return Pipeline(kept, schema, switch, clock=clock, ports=states)
