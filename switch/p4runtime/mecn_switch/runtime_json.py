# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Static entries in the `runtime.json` of p4lang/tutorials (`utils/p4runtime_lib/simple_controller.py`).

{"p4info": "build/basic.p4info.txtpb", "bmv2_json": "build/basic.json",
 "table_entries": [{"table": "MyIngress.ipv4_lpm", "match": {"hdr.ipv4.dstAddr": ["10.0.1.1", 32]},
   "action_name": "MyIngress.ipv4_forward", "action_params": {"dstAddr": "08:00:00:00:01:11", "port": 1}}],
 "multicast_group_entries": [{"multicast_group_id": 1, "replicas": [{"egress_port": 1, "instance": 1}]}],
 "clone_session_entries": [{"clone_session_id": 5, "replicas": [{"egress_port": 3, "instance": 1}]}]}

Paths are relative to the current folder, as there. A key field is a value (exact, optional), [VALUE, LENGTH]
(lpm), [VALUE, MASK] (ternary) or [LOW, HIGH] (range). Values are numbers, IPv4, IPv6 or MAC addresses.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from finsy.proto import p4r

from . import bytestring
from .schema import Action, Field, Param, Schema, Table
from .status import StatusError
from .translation import Names

_MAC = re.compile(r"[0-9a-fA-F]{1,2}(?::[0-9a-fA-F]{1,2}){5}", re.ASCII)
SECTIONS = ("table_entries", "multicast_group_entries", "clone_session_entries")

_Named = TypeVar("_Named", Table, Action, Field, Param)


class RuntimeFileError(Exception):
    """The file cannot be used: its name, the entry and the reason, in one line."""


@dataclass(frozen=True)
class RuntimeFile:
    """A file, read but not compared with a program yet."""

    path: Path
    program: Path | None
    p4info: Path | None
    _entries: Mapping[str, list[Any]]

    def write(self, schema: Schema, write: Callable[[p4r.Update], None]) -> None:
        """Makes updates of the entries, one after the other, for the program that `schema` describes.

        Raises RuntimeFileError, also where `write` raises StatusError.
        """
        makers = (_table_update, _group_update, _clone_update)
        for section, make in zip(SECTIONS, makers, strict=True):
            for number, entry in enumerate(self._entries[section], start=1):
                where = f"{self.path}: {section}, entry {number}"
                try:
                    write(make(schema, entry))
                except KeyError as error:
                    raise RuntimeFileError(f"{where}: {error.args[0]} is missing") from None
                except (ValueError, TypeError, AttributeError) as error:
                    raise RuntimeFileError(f"{where}: {error}") from None
                except StatusError as error:
                    raise RuntimeFileError(f"{where}: {error.message}") from None


def read_runtime(path: Path) -> RuntimeFile:
    """Raises RuntimeFileError if it is no such file, OSError if it cannot be read."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise RuntimeFileError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from None
    except (UnicodeDecodeError, RecursionError):
        raise RuntimeFileError(f"{path}: is not JSON") from None
    if not isinstance(data, dict):
        raise RuntimeFileError(f"{path}: is no JSON object")
    entries = {section: data.get(section, []) for section in SECTIONS}
    if wrong := next((name for name, found in entries.items() if not isinstance(found, list)), None):
        raise RuntimeFileError(f"{path}: {wrong} is no list")
    paths = [data.get(key) for key in ("bmv2_json", "p4info")]
    if any(not isinstance(each, str | None) for each in paths):
        raise RuntimeFileError(f"{path}: bmv2_json and p4info must be paths")
    program, p4info = (Path(each) if each else None for each in paths)
    return RuntimeFile(path, program, p4info, entries)


def _table_update(schema: Schema, entry: dict[str, Any]) -> p4r.Update:
    table = _named(entry["table"], schema.tables.values(), "table", "the program")
    actions = [ref.action for ref in table.actions.values()]
    action = _named(entry["action_name"], actions, "action", f"table {table.name}")
    wire = p4r.TableEntry(table_id=table.id, priority=entry.get("priority") or 0)
    wire.action.action.action_id = action.id
    for name, value in (entry.get("action_params") or {}).items():
        param = _named(name, action.params, "parameter", f"action {action.name}")
        wire.action.action.params.add(param_id=param.id, value=_value(value, param))
    if entry.get("default_action"):
        wire.is_default_action = True
        return p4r.Update(type=p4r.Update.MODIFY, entity=p4r.Entity(table_entry=wire))
    for name, value in (entry.get("match") or {}).items():
        field = _named(name, table.fields, "match field", f"table {table.name}")
        wire.match.extend(_match(value, field))
    return p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(table_entry=wire))


def _named(name: str, objects: Iterable[_Named], kind: str, owner: str) -> _Named:
    """The object of this name, or the only one that ends with it."""
    known = {each.name: each for each in objects}
    found = [name] if name in known else [full for full in known if full.endswith(f".{name}")]
    if len(found) == 1:
        return known[found[0]]
    listed = ", ".join(sorted(found or known)) or "none"
    raise ValueError(f"{owner} has {'several' if found else 'no'} {kind} {name!r} (it has {listed})")


def _match(value: Any, field: Field) -> Iterator[p4r.FieldMatch]:  # noqa: ANN401
    """The match; none where anything matches, which P4Runtime says by leaving the field out."""
    wire = p4r.FieldMatch(field_id=field.id)
    if field.match in ("exact", "optional"):
        getattr(wire, field.match).value = _value(value, field)
        yield wire
        return
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"match field {field.name} is {field.match} and takes a list of two values")
    if field.match == "lpm":
        if not isinstance(value[1], int):
            raise ValueError(f"match field {field.name}: {value[1]!r} is not a prefix length")
        wire.lpm.value, wire.lpm.prefix_len = _value(value[0], field), value[1]
        if value[1] != 0:
            yield wire
        return
    first, second = (_value(each, field) for each in value)
    low, high = (int.from_bytes(each, "big") for each in (first, second))
    if field.match == "ternary":
        wire.ternary.value, wire.ternary.mask = first, second
        if high != 0:
            yield wire
        return
    wire.range.low, wire.range.high = first, second
    if (low, high) != (0, (1 << field.bitwidth) - 1):
        yield wire


def _value(value: Any, of: Field | Param) -> bytes:  # noqa: ANN401
    """A value as P4Runtime has it. How many bits it may have is checked with the entry."""
    if isinstance(value, list) and len(value) == 1:
        (value,) = value
    if isinstance(of.translation, Names):
        return str(value).encode()
    number = value if isinstance(value, int) and not isinstance(value, bool) else None
    if isinstance(value, str):
        number = _number(value)
    if number is None or number < 0:
        raise ValueError(f"{of.name}: {value!r} is not a number, an IP address or a MAC address")
    return bytestring.encode(number)


def _number(text: str) -> int | None:
    if _MAC.fullmatch(text):
        return int("".join(part.zfill(2) for part in text.split(":")), 16)
    try:
        return int(text, 0)
    except ValueError:
        pass
    try:
        return int(ipaddress.ip_address(text))
    except ValueError:
        return None


def _replicas(entry: dict[str, Any]) -> list[p4r.Replica]:
    return [
        p4r.Replica(egress_port=each["egress_port"], instance=each["instance"]) for each in entry["replicas"]
    ]


def _group_update(_schema: Schema, entry: dict[str, Any]) -> p4r.Update:
    group = p4r.MulticastGroupEntry(multicast_group_id=entry["multicast_group_id"], replicas=_replicas(entry))
    engine = p4r.PacketReplicationEngineEntry(multicast_group_entry=group)
    return p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(packet_replication_engine_entry=engine))


def _clone_update(_schema: Schema, entry: dict[str, Any]) -> p4r.Update:
    session = p4r.CloneSessionEntry(
        session_id=entry["clone_session_id"],
        replicas=_replicas(entry),
        packet_length_bytes=entry.get("packet_length_bytes", 0),
    )
    engine = p4r.PacketReplicationEngineEntry(clone_session_entry=session)
    return p4r.Update(type=p4r.Update.INSERT, entity=p4r.Entity(packet_replication_engine_entry=engine))
