# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Action profiles and selectors: members with their actions, and groups of members."""

from collections.abc import Iterator

from mecn_native import ActionCall, MatchField

from ..status import invalid_argument
from .info import Table
from .model import Context, Entry, Kept, Model, by_name, program_name
from .values import Key


def engine_profile(table: Table, context: Context) -> str:
    """The engine's name of what a profile's or selector's tables take their actions from."""
    mine = {table.id}
    # A profile's selectors refer to it, and the tables to the selectors.
    mine |= {t.id for t in context.info.tables.values() if t.type == "Selector" and table.id in t.depends_on}
    users = {
        program_name(t.name)
        for t in context.info.tables.values()
        if t.type.startswith("MatchAction_Indirect") and mine & set(t.depends_on)
    }
    for found in context.switch.tables():
        if found.name in users and found.action_profile is not None:
            return found.action_profile
    raise invalid_argument(f"table {table.name}: no table of the program uses it")


class Profile(Kept):
    """Members of an action profile."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.name = engine_profile(table, context)

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        member = self.number(key)
        entry = self.kept.get(key)
        present = any(known == member for known, _ in self.switch.members(self.name))
        if entry is None:
            if present:
                self.switch.delete_member(self.name, member)
            return
        action = self.table.actions.get(entry.action)
        if action is None:
            raise invalid_argument(f"{self.what}: a member needs an action")
        missing = [f.name for f in action.fields.values() if f.id not in entry.data]
        if missing:
            raise invalid_argument(f"{self.what}: parameter {missing[0]} of {action.name} is missing")
        call = ActionCall(action.name, [int(entry.data[f]) for f in action.fields])
        change = self.switch.modify_member if present else self.switch.insert_member
        change(self.name, member, call)


class Selector(Kept):
    """Groups of an action selector. Members whose status is false are in their group, and get no packets."""

    def __init__(self, table: Table, context: Context) -> None:
        super().__init__(table, context)
        self.name = engine_profile(table, context)
        ids = by_name(table.data)
        self._members, self._status = ids["$ACTION_MEMBER_ID"], ids["$ACTION_MEMBER_STATUS"]
        self._size = ids["$MAX_GROUP_SIZE"]

    def _parts(self, entry: Entry) -> tuple[list[int], list[bool]]:
        members = entry.data.get(self._members, [])
        status = entry.data.get(self._status, [])
        if len(members) != len(status):
            raise invalid_argument(
                f"{self.what}: {len(members)} members and {len(status)} states: each member has one"
            )
        return members, status

    def live(self, key: Key) -> list[int]:
        """The members of a group that get packets."""
        members, status = self._parts(self.get(key))
        return [member for member, up in zip(members, status, strict=True) if up]

    def apply(self, key: Key) -> None:
        """See `Kept.apply`."""
        group = self.number(key)
        present = any(known == group for known, _ in self.switch.groups(self.name))
        entry = self.kept.get(key)
        if entry is None:
            if present:
                self.switch.delete_group(self.name, group)
            return
        members, _ = self._parts(entry)
        if len(set(members)) < len(members):
            raise invalid_argument(f"{self.what}: a member is named twice")
        limit = entry.data.get(self._size) or 0
        if len(members) > limit:
            raise invalid_argument(f"{self.what}: {len(members)} members are more than the group's {limit}")
        known = {member for member, _ in self.switch.members(self.name)}
        for member in members:
            if member not in known:
                raise invalid_argument(f"{self.what}: there is no member {member}")
        weights = [(member, 1) for member in self.live(key)]
        (self.switch.modify_group if present else self.switch.insert_group)(self.name, group, weights)

    def modify_inc(self, entry: Entry, *, delete: bool) -> None:
        """Adds members to a group, or takes them out of it."""
        assert entry.key is not None
        members, status = self._parts(self.get(entry.key))
        both = dict(zip(members, status, strict=True))
        named = entry.data.get(self._members, [])
        if delete:
            for member in named:
                both.pop(member, None)
        else:
            states = entry.data.get(self._status, [True] * len(named))
            if len(states) != len(named):
                raise invalid_argument(f"{self.what}: each member has one state")
            both.update(zip(named, states, strict=True))
        self.modify(Entry(entry.key, 0, {self._members: list(both), self._status: list(both.values())}))


class GetMember(Model):
    """Which member of a group a hash value chooses."""

    def __init__(self, table: Table, context: Context, selector: Selector) -> None:
        super().__init__(table, context)
        self._selector = selector

    def get(self, key: Key) -> Entry:
        """See `Model.get`."""
        live = self._selector.live((MatchField.Exact(self.number(key, 0)),))
        if not live:
            raise self.not_found()
        (field_id,) = self.table.data
        return Entry(key, 0, {field_id: live[self.number(key, 1) % len(live)]})

    def entries(self) -> Iterator[Entry]:
        """None: only single ones can be asked for."""
        return iter(())
