# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""The device behind the service: its program, and what requests do to it. One lock serialises all."""

import dataclasses
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mecn_native
from finsy.proto import rpc_code

from ..dataplane import Dataplane, HasInterfaces
from ..interfaces import InterfaceDataplane
from ..pipeline import SwitchFactory, make_switch
from ..port_states import PortStates
from ..ports import PortSettings
from ..status import StatusError, invalid_argument
from . import messages
from .info import read_info
from .match import MatchTable
from .messages import Wire
from .model import Context, Entry, Model
from .ports import Ports
from .program import Config, Program, require_name
from .values import data_from_wire, data_to_wire, key_from_wire, key_to_wire

Errors = list[StatusError | None]


class BfrtDevice:
    """A switch with one program, whose tables any number of clients write."""

    def __init__(self, device_id: int, factory: SwitchFactory, dataplane: Dataplane) -> None:
        self.device_id = device_id
        self.lock = threading.RLock()
        self.ports = PortStates(cpu_port=dataplane.cpu_port)
        self.notify: Callable[[Any, str], None] = lambda _message, _kind: None
        """Sends a stream message to the clients that want messages of a kind."""
        self._factory = factory
        self._dataplane = dataplane
        self._program: Program | None = None
        self._saved: Program | None = None
        self._handles: dict[tuple[int, Any], int] = {}
        if isinstance(dataplane, HasInterfaces):
            self.ports.names = dataplane.port_names
            dataplane.watch_ports(self.port_changed)
            dataplane.on_digests(self.poll)

    @property
    def program(self) -> Program:
        """FAILED_PRECONDITION if there is none."""
        if self._program is None:
            raise StatusError(
                rpc_code.FAILED_PRECONDITION, "the switch has no forwarding pipeline config yet"
            )
        return self._program

    @property
    def configured(self) -> bool:
        """Whether there is a program."""
        return self._program is not None

    # -- Programs

    def build(self, config: Config) -> Program:
        """INVALID_ARGUMENT if it cannot be realised or its parts do not fit."""
        require_name(config)
        info = read_info(config.bfruntime_info)
        switch = make_switch(config.device_config, self._factory)
        configure = switch.configure_port
        if isinstance(self._dataplane, InterfaceDataplane):
            configure = functools.partial(_configure_port, self._dataplane)
        return Program(config, Context(info, switch, self._dataplane.now_ns, self.ports, configure))

    def run(self, program: Program) -> None:
        """Lets packets go through a program."""
        with self.lock:
            self._program, self._saved = program, None
            self._handles.clear()
            self._dataplane.swap(program.switch)

    def save(self, program: Program) -> None:
        """Keeps a program until `run_saved`."""
        with self.lock:
            self._saved = program

    def run_saved(self) -> None:
        """INVALID_ARGUMENT if none was saved."""
        with self.lock:
            if self._saved is None:
                raise invalid_argument("there is no saved program: VERIFY_AND_WARM_INIT_BEGIN comes first")
            self.run(self._saved)

    # -- Writes

    def write(self, updates: Sequence[Wire], atomicity: int) -> Errors:
        """Makes updates in order; how each ended. Without CONTINUE_ON_ERROR the first that is refused undoes
        all before it, and nothing after it is tried."""
        kinds = messages.WriteRequest
        with self.lock:
            if atomicity == kinds.CONTINUE_ON_ERROR:
                return [self._attempt(update) for update in updates]
            if atomicity != kinds.ROLLBACK_ON_ERROR:
                raise StatusError(
                    rpc_code.UNIMPLEMENTED, "batches that are atomic for packets are not supported"
                )
            return self._write_or_undo(updates)

    def _write_or_undo(self, updates: Sequence[Wire]) -> Errors:
        before: dict[int, Callable[[], None]] = {}
        errors: Errors = []
        for update in updates:
            try:
                table_id = update.entity.table_entry.table_id
                if update.entity.WhichOneof("entity") == "table_entry" and table_id not in before:
                    before[table_id] = self.program.model(table_id).snapshot()
                self._write(update)
            except StatusError as error:
                for restore in reversed(before.values()):
                    restore()
                return [*errors, error]
            errors.append(None)
        return errors

    def _attempt(self, update: Wire) -> StatusError | None:
        try:
            self._write(update)
        except StatusError as error:
            return error
        return None

    def _write(self, update: Wire) -> None:
        entity = update.entity
        match entity.WhichOneof("entity"):
            case "table_entry":
                self._write_entry(update.type, entity.table_entry)
            case "table_operation":
                operation = entity.table_operation
                self.program.model(operation.table_id).operate(operation.table_operations_type)
            case "table_attribute":
                self._write_attribute(entity.table_attribute)
            case other:
                raise StatusError(rpc_code.UNIMPLEMENTED, f"a {other or 'missing entity'} cannot be written")

    def _write_entry(self, kind: int, wire: Wire) -> None:
        model, kinds = self.program.model(wire.table_id), messages.Update
        if wire.is_default_entry:
            if kind in (kinds.DELETE, kinds.RESET):
                model.reset_default()
            elif kind in (kinds.INSERT, kinds.MODIFY, kinds.INSERT_OR_MODIFY):
                model.set_default(self._entry(model, wire, None))
            else:
                raise invalid_argument(f"{model.what}: the default entry is set or reset")
            return
        keyed = wire.WhichOneof("value") is not None
        if kind in (kinds.DELETE, kinds.RESET) and not keyed:
            model.clear()
            return
        if not keyed and model.table.keys:
            raise invalid_argument(f"{model.what}: the entry has no key")
        key = self._key(model, wire)
        match kind:
            case kinds.INSERT:
                model.add(self._entry(model, wire, key))
            case kinds.MODIFY:
                model.modify(self._entry(model, wire, key))
            case kinds.INSERT_OR_MODIFY:
                try:
                    model.add(self._entry(model, wire, key))
                except StatusError as error:
                    if error.code != rpc_code.ALREADY_EXISTS:
                        raise
                    model.modify(self._entry(model, wire, key))
            case kinds.MODIFY_INC:
                old = wire.table_mod_inc_flag.type == messages.TableModIncFlag.MOD_INC_DELETE
                model.modify_inc(self._entry(model, wire, key), delete=wire.table_flags.mod_del or old)
            case kinds.DELETE:
                model.delete(key)
            case _:
                raise invalid_argument(f"{model.what}: {kind} is not a type of update of an entry")

    def _entry(self, model: Model, wire: Wire, key: Wire) -> Entry:
        return Entry(key, wire.data.action_id, data_from_wire(model.table, wire.data))

    def _key(self, model: Model, wire: Wire) -> Wire:
        if wire.WhichOneof("value") != "handle_id":
            return key_from_wire(model.table, wire.key)
        for (table_id, key), handle in self._handles.items():
            if (table_id, handle) == (wire.table_id, wire.handle_id):
                return key
        raise StatusError(rpc_code.NOT_FOUND, f"{model.what}: there is no entry with handle {wire.handle_id}")

    def _write_attribute(self, wire: Wire) -> None:
        model = self.program.model(wire.table_id)
        match wire.WhichOneof("attribute"):
            case "idle_table" if isinstance(model, MatchTable) and "IdleTimeout" in model.table.attributes:
                notify = messages.IdleTable.IDLE_TABLE_NOTIFY_MODE
                model.notify_idle = wire.idle_table.enable and wire.idle_table.idle_table_mode == notify
            case "port_status_notify" if isinstance(model, Ports):
                pass  # clients are told if they subscribed to it
            case "entry_scope":
                pass  # there is one pipeline: all entries are in all of them
            case other:
                raise model.unsupported(f"attribute {other or 'without a name'} is not supported")

    # -- Reads

    def read(self, query: Wire) -> Iterator[Wire]:
        """Entities that a query selects. Raises what it is refused for."""
        match query.WhichOneof("entity"):
            case "table_entry":
                yield from self._read_entries(query.table_entry)
            case "table_usage":
                usage = query.table_usage
                count = self.program.model(usage.table_id).usage()
                yield messages.Entity(table_usage=messages.TableUsage(table_id=usage.table_id, usage=count))
            case "handle":
                yield self._handle(query.handle)
            case "object_id":
                yield self._object_id(query.object_id)
            case "table_attribute":
                yield self._attribute(query.table_attribute)
            case other:
                raise StatusError(rpc_code.UNIMPLEMENTED, f"a {other or 'missing entity'} cannot be read")

    def _read_entries(self, wire: Wire) -> Iterator[Wire]:
        model = self.program.model(wire.table_id)
        if wire.is_default_entry:
            default = model.get_default()
            found = [default] if default is not None else []
        elif wire.WhichOneof("value") is not None or not model.table.keys:
            found = [model.get(self._key(model, wire))]
        else:
            found = list(model.entries())
        fields = {field.field_id for field in wire.data.fields}
        for entry in found:
            if wire.data.action_id and entry.action != wire.data.action_id:
                raise invalid_argument(f"{model.what}: the entry has another action than the one asked for")
            yield self._to_wire(model, entry, fields, key_only=wire.table_flags.key_only)

    def _to_wire(self, model: Model, entry: Entry, fields: set[int], *, key_only: bool) -> Wire:
        entity = messages.Entity()
        wire = entity.table_entry
        wire.table_id = model.table.id
        wire.is_default_entry = entry.key is None
        if entry.key is not None:
            key_to_wire(model.table, entry.key, wire.key)
        if key_only:
            wire.entry_tgt.device_id, wire.entry_tgt.pipe_id = self.device_id, 0xFFFF
            return entity
        wire.data.action_id = entry.action
        data = {k: v for k, v in entry.data.items() if not fields or k in fields}
        data_to_wire(model.table.fields(entry.action), data, wire.data)
        return entity

    def _handle(self, wire: Wire) -> Wire:
        model = self.program.model(wire.table_id)
        key = key_from_wire(model.table, wire.key)
        model.get(key)
        handle = self._handles.setdefault((wire.table_id, key), len(self._handles) + 1)
        return messages.Entity(handle=messages.HandleId(table_id=wire.table_id, handle_id=handle))

    def _object_id(self, wire: Wire) -> Wire:
        """Ids by names: of tables, their fields and actions, and of digests."""
        found = None
        if wire.WhichOneof("object") == "table_object":
            wanted = wire.table_object
            model = self.program.by_name.get(wanted.table_name)
            if model is not None:
                found = _id_in_table(model, wanted)
        else:
            learn = self.program.learn(wire.learn_object.learn_name.partition(".")[2])
            if learn is not None:
                field = wire.learn_object.data_field_name.field
                found = learn.id if not field else next((f.id for f in learn.fields if f.name == field), None)
        if found is None:
            raise StatusError(rpc_code.NOT_FOUND, "there is no object of this name")
        answer = messages.Entity(object_id=wire)
        answer.object_id.id = found
        return answer

    def _attribute(self, wire: Wire) -> Wire:
        model = self.program.model(wire.table_id)
        answer = messages.Entity(table_attribute=wire).table_attribute
        match wire.WhichOneof("attribute"):
            case "idle_table" if isinstance(model, MatchTable):
                answer.idle_table.enable = model.notify_idle
                answer.idle_table.idle_table_mode = messages.IdleTable.IDLE_TABLE_NOTIFY_MODE
            case "entry_scope":
                answer.entry_scope.pipe_scope.predef = messages.Mode.ALL
            case "port_status_notify" if isinstance(model, Ports):
                answer.port_status_notify.enable = True
            case other:
                raise model.unsupported(f"attribute {other or 'without a name'} is not supported")
        return messages.Entity(table_attribute=answer)

    # -- Notifications

    def port_changed(self, port: int, up: bool) -> None:
        """A port went down or came up."""
        with self.lock:
            if not self.ports.set(port, up=up) or self._program is None:
                return
            model = self._program.by_name["$PORT"]
            response = messages.StreamMessageResponse()
            wire = response.port_status_change_notification
            wire.port_up = up
            wire.table_entry.table_id = model.table.id
            key_to_wire(model.table, (mecn_native.MatchField.Exact(port),), wire.table_entry.key)
            self.notify(response, "enable_port_status_change_notifications")

    def poll(self) -> None:
        """Sends what the data plane has for clients: digests and idle entries."""
        with self.lock:
            if self._program is None:
                return
            self._send_digests(self._program)
            self._send_idle(self._program)

    def _send_digests(self, program: Program) -> None:
        lists: dict[int, Any] = {}
        for name, values in program.switch.take_digests():
            learn = program.learn(name)
            if learn is None:
                continue
            response = lists.setdefault(learn.id, messages.StreamMessageResponse())
            response.digest.digest_id = learn.id
            response.digest.target.device_id, response.digest.target.pipe_id = self.device_id, 0xFFFF
            data = {field.id: value for field, value in zip(learn.fields, values, strict=True)}
            data_to_wire({f.id: f for f in learn.fields}, data, response.digest.data.add())
        for response in lists.values():
            self.notify(response, "enable_learn_notifications")

    def _send_idle(self, program: Program) -> None:
        tables = dict(program.tables())
        for name, idle in program.switch.take_idle_entries(self._dataplane.now_ns()):
            model = tables[name]
            if not model.notify_idle:
                continue
            response = messages.StreamMessageResponse()
            wire = response.idle_timeout_notification
            wire.target.device_id, wire.target.pipe_id = self.device_id, 0xFFFF
            wire.type = messages.IdleTimeoutNotification.ENTRY_IDLE
            wire.table_entry.table_id = model.table.id
            key_to_wire(model.table, model.key_of(idle), wire.table_entry.key)
            self.notify(response, "enable_idletimeout_notifications")


def _configure_port(
    dataplane: InterfaceDataplane,
    port: int,
    *,
    rate_bps: int | None = None,
    rate_pps: int | None = None,
    overhead_bytes: int = 0,
) -> None:
    """Sets the rate of a port that has an interface; its queue stays as it is."""
    known = dataplane.settings.get(port, PortSettings())
    changed = dataclasses.replace(known, rate_bps=rate_bps, rate_pps=rate_pps, overhead_bytes=overhead_bytes)
    dataplane.configure(port, changed)


def _id_in_table(model: Model, wanted: Wire) -> int | None:
    table = model.table
    actions = {action.name: action for action in table.actions.values()}
    match wanted.WhichOneof("names"):
        case "action_name":
            action = actions.get(wanted.action_name.action)
            return None if action is None else action.id
        case "key_field_name":
            return next((f.id for f in table.keys.values() if f.name == wanted.key_field_name.field), None)
        case "data_field_name":
            named = wanted.data_field_name
            if named.action and named.action not in actions:
                return None
            fields = table.fields(actions[named.action].id if named.action else 0)
            return next((f.id for f in fields.values() if f.name == named.field), None)
    return table.id
