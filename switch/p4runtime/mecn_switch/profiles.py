# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Action profiles and selectors (section 9.2): members, groups, and entries with a set of actions
(one-shots)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import mecn_native
from finsy.proto import p4r, rpc_code

from .liveness import live_members, live_one_shot, watch_port
from .pipeline import OneShot, Pipeline
from .schema import ActionProfile, Table
from .status import StatusError, from_engine, invalid_argument
from .translate import call_from_wire, call_to_wire


def write_member(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.ActionProfileMember) -> None:
    """Inserts, modifies or deletes a member."""
    profile = pipeline.schema.action_profile(entry.action_profile_id)
    what = f"action profile {profile.name}"
    if entry.member_id == 0:
        raise invalid_argument(f"{what}: 0 is not the id of a member")
    _require_members(pipeline, profile)
    try:
        if kind == p4r.Update.DELETE:
            _check_unused(pipeline, profile, entry.member_id)
            pipeline.switch.delete_member(profile.name, entry.member_id)
            return
        if not entry.HasField("action"):
            raise invalid_argument(f"{what}: a member needs an action")
        call = call_from_wire(_a_table(pipeline, profile), entry.action, default=False)
        if kind == p4r.Update.INSERT:
            pipeline.switch.insert_member(profile.name, entry.member_id, call)
        else:
            pipeline.switch.modify_member(profile.name, entry.member_id, call)
    except mecn_native.ControlError as error:
        raise from_engine(what, error) from error


def read_members(pipeline: Pipeline, query: p4r.ActionProfileMember) -> Iterator[p4r.ActionProfileMember]:
    """One member, all of a profile, or (id 0) all of all profiles. Those of one-shots are not shown."""
    for profile in _profiles(pipeline, query.action_profile_id, query.member_id):
        if pipeline.one_shots_of(profile.id):
            continue
        for member_id, call in pipeline.switch.members(profile.name):
            if query.member_id in (0, member_id):
                action = call_to_wire(_a_table(pipeline, profile), call)
                yield p4r.ActionProfileMember(
                    action_profile_id=profile.id, member_id=member_id, action=action
                )


def write_group(pipeline: Pipeline, kind: p4r.Update.Type.ValueType, entry: p4r.ActionProfileGroup) -> None:
    """Inserts, modifies or deletes a group."""
    profile = pipeline.schema.action_profile(entry.action_profile_id)
    what = f"action profile {profile.name}"
    if not profile.selector:
        raise invalid_argument(f"{what} is no action selector, so it has no groups")
    if entry.group_id == 0:
        raise invalid_argument(f"{what}: 0 is not the id of a group")
    _require_members(pipeline, profile)
    key = (profile.id, entry.group_id)
    try:
        if kind == p4r.Update.DELETE:
            pipeline.switch.delete_group(profile.name, entry.group_id)
            pipeline.groups.pop(key, None)
            return
        if (
            kind == p4r.Update.MODIFY
            and key in pipeline.groups
            and (pipeline.groups[key].max_size != entry.max_size)
        ):
            raise invalid_argument(f"{what}: max_size of group {entry.group_id} cannot be changed")
        _check_max_size(profile, entry)
        members = [(member.member_id, member.weight) for member in entry.members]
        _check_weights(profile, (weight for _, weight in members))
        for member in entry.members:
            watch_port(pipeline, member, what)
        limit = entry.max_size or profile.max_group_size
        if limit and _size(profile, (weight for _, weight in members)) > limit:
            raise StatusError(
                rpc_code.RESOURCE_EXHAUSTED, f"{what}: group {entry.group_id} is larger than its {limit}"
            )
        # The engine checks all members, also those that are left out for now.
        if kind == p4r.Update.INSERT:
            pipeline.switch.insert_group(profile.name, entry.group_id, members)
        else:
            pipeline.switch.modify_group(profile.name, entry.group_id, members)
        live = live_members(pipeline, entry)
        if live != members:
            pipeline.switch.modify_group(profile.name, entry.group_id, live)
        kept = p4r.ActionProfileGroup()
        kept.CopyFrom(entry)
        pipeline.groups[key] = kept
    except mecn_native.ControlError as error:
        raise from_engine(what, error) from error


def read_groups(pipeline: Pipeline, query: p4r.ActionProfileGroup) -> Iterator[p4r.ActionProfileGroup]:
    """One group, all of a selector, or (id 0) all of all selectors. Those of one-shots are not shown."""
    for profile in _profiles(pipeline, query.action_profile_id, query.group_id):
        if not profile.selector or pipeline.one_shots_of(profile.id):
            continue
        for (profile_id, group_id), group in sorted(pipeline.groups.items(), key=lambda item: item[0]):
            if profile_id == profile.id and query.group_id in (0, group_id):
                yield group


@dataclass(frozen=True)
class OneShotPlan:
    """A checked one-shot: members and a group of its own, to be made before the entry that refers to them."""

    profile: ActionProfile
    one_shot: OneShot
    calls: tuple[mecn_native.ActionCall, ...]

    def make(self, pipeline: Pipeline) -> None:
        """Makes members and group. Leaves nothing behind if the engine refuses."""
        made = []
        switch = pipeline.switch
        try:
            for member, call in zip(self.one_shot.members, self.calls, strict=True):
                switch.insert_member(self.profile.name, member, call)
                made.append(member)
            live = live_one_shot(pipeline, self.one_shot)
            switch.insert_group(self.profile.name, self.one_shot.group, live)
        except mecn_native.ControlError as error:
            for member in made:
                switch.delete_member(self.profile.name, member)
            raise from_engine(f"action profile {self.profile.name}", error) from error


def plan_one_shot(pipeline: Pipeline, table: Table, action_set: p4r.ActionProfileActionSet) -> OneShotPlan:
    """Raises what a set of actions is refused for, without a change."""
    profile = pipeline.schema.action_profile(table.implementation_id)
    what = f"table {table.name}"
    if not profile.selector:
        raise invalid_argument(f"{what}: a set of actions needs an action selector, {profile.name} is none")
    if not pipeline.one_shots_of(profile.id) and pipeline.switch.members(profile.name):
        raise invalid_argument(f"{what}: {profile.name} has members, so its tables take no sets of actions")
    mode = action_set.action_selection_mode
    if mode not in (
        p4r.ActionProfileActionSet.DEFAULT_MODE_DETERMINED_BY_ACTION_SELECTOR,
        p4r.ActionProfileActionSet.HASH,
    ):
        raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: actions are selected by hash only")
    if action_set.size_semantics != (p4r.ActionProfileActionSet.DEFAULT_SIZE_DETERMINED_BY_ACTION_SELECTOR):
        raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: size semantics are those of the selector only")
    actions = action_set.action_profile_actions
    weights = tuple(action.weight for action in actions)
    _check_weights(profile, weights)
    for action in actions:
        watch_port(pipeline, action, what)
    if profile.max_group_size and _size(profile, weights) > profile.max_group_size:
        raise invalid_argument(f"{what}: the set of actions is larger than {profile.max_group_size}")
    calls = tuple(call_from_wire(table, action.action, default=False) for action in actions)
    kept = p4r.ActionProfileActionSet()
    kept.CopyFrom(action_set)
    group = pipeline.new_id()
    one_shot = OneShot(profile.id, group, tuple(pipeline.new_id() for _ in actions), kept)
    return OneShotPlan(profile, one_shot, calls)


def remove_one_shot(pipeline: Pipeline, one_shot: OneShot) -> None:
    """Removes the group and the members of a one-shot that no entry refers to any more."""
    name = pipeline.schema.action_profile(one_shot.profile_id).name
    pipeline.switch.delete_group(name, one_shot.group)
    for member in one_shot.members:
        pipeline.switch.delete_member(name, member)


def _profiles(pipeline: Pipeline, profile_id: int, selected: int) -> list[ActionProfile]:
    if profile_id:
        return [pipeline.schema.action_profile(profile_id)]
    if selected:
        raise invalid_argument("a query without an action profile id cannot select a member or group")
    return list(pipeline.schema.action_profiles.values())


def _a_table(pipeline: Pipeline, profile: ActionProfile) -> Table:
    """One of the profile's tables; all have the same actions."""
    for table in pipeline.schema.tables.values():
        if table.implementation_id == profile.id:
            return table
    raise invalid_argument(f"action profile {profile.name} is used by no table, so it has no actions")


def _require_members(pipeline: Pipeline, profile: ActionProfile) -> None:
    if pipeline.one_shots_of(profile.id):
        raise invalid_argument(
            f"action profile {profile.name}: tables have sets of actions, so it takes no members or groups"
        )


def _check_max_size(profile: ActionProfile, entry: p4r.ActionProfileGroup) -> None:
    what = f"action profile {profile.name}: max_size {entry.max_size} of group {entry.group_id}"
    if entry.max_size < 0:
        raise invalid_argument(f"{what} is negative")
    if profile.max_group_size and not 0 < entry.max_size <= profile.max_group_size:
        raise invalid_argument(f"{what} is not in 1..{profile.max_group_size}")


def _check_weights(profile: ActionProfile, weights: Iterable[int]) -> None:
    for weight in weights:
        what = f"action profile {profile.name}: weight {weight}"
        if weight <= 0:
            raise invalid_argument(f"{what} is not greater than 0")
        if profile.counts_members and 0 < profile.max_member_weight < weight:
            raise invalid_argument(f"{what} is greater than {profile.max_member_weight}")
        if profile.weights_disallowed and weight != 1:
            raise invalid_argument(f"{what}: the selector does not allow weights")


def _check_unused(pipeline: Pipeline, profile: ActionProfile, member_id: int) -> None:
    """The engine does not know of members that a group has but leaves out, since their port is down."""
    for (profile_id, group_id), group in pipeline.groups.items():
        if profile_id == profile.id and any(member.member_id == member_id for member in group.members):
            raise StatusError(
                rpc_code.FAILED_PRECONDITION,
                f"action profile {profile.name}: member {member_id} is in group {group_id}",
            )


def _size(profile: ActionProfile, weights: Iterable[int]) -> int:
    return sum(1 if profile.counts_members else weight for weight in weights)
