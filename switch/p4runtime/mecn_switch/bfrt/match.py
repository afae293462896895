# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Match-action tables with what their entries have beside the action: counters, meters, registers, idle
timeouts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import mecn_native
from finsy.proto import rpc_code
from mecn_native import ActionCall, GroupRef, MatchField, MemberRef, TableUpdate

from ..status import StatusError, invalid_argument
from .arrays import Cells
from .info import Table
from .meters import MeterFields
from .model import Context, Entry, Model, by_name, program_name
from .values import Data, Key

PRIORITY_BASE = 1 << 24
"""BF Runtime's $MATCH_PRIORITY has 24 bits and the lower wins; the engine's is this less it."""

KNOWN = ("$COUNTER_SPEC_", "$METER_SPEC_", "$ENTRY_", "$ACTION_MEMBER_ID", "$SELECTOR_GROUP_ID")
"""How the names of data fields begin that entries have beside their action and registers. Filters are
missing."""

Place = tuple[str, Sequence[MatchField], int]


@dataclass
class _Marks:
    """What is kept of an entry beside the engine: its meter as it was written, and up to which hit its
    state is idle."""

    meter: Data
    idle_until_ns: int


class MatchTable(Model):
    """MatchAction_Direct, MatchAction_Indirect and MatchAction_Indirect_Selector."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.name = program_name(table.name)
        found = next((t for t in context.switch.tables() if t.name == self.name), None)
        if found is None:
            raise invalid_argument(f"table {table.name}: the program has no table {self.name}")
        self.engine = found
        if "ConstTable" not in table.attributes:
            context.switch.unlock_entries(self.name)
        self._params = {action.name: [p.name for p in action.params] for action in found.actions}
        self._ids = by_name(table.data)
        self._meter = MeterFields(table.data)
        fixed = [f for f in table.data.values() if f.name.startswith("$")]
        self._missing = {f.id: f.name for f in fixed if not f.name.startswith(KNOWN)}
        registers = [f for f in table.data.values() if f not in fixed]
        self._cells = Cells(table, registers, context.switch) if registers else None
        self._marks: dict[Key, _Marks] = {}
        self.notify_idle = False
        """Whether entries that go idle are told of (attribute IdleTimeout)."""
        named = {f.name for f in table.keys.values() if f.name != "$MATCH_PRIORITY"}
        if len(named) != len(found.keys):
            raise invalid_argument(
                f"table {table.name}: the program's table has {len(found.keys)} key fields"
            )
        for field, info in zip(table.keys.values(), found.keys, strict=False):
            if field.width != info.width:
                raise invalid_argument(
                    f"table {table.name}: key field {field.name} has {field.width} bits here and "
                    f"{info.width} in the program"
                )
        for action in table.actions.values():
            names = [f.name for f in action.fields.values()]
            if self._params.get(action.name) != names:
                raise invalid_argument(
                    f"table {table.name}: the program has no action {action.name} with parameters {names}"
                )

    # -- Keys

    def _place(self, key: Key) -> Place:
        match: list[MatchField] = []
        priority = 0
        for field, value in zip(self.table.keys.values(), key, strict=True):
            assert isinstance(value, MatchField)
            if field.name == "$MATCH_PRIORITY":
                assert isinstance(value, MatchField.Exact)
                if value.value >= PRIORITY_BASE:
                    raise StatusError(
                        rpc_code.OUT_OF_RANGE, f"{self.what}: priority {value.value} has more than 24 bits"
                    )
                priority = PRIORITY_BASE - value.value
            else:
                match.append(value)
        return self.name, match, priority

    def key_of(self, entry: mecn_native.TableEntry) -> Key:
        """BF Runtime's key of the engine's entry."""
        key: list[MatchField] = list(entry.match)
        if len(key) < len(self.table.keys):
            key.append(MatchField.Exact(max(0, PRIORITY_BASE - entry.priority)))
        return tuple(key)

    # -- Actions

    def _call(self, entry: Entry, before: Entry | None) -> ActionCall | MemberRef | GroupRef:
        if self.engine.action_profile is not None:
            member, group = (
                entry.data.get(self._ids.get(name, 0)) for name in ("$ACTION_MEMBER_ID", "$SELECTOR_GROUP_ID")
            )
            if (member is None) == (group is None):
                raise invalid_argument(f"{self.what}: an entry has a member id or a group id")
            return MemberRef(member) if member is not None else GroupRef(group or 0)
        action = self.table.actions.get(entry.action)
        if action is None:
            raise invalid_argument(f"{self.what}: the entry has no action")
        args = []
        for field in action.fields.values():
            value = entry.data.get(field.id)
            if value is None and before is not None and before.action == entry.action:
                value = before.data.get(field.id)
            if value is None:
                raise invalid_argument(f"{self.what}: parameter {field.name} of {action.name} is missing")
            args.append(int(value))
        return ActionCall(action.name, args)

    def _action_data(self, call: ActionCall) -> tuple[int, Data]:
        for action in self.table.actions.values():
            if action.name == call.name:
                return action.id, dict(zip(action.fields, call.args, strict=True))
        return 0, {}

    def _registers(self, key: Key | None) -> Data:
        return {} if self._cells is None else self._cells.read(self._cell(key))

    def _cell(self, key: Key | None) -> int:
        """Where registers have an entry's values. The first is that of the default entry."""
        return 0 if key is None else self.switch.entry_cell(*self._place(key))

    def _write_registers(self, entry: Entry) -> None:
        if self._cells is not None:
            self._cells.write(self._cell(entry.key), entry.data)

    def _entry(self, found: mecn_native.TableEntry) -> Entry:
        key = self.key_of(found)
        ids, data = self._ids, Data()
        if found.member is not None:
            action, data = 0, {ids["$ACTION_MEMBER_ID"]: found.member}
        elif found.group is not None:
            action, data = 0, {ids["$SELECTOR_GROUP_ID"]: found.group}
        else:
            action, data = self._action_data(found.action)
        for name, count in (("$COUNTER_SPEC_BYTES", found.bytes), ("$COUNTER_SPEC_PKTS", found.packets)):
            if name in ids:
                data[ids[name]] = count
        marks = self._marks.get(key)
        data.update(self._meter.to_data(marks.meter if marks else {}))
        data.update(self._registers(key))
        if "$ENTRY_HIT_STATE" in ids:
            timeout, hit = self.switch.idle_timeout(*self._place(key))
            idle = hit <= (marks.idle_until_ns if marks else 0) or (
                timeout and self.context.now_ns() - hit >= timeout
            )
            data[ids["$ENTRY_HIT_STATE"]] = "ENTRY_IDLE" if idle else "ENTRY_ACTIVE"
            if "$ENTRY_TTL" in ids:
                data[ids["$ENTRY_TTL"]] = timeout // 1_000_000
        return Entry(key, action, data)

    # -- Entries

    def _extras(self, entry: Entry) -> list[TableUpdate]:
        """Updates of what the entry has beside its action."""
        assert entry.key is not None
        for field_id in self._missing.keys() & entry.data.keys():
            raise self.unsupported(f"{self._missing[field_id]} is not supported")
        place, ids, out = self._place(entry.key), self._ids, list[TableUpdate]()
        names = ("$COUNTER_SPEC_PKTS", "$COUNTER_SPEC_BYTES")
        counts = [entry.data.get(ids.get(name, 0)) for name in names]
        if any(count is not None for count in counts):
            out.append(TableUpdate.SetCounter(*place, counts[0] or 0, counts[1] or 0))
        meter = {**self._meter.defaults, **self._marks[entry.key].meter, **self._meter.only(entry.data)}
        if self._meter.only(entry.data):
            out.append(TableUpdate.SetMeter(*place, self._meter.config(self.what, meter)))
            self._marks[entry.key].meter = meter
        ttl = entry.data.get(ids.get("$ENTRY_TTL", 0))
        if ttl is not None:
            out.append(TableUpdate.SetTimeout(*place, ttl * 1_000_000, self.context.now_ns()))
        return out

    def _update(self, changes: Sequence[TableUpdate]) -> None:
        refused = self.switch.update_tables(changes)
        if refused is not None:
            raise self.refused(refused[1])

    def add(self, entry: Entry) -> None:
        """See `Model.add`."""
        assert entry.key is not None
        if entry.action and not self.table.actions[entry.action].for_entries:
            raise invalid_argument(f"{self.what}: the action is for the default entry only")
        insert = TableUpdate.Insert(*self._place(entry.key), self._call(entry, None))
        known = self._marks.get(entry.key)
        self._marks[entry.key] = _Marks({}, self.context.now_ns())
        try:
            self._update([insert, *self._extras(entry)])
        except StatusError:
            del self._marks[entry.key]
            if known is not None:
                self._marks[entry.key] = known
            raise
        self._write_registers(entry)

    def modify(self, entry: Entry) -> None:
        """See `Model.modify`."""
        assert entry.key is not None
        before = self.get(entry.key)
        call = None
        named = {self._ids.get("$ACTION_MEMBER_ID"), self._ids.get("$SELECTOR_GROUP_ID")}
        if entry.action or named & set(entry.data):
            call = self._call(entry, before)
        self._marks.setdefault(entry.key, _Marks({}, 0))
        state = entry.data.get(self._ids.get("$ENTRY_HIT_STATE", 0))
        if state is not None:
            hit = self.switch.idle_timeout(*self._place(entry.key))[1]
            self._marks[entry.key].idle_until_ns = hit if state == "ENTRY_IDLE" else 0
        change = TableUpdate.Modify(*self._place(entry.key), call)
        self._update([change, *self._extras(entry)])
        self._write_registers(entry)

    def delete(self, key: Key) -> None:
        """See `Model.delete`."""
        self._update([TableUpdate.Delete(*self._place(key))])
        self._marks.pop(key, None)

    def clear(self) -> None:
        """See `Model.clear`."""
        try:
            self.switch.clear_entries(self.name)
        except mecn_native.ControlError as error:
            raise self.refused(error) from error
        self._marks.clear()

    def get(self, key: Key) -> Entry:
        """See `Model.get`."""
        try:
            return self._entry(self.switch.entry(*self._place(key)))
        except mecn_native.ControlError as error:
            raise self.refused(error) from error

    def entries(self) -> Iterator[Entry]:
        """See `Model.entries`."""
        return map(self._entry, self.switch.entries(self.name))

    def set_default(self, entry: Entry) -> None:
        """See `Model.set_default`."""
        if entry.action and not self.table.actions[entry.action].as_default:
            raise invalid_argument(f"{self.what}: the action is for entries only")
        call = self._call(entry, None)
        if not isinstance(call, ActionCall):
            raise self.unsupported("default entries with members or groups")
        self._update([TableUpdate.SetDefault(self.name, call)])
        self._write_registers(entry)

    def reset_default(self) -> None:
        """See `Model.reset_default`."""
        self._update([TableUpdate.SetDefault(self.name, None)])

    def get_default(self) -> Entry | None:
        """See `Model.get_default`."""
        call = self.switch.default_action(self.name)
        if call is None:
            return None
        action, data = self._action_data(call)
        return Entry(None, action, {**data, **self._registers(None)})

    def _by_key(self) -> dict[Key, Entry]:
        return {e.key: e for e in self.entries() if e.key is not None}

    def snapshot(self) -> Callable[[], None]:
        """See `Model.snapshot`."""
        before = self._by_key()
        default, marks = self.switch.default_action(self.name), dict(self._marks)
        missed = Entry(None, 0, self._registers(None))

        def restore() -> None:
            now = self._by_key()
            for key in now.keys() - before.keys():
                self._update([TableUpdate.Delete(*self._place(key))])
            self._marks = dict(marks)
            for key, old in before.items():
                if key not in now:
                    self._marks.pop(key, None)
                    self.add(old)
                elif now[key] != old:
                    self.modify(old)
            if default != self.switch.default_action(self.name):
                self._update([TableUpdate.SetDefault(self.name, default)])
            self._write_registers(missed)

        return restore
