# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""The engine without a control plane: entries put straight into its tables, and the numbers that it draws."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mecn_controller.policy.entries import Entry
from mecn_controller.runtime.targets.virtual import match_field
from mecn_native import ActionCall, CompiledProgram, Switch, TableUpdate
from numpy.random import PCG64

from mecn_ptf.frames import ROUTES

_MASK = (1 << 64) - 1


def install(switch: Switch, entries: Iterable[Entry]) -> None:
    """Inserts the controller's entries."""
    keys = {table.name: [key.name for key in table.keys] for table in switch.tables()}
    params = {action.name: [param.name for param in action.params] for action in switch.actions()}
    for entry in entries:
        match = [match_field(entry.field(name)) for name in keys[entry.table]]
        call = ActionCall(entry.action, [entry.param(name) for name in params[entry.action]])
        switch.update(TableUpdate.Insert(entry.table, match, entry.priority, call))


def routed(program: CompiledProgram) -> Switch:
    """The program with routes and without a policy; `fork` it, with a seed of its own."""
    switch = Switch.from_json(program.bmv2_json.encode())
    install(switch, [route.entry() for route in ROUTES])
    return switch


def _expanded(seed: int) -> bytes:
    """The 32 bytes that the crate rand_core makes of a 64-bit seed: eight outputs of a PCG XSH RR 64/32."""
    state, words = seed, []
    for _ in range(8):
        state = (state * 6364136223846793005 + 11634580027462260723) & _MASK
        shifted = ((state >> 18) ^ state) >> 27 & 0xFFFF_FFFF
        turn = state >> 59
        words.append(((shifted >> turn) | (shifted << (-turn & 31))) & 0xFFFF_FFFF)
    return b"".join(word.to_bytes(4, "little") for word in words)


def draws(seed: int) -> Callable[[], int]:
    """The 64-bit numbers that an engine with this seed draws, from numpy's PCG64 (XSL RR 128/64)."""
    seed_bytes = _expanded(seed)
    state = int.from_bytes(seed_bytes[:16], "little")
    increment = int.from_bytes(seed_bytes[16:], "little") | 1
    multiplier = 0x2360ED051FC65DA44385DF649FCCF645
    generator = PCG64()
    generator.state = {
        "bit_generator": "PCG64",
        "state": {
            "state": ((state + increment) * multiplier + increment) & ((1 << 128) - 1),
            "inc": increment,
        },
        "has_uint32": 0,
        "uinteger": 0,
    }
    return lambda: int(generator.random_raw())
