# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Writes of table entries (section 9.1): checked first, then made."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import mecn_native
from finsy.proto import p4r, rpc_code
from mecn_native import TableUpdate

from .meters import config_from_wire, no_counters
from .pipeline import NO_COOKIES, Cookies, EntryKey, Pipeline
from .profiles import OneShotPlan, plan_one_shot, remove_one_shot
from .schema import Table
from .status import StatusError, from_engine, invalid_argument
from .translate import Target, default_from_wire, key_from_wire, target_from_wire


@dataclass(frozen=True)
class Plan:
    """A checked update of a table entry: what the engine is to do, and then this module."""

    table: Table
    updates: Sequence[TableUpdate]
    after: Callable[[], object]
    one_shot: OneShotPlan | None = None
    """What to make before."""

    def refused(self, error: mecn_native.ControlError) -> StatusError:
        """The engine's refusal of one of the updates."""
        return from_engine(f"table {self.table.name}", error)


def plan_table_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> Plan:
    """What inserting, modifying or deleting an entry, or modifying the default entry, takes."""
    table = pipeline.schema.table(entry.table_id)
    if entry.is_const:
        raise invalid_argument(f"table {table.name}: a controller cannot write constant entries (is_const)")
    if kind != p4r.Update.DELETE:
        _check_extras(table, entry)
    if entry.is_default_action:
        return _plan_default_entry(pipeline, table, kind, entry)
    key, priority = key_from_wire(table, entry)
    place = _Place(pipeline, table, key, priority)
    if kind == p4r.Update.INSERT:
        return _plan_insert(place, entry)
    if kind == p4r.Update.MODIFY:
        return _plan_modify(place, entry)
    return _plan_delete(place)


def write_table_entry(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry) -> None:
    """Inserts, modifies or deletes an entry, or modifies the default entry."""
    plan = plan_table_entry(pipeline, kind, entry)
    if plan.one_shot is not None:
        plan.one_shot.make(pipeline)
    for update in plan.updates:  # only the first can be refused, the others set up what it has made
        refused = pipeline.switch.update_tables([update])
        if refused is not None:
            if plan.one_shot is not None:
                remove_one_shot(pipeline, plan.one_shot.one_shot)
            raise plan.refused(refused[1])
    plan.after()


@dataclass(frozen=True)
class _Place:
    """Where an entry is, or is to be."""

    pipeline: Pipeline
    table: Table
    match: tuple[mecn_native.MatchField, ...]
    priority: int

    @property
    def key(self) -> EntryKey:
        return (self.table.id, self.match, self.priority)

    def target(self, action: p4r.TableAction) -> tuple[Target, OneShotPlan | None]:
        """What a hit runs, and what must be made before."""
        if self.table.implementation_id and action.WhichOneof("type") == "action_profile_action_set":
            plan = plan_one_shot(self.pipeline, self.table, action.action_profile_action_set)
            return mecn_native.GroupRef(plan.one_shot.group), plan
        target = target_from_wire(self.table, action)
        profile = self.table.implementation_id
        if profile and self.pipeline.one_shots_of(profile):
            raise invalid_argument(
                f"table {self.table.name}: other entries have sets of actions, so this one must have one too"
            )
        return target, None

    def keep(self, entry: p4r.TableEntry) -> None:
        """Keeps what the engine does not know of an entry."""
        cookies = Cookies(entry.controller_metadata, entry.metadata)
        if cookies == NO_COOKIES:
            self.pipeline.cookies.pop(self.key, None)
        else:
            self.pipeline.cookies[self.key] = cookies

    def replace_one_shot(self, plan: OneShotPlan | None) -> None:
        """The entry has another set of actions now, or none: removes what belonged to the one before."""
        before = self.pipeline.one_shots.pop(self.key, None)
        if before is not None:
            remove_one_shot(self.pipeline, before)
        if plan is not None:
            self.pipeline.one_shots[self.key] = plan.one_shot


def _plan_insert(place: _Place, entry: p4r.TableEntry) -> Plan:
    table = place.table
    _check_not_const(table)
    if not table.fields:
        raise invalid_argument(f"table {table.name} has no match fields, so it has a default entry only")
    if not entry.HasField("action"):
        raise invalid_argument(f"table {table.name}: an entry to insert needs an action")
    target, one_shot = place.target(entry.action)

    def after() -> None:
        place.keep(entry)
        place.replace_one_shot(one_shot)

    insert = TableUpdate.Insert(table.name, place.match, place.priority, target)
    return Plan(table, [insert, *_resources(place, entry)], after, one_shot)


def _plan_modify(place: _Place, entry: p4r.TableEntry) -> Plan:
    table = place.table
    target, one_shot = None, None
    if entry.HasField("action"):
        _check_not_const(table)
        target, one_shot = place.target(entry.action)

    def after() -> None:
        if not table.is_const:
            place.keep(entry)
        if target is not None:
            place.replace_one_shot(one_shot)

    modify = TableUpdate.Modify(table.name, place.match, place.priority, target)
    return Plan(table, [modify, *_resources(place, entry)], after, one_shot)


def _plan_delete(place: _Place) -> Plan:
    _check_not_const(place.table)

    def after() -> None:
        place.pipeline.cookies.pop(place.key, None)
        place.replace_one_shot(None)

    return Plan(place.table, [TableUpdate.Delete(place.table.name, place.match, place.priority)], after)


def _resources(place: _Place, entry: p4r.TableEntry) -> Iterator[TableUpdate]:
    """What direct resources and timeout of an entry are set to (9.1.8). Without a config a meter is reset."""
    table = place.table
    where = (table.name, place.match, place.priority)
    if entry.HasField("counter_data"):
        yield TableUpdate.SetCounter(*where, entry.counter_data.packet_count, entry.counter_data.byte_count)
    if table.direct_meter is not None:
        config = (
            config_from_wire(table.direct_meter, entry.meter_config)
            if entry.HasField("meter_config")
            else None
        )
        yield TableUpdate.SetMeter(*where, config)
    if table.idle_timeout:
        yield TableUpdate.SetTimeout(*where, entry.idle_timeout_ns, place.pipeline.clock())


def _plan_default_entry(
    pipeline: Pipeline, table: Table, kind: p4r.Update.Type.ValueType, entry: p4r.TableEntry
) -> Plan:
    if kind != p4r.Update.MODIFY:
        raise invalid_argument(f"table {table.name}: the default entry can only be modified")
    if entry.match or entry.priority:
        raise invalid_argument(f"table {table.name}: the default entry has neither match nor priority")
    if entry.idle_timeout_ns:
        raise invalid_argument(f"table {table.name}: the default entry has no idle timeout")
    if entry.HasField("counter_data") or entry.HasField("meter_config"):
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"table {table.name}: the default entry has no counter and no meter"
        )
    if table.const_default:
        raise StatusError(rpc_code.PERMISSION_DENIED, f"table {table.name}: the default action is constant")
    if not entry.HasField("action"):
        return Plan(
            table,
            [TableUpdate.SetDefault(table.name, None)],
            lambda: pipeline.default_cookies.pop(table.id, None),
        )
    action = default_from_wire(table, entry.action)
    cookies = Cookies(entry.controller_metadata, entry.metadata)
    return Plan(
        table,
        [TableUpdate.SetDefault(table.name, action)],
        lambda: pipeline.default_cookies.__setitem__(table.id, cookies),
    )


def _check_extras(table: Table, entry: p4r.TableEntry) -> None:
    what = f"table {table.name}"
    if table.direct_meter is None:
        if entry.HasField("meter_config") or entry.HasField("meter_counter_data"):
            raise invalid_argument(f"{what} has no direct meter")
    elif entry.HasField("meter_counter_data"):
        raise no_counters(table.direct_meter)
    elif entry.HasField("meter_config"):
        config_from_wire(table.direct_meter, entry.meter_config)
    if entry.HasField("time_since_last_hit"):
        raise invalid_argument(f"{what}: time_since_last_hit cannot be written")
    if entry.idle_timeout_ns < 0:
        raise invalid_argument(f"{what}: idle_timeout_ns {entry.idle_timeout_ns} is negative")
    if entry.idle_timeout_ns and not table.idle_timeout:
        raise invalid_argument(f"{what} has no idle timeout")
    if entry.HasField("counter_data"):
        if table.direct_counter is None:
            raise invalid_argument(f"{what} has no direct counter")
        if entry.counter_data.packet_count < 0 or entry.counter_data.byte_count < 0:
            raise invalid_argument(f"{what}: a counter cannot be negative")


def _check_not_const(table: Table) -> None:
    if table.is_const:
        raise StatusError(rpc_code.PERMISSION_DENIED, f"table {table.name}: the entries are constant")
