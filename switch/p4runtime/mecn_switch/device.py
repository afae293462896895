# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The device behind the service: its pipelines and what requests do to them. One lock serialises all."""

import threading
from collections.abc import Iterator, Sequence

import mecn_native
from finsy.proto import p4r, rpc_code

from . import counters, tables
from .arbitration import Election
from .pipeline import Pipeline, SwitchFactory, build_pipeline
from .status import StatusError, invalid_argument

Action = p4r.SetForwardingPipelineConfigRequest.Action

_UNSUPPORTED = {
    "extern_entry": "externs",
    "action_profile_member": "action profiles",
    "action_profile_group": "action profiles",
    "meter_entry": "meters",
    "direct_meter_entry": "direct meters",
    "packet_replication_engine_entry": "multicast groups and clone sessions",
    "value_set_entry": "value sets",
    "register_entry": "registers over P4Runtime",
    "digest_entry": "digests",
}


class Device:
    """A switch with a control plane.

    Requests go to `control`, packets to `running`. They are the same pipeline but for the time between
    VERIFY_AND_SAVE and COMMIT (section 13), when `control` is the saved one.
    """

    def __init__(self, device_id: int, factory: SwitchFactory, max_controllers: int) -> None:
        self.device_id = device_id
        self.lock = threading.RLock()
        self.election = Election(max_sessions=max_controllers)
        self._factory = factory
        self._control: Pipeline | None = None
        self._running: Pipeline | None = None

    @property
    def switch(self) -> mecn_native.Switch | None:
        """The switch that packets go through; None before the first pipeline is committed."""
        with self.lock:
            return None if self._running is None else self._running.switch

    @property
    def config(self) -> p4r.ForwardingPipelineConfig | None:
        """The pipeline config that requests refer to."""
        with self.lock:
            return None if self._control is None else self._control.config

    def set_config(self, action: Action.ValueType, config: p4r.ForwardingPipelineConfig | None) -> None:
        """SetForwardingPipelineConfig. A config that is refused changes nothing."""
        with self.lock:
            if action == Action.COMMIT:
                self._commit(config)
                return
            if action not in (
                Action.VERIFY,
                Action.VERIFY_AND_SAVE,
                Action.VERIFY_AND_COMMIT,
                Action.RECONCILE_AND_COMMIT,
            ):
                raise invalid_argument("the request says no action such as VERIFY_AND_COMMIT")
            if config is None:
                raise invalid_argument("the request has no pipeline config")
            pipeline = build_pipeline(config, self._factory)
            if action == Action.VERIFY:
                return
            if action == Action.RECONCILE_AND_COMMIT and self._control is not None:
                carry_over(self._control, pipeline)
            self._control = pipeline
            if action != Action.VERIFY_AND_SAVE:
                self._running = pipeline

    def _commit(self, config: p4r.ForwardingPipelineConfig | None) -> None:
        if config is not None:
            raise invalid_argument("COMMIT takes no pipeline config; it commits the one saved before")
        if self._control is None or self._control is self._running:
            raise StatusError(rpc_code.NOT_FOUND, "there is no saved pipeline config to commit")
        self._running = self._control

    def write(self, update: p4r.Update) -> None:
        """One update of a Write request."""
        pipeline = self._configured()
        if update.type not in (p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE):
            raise invalid_argument("the update has no type: INSERT, MODIFY or DELETE")
        entity = update.entity
        match entity.WhichOneof("entity"):
            case "table_entry":
                tables.write_table_entry(pipeline, update.type, entity.table_entry)
            case "direct_counter_entry":
                tables.write_direct_counter_entry(pipeline, update.type, entity.direct_counter_entry)
            case "counter_entry":
                counters.write_counter_entry(pipeline, update.type, entity.counter_entry)
            case other:
                raise _unsupported(other)

    def read(self, query: p4r.Entity) -> list[p4r.Entity]:
        """One query of a Read request."""
        pipeline = self._configured()
        match query.WhichOneof("entity"):
            case "table_entry":
                return [
                    p4r.Entity(table_entry=e) for e in tables.read_table_entries(pipeline, query.table_entry)
                ]
            case "direct_counter_entry":
                found = tables.read_direct_counter_entries(pipeline, query.direct_counter_entry)
                return [p4r.Entity(direct_counter_entry=e) for e in found]
            case "counter_entry":
                cells = counters.read_counter_entries(pipeline, query.counter_entry)
                return [p4r.Entity(counter_entry=e) for e in cells]
            case other:
                raise _unsupported(other)

    def require_config(self) -> None:
        """Raises FAILED_PRECONDITION before the first pipeline config."""
        self._configured()

    def _configured(self) -> Pipeline:
        if self._control is None:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, "the switch has no forwarding pipeline config yet"
            )
        return self._control


def carry_over(old: Pipeline, new: Pipeline) -> None:
    """Writes the entries, default entries and counters of `old` into `new`; registers start afresh.

    Raises INVALID_ARGUMENT, naming the table, if `new` has no place for one of them.
    """
    try:
        for update in _state_of(old):
            if update.entity.HasField("table_entry"):
                tables.write_table_entry(new, update.type, update.entity.table_entry)
            else:
                counters.write_counter_entry(new, update.type, update.entity.counter_entry)
    except StatusError as error:
        raise invalid_argument(f"the forwarding state cannot be carried over: {error.message}") from error


def _state_of(pipeline: Pipeline) -> Iterator[p4r.Update]:
    query = p4r.TableEntry(counter_data=p4r.CounterData())
    for entry in tables.read_table_entries(pipeline, query):
        if not entry.is_const:
            yield p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=entry))
    for table in pipeline.schema.tables.values():
        if table.id in pipeline.default_cookies:
            query = p4r.TableEntry(table_id=table.id, is_default_action=True)
            for entry in tables.read_table_entries(pipeline, query):
                yield p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(table_entry=entry))
    for cell in counters.read_counter_entries(pipeline, p4r.CounterEntry()):
        if cell.data.packet_count or cell.data.byte_count:
            yield p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(counter_entry=cell))


def _unsupported(entity: str | None) -> StatusError:
    if entity is None:
        return invalid_argument("the request has an empty entity")
    return StatusError(rpc_code.UNIMPLEMENTED, f"{_UNSUPPORTED[entity]} are not supported yet")


def split(entities: Sequence[p4r.Entity], size: int) -> Iterator[Sequence[p4r.Entity]]:
    """Parts of at most `size` entities, so that no response message grows too large."""
    for start in range(0, len(entities), size):
        yield entities[start : start + size]
