# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A program with its tables, known to fit each other."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import mecn_native
from finsy.proto import rpc_code

from ..status import StatusError, invalid_argument
from .arrays import Counter, Meter, Register
from .copies import Mirrors, Nodes, Trees
from .filters import Lpf, Wred
from .fixed import fixed_info
from .info import Info, Learn, Table, read_info
from .match import MatchTable
from .model import Context, Model
from .parsing import PortMetadata, ValueSet
from .ports import Ports, PortSwitch
from .profiles import GetMember, Profile, Selector

SIMPLE = {
    "MatchAction_Direct": MatchTable,
    "MatchAction_Indirect": MatchTable,
    "MatchAction_Indirect_Selector": MatchTable,
    "Action": Profile,
    "Selector": Selector,
    "Counter": Counter,
    "Register": Register,
    "Meter": Meter,
    "Lpf": Lpf,
    "Wred": Wred,
    "ParserValueSet": ValueSet,
    "PortMetadata": PortMetadata,
    "PreNode": Nodes,
    "MirrorCfg": Mirrors,
    "PortConfigure": Ports,
}
"""Tables that stand for themselves, by their type in bf-rt.json."""


@dataclass(frozen=True)
class Config:
    """What a controller sets: a program's name, its bf-rt.json and what runs (context and binary)."""

    p4_name: str
    bfruntime_info: bytes
    device_config: bytes
    profile: str = "pipe"
    context: bytes = b""


class Program:
    """A configured program."""

    def __init__(self, config: Config, context: Context) -> None:
        """INVALID_ARGUMENT if the description is not of this program."""
        self.config = config
        self.switch: mecn_native.Switch = context.switch
        self.fixed = fixed_info(_generation(config.device_config))
        self.info: Info = context.info
        chip = read_info(self.fixed).tables
        self.models: dict[int, Model] = {}
        for table in (*self.info.tables.values(), *chip.values()):
            model = self._model(table, context)
            if model is not None:
                self.models[table.id] = model
        self._names = {model.table.name: model for model in self.models.values()}

    def _model(self, table: Table, context: Context) -> Model | None:
        if table.type in SIMPLE:
            return SIMPLE[table.type](table, context)
        known = {model.table.type: model for model in self.models.values()}
        match table.type:
            case "PreMgid":
                return Trees(table, context, known["PreNode"])  # type: ignore[arg-type]
            case "SelectorGetMember":
                (selector,) = (self.models[i] for i in table.depends_on)
                return GetMember(table, context, selector)  # type: ignore[arg-type]
            case "TmPortSchedCfg":
                return PortSwitch(table, context)
            case "TmPortSchedShaping":
                return PortSwitch(table, context, known["TmPortSchedCfg"])  # type: ignore[arg-type]
        return None

    def model(self, table_id: int) -> Model:
        """NOT_FOUND if there is no such table, UNIMPLEMENTED if the switch has no such kind."""
        model = self.models.get(table_id)
        if model is not None:
            return model
        table = self.info.tables.get(table_id)
        if table is None:
            raise StatusError(rpc_code.NOT_FOUND, f"there is no table with id {table_id:#x}")
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"table {table.name}: tables of type {table.type} are not supported"
        )

    def tables(self) -> Iterator[tuple[str, MatchTable]]:
        """The program's tables by the engine's names."""
        return ((m.name, m) for m in self.models.values() if isinstance(m, MatchTable))

    def learn(self, engine_name: str) -> Learn | None:
        """The digest that the engine calls by this name."""
        for learn in self.info.learns.values():
            if learn.name.partition(".")[2] == engine_name:
                return learn
        return None

    @property
    def by_name(self) -> Mapping[str, Model]:
        """Tables by their full names."""
        return self._names


def _generation(device_config: bytes) -> int:
    """Of Tofino, for which a program is compiled. The engine has read it, so it is JSON."""
    return 2 if json.loads(device_config).get("target") == "t2na" else 1


def require_name(config: Config) -> None:
    """INVALID_ARGUMENT for a program without a name."""
    if not config.p4_name:
        raise invalid_argument("the program has no name (p4_name)")
