# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A forwarding pipeline: a P4Info and the engine that runs the device config, known to fit each other."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import mecn_native
from finsy.proto import p4r

from .data_types import Bits, Composite
from .digests import Digests
from .p4info import read_p4info
from .schema import Action, Schema, Table
from .status import StatusError, invalid_argument

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
    group_sizes: dict[tuple[int, int], int] = field(default_factory=dict)
    """max_size by action profile and group."""
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


def build_pipeline(
    config: p4r.ForwardingPipelineConfig,
    factory: SwitchFactory,
    clock: Callable[[], int] = time.monotonic_ns,
) -> Pipeline:
    """Raises INVALID_ARGUMENT if the config is incomplete, cannot be realised, or its halves do not fit."""
    if not config.HasField("p4info"):
        raise invalid_argument("the pipeline config has no P4Info")
    if not config.p4_device_config:
        raise invalid_argument("the pipeline config has no device config (a BMv2 JSON)")
    schema = read_p4info(config.p4info)
    try:
        switch = factory(config.p4_device_config)
    except mecn_native.LoadError as error:
        raise invalid_argument(f"device config: {error}") from error
    kept = p4r.ForwardingPipelineConfig()
    kept.CopyFrom(config)
    return Pipeline(kept, _fit(schema, switch), switch, clock=clock)


def _fit(schema: Schema, switch: mecn_native.Switch) -> Schema:
    """The schema with the fields of each table in the engine's order."""
    tables = {table.name: table for table in switch.tables()}
    params = {action.name: action.params for action in switch.actions()}
    counters = {counter.name: counter for counter in switch.counters()}
    fitted = {}
    for table in schema.tables.values():
        info = tables.get(table.name)
        if info is None:
            raise _misfit(f"table {table.name}", "is missing")
        fitted[table.id] = _fit_table(table, info)
        for ref in table.actions.values():
            _fit_action(table, ref.action, info.actions, params)
    for counter in schema.counters.values():
        cells = counters.get(counter.name)
        if cells is None or cells.table is not None:
            raise _misfit(f"counter {counter.name}", "is missing")
        if cells.size != counter.size:
            raise _misfit(f"counter {counter.name} (size {counter.size})", f"has size {cells.size}")
    registers = {register.name: register for register in switch.registers()}
    for register in schema.registers.values():
        array = registers.get(register.name)
        if array is None:
            raise _misfit(f"register {register.name}", "is missing")
        if array.size != register.size:
            raise _misfit(f"register {register.name} (size {register.size})", f"has size {array.size}")
        if isinstance(register.type, Bits) and register.type.width != array.width:
            raise _misfit(f"register {register.name} ({register.type.width} bits)", f"has {array.width} bits")
    _fit_externs(schema, switch)
    return replace(schema, tables=fitted)


def _fit_externs(schema: Schema, switch: mecn_native.Switch) -> None:
    meters = {meter.name: meter for meter in switch.meters()}
    for meter in schema.meters.values():
        cells = meters.get(meter.name)
        if cells is None or cells.table is not None:
            raise _misfit(f"meter {meter.name}", "is missing")
        if cells.size != meter.size:
            raise _misfit(f"meter {meter.name} (size {meter.size})", f"has size {cells.size}")
        if cells.bytes != (meter.unit == "bytes"):
            raise _misfit(f"meter {meter.name} (of {meter.unit})", "counts the other unit")
    profiles = {profile.name: profile for profile in switch.action_profiles()}
    for profile in schema.action_profiles.values():
        found = profiles.get(profile.name)
        if found is None or (profile.selector and not found.with_selector):
            raise _misfit(f"action profile {profile.name}", "is missing, or has no selector")
    digests = {digest.name: digest.widths for digest in switch.digests()}
    for digest in schema.digests.values():
        if digest.name not in digests:
            raise _misfit(f"digest {digest.name}", "is missing")
        if isinstance(digest.type, Bits | Composite) and digest.type.widths != digests[digest.name]:
            raise _misfit(f"digest {digest.name}", "has other fields")
    value_sets = {value_set.name: value_set.widths for value_set in switch.value_sets()}
    for value_set in schema.value_sets.values():
        if value_set.name not in value_sets:
            raise _misfit(f"value set {value_set.name}", "is missing")
        if [field.bitwidth for field in value_set.fields] != value_sets[value_set.name]:
            raise _misfit(f"value set {value_set.name}", "has other fields")


def _fit_table(table: Table, info: mecn_native.TableInfo) -> Table:
    by_name = {field.name: field for field in table.fields}
    if len(info.keys) != len(table.fields):
        raise _misfit(f"table {table.name} ({len(table.fields)} match fields)", f"has {len(info.keys)}")
    fields = []
    for key in info.keys:
        field = by_name.get(key.name)
        if field is None:
            raise invalid_argument(
                f"table {table.name}: match field {key.name} of the device config is missing in the P4Info"
            )
        if (key.match, key.width) != (field.match, field.bitwidth):
            raise _misfit(
                f"match field {field.name} of table {table.name} ({field.match}, {field.bitwidth} bits)",
                f"is {key.match}, {key.width} bits",
            )
        fields.append(field)
    if table.direct_counter is not None and not info.has_direct_counter:
        raise _misfit(f"direct counter of table {table.name}", "is missing")
    if table.direct_meter is not None and not info.has_direct_meter:
        raise _misfit(f"direct meter of table {table.name}", "is missing")
    if table.idle_timeout and not info.idle_timeout:
        raise _misfit(f"idle timeout of table {table.name}", "is missing")
    if bool(table.implementation_id) != (info.action_profile is not None):
        raise _misfit(f"implementation of table {table.name}", "is not the same")
    return replace(table, fields=tuple(fields))


def _fit_action(
    table: Table,
    action: Action,
    names: Sequence[str],
    params: Mapping[str, Sequence[mecn_native.ParamInfo]],
) -> None:
    if action.name not in names:
        raise _misfit(f"action {action.name} of table {table.name}", "is missing")
    if [param.bitwidth for param in action.params] != [param.width for param in params[action.name]]:
        raise _misfit(f"action {action.name}", "has other parameters")


def _misfit(what: str, finding: str) -> StatusError:
    return invalid_argument(f"P4Info and device config differ: {what} {finding} in the device config")
