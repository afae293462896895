# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Batches of updates that are made together or not at all (section 12.2).

ROLLBACK_ON_ERROR and DATAPLANE_ATOMIC are the same here: the engine makes all updates of a batch between two
packets, and undoes them between the same two packets if one is refused. This works for table entries, also
those with direct resources and default entries; batches with other entities are UNIMPLEMENTED.
"""

from collections.abc import Sequence

from finsy.proto import p4r, rpc_code

from .entities import describe, object_id_of
from .pipeline import Pipeline
from .roles import Role
from .status import StatusError, invalid_argument
from .table_writes import Plan, plan_table_entry

Errors = list[StatusError | None]


def write_atomically(pipeline: Pipeline, updates: Sequence[p4r.Update], role: Role) -> Errors:
    """Makes all updates or none. Those that were not refused themselves, but not made either, are ABORTED.

    Raises UNIMPLEMENTED if the batch has other updates than of table entries.
    """
    for update in updates:
        if update.entity.WhichOneof("entity") not in ("table_entry", None):
            raise StatusError(
                rpc_code.UNIMPLEMENTED,
                f"only batches of table entries can be atomic; this one has a {describe(update.entity)}",
            )
    plans: list[Plan] = []
    errors: Errors = []
    for update in updates:
        try:
            plans.append(_plan(pipeline, update, role))
            errors.append(None)
        except StatusError as error:
            errors.append(error)
    if any(errors):
        return _aborted(errors)
    flat = [(number, change) for number, plan in enumerate(plans) for change in plan.updates]
    refused = pipeline.switch.update_tables([change for _, change in flat])
    if refused is not None:
        number = flat[refused[0]][0]
        errors[number] = plans[number].refused(refused[1])
        return _aborted(errors)
    for plan in plans:
        plan.after()
    return errors


def _plan(pipeline: Pipeline, update: p4r.Update, role: Role) -> Plan:
    if update.type not in (p4r.Update.INSERT, p4r.Update.MODIFY, p4r.Update.DELETE):
        raise invalid_argument("the update has no type: INSERT, MODIFY or DELETE")
    if update.entity.WhichOneof("entity") is None:
        raise invalid_argument("the request has an empty entity")
    role.require_access(object_id_of(update.entity), describe(update.entity))
    plan = plan_table_entry(pipeline, update.type, update.entity.table_entry)
    if plan.one_shot is not None or plan.table.implementation_id:
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"table {plan.table.name}: entries with action profiles cannot be atomic"
        )
    return plan


def _aborted(errors: Errors) -> Errors:
    """With an error for each update."""
    why = StatusError(rpc_code.ABORTED, "not made, since another update of the atomic batch was refused")
    return [why if error is None else error for error in errors]
