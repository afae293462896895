# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""BF Runtime's messages, made of bfruntime.proto when this module is imported: `messages.WriteRequest`.

Only what that file uses of the protobuf language is read: messages and enums in each other, oneofs, repeated
fields. Types are found by their name alone, which is used once in it.
"""

import re
from collections.abc import Iterator
from importlib import resources
from typing import Any, TypeAlias

from finsy.proto import rpc_status
from google.protobuf import any_pb2, descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_STATUS = rpc_status.Status.DESCRIPTOR.file
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,
    "string": _Field.TYPE_STRING,
    "uint32": _Field.TYPE_UINT32,
    "uint64": _Field.TYPE_UINT64,
}
_TOKEN = re.compile(r'//[^\n]*|"[^"]*"|[\w.]+|[{}=;()]')
PACKAGE = "bfrt_proto"
SERVICE = f"{PACKAGE}.BfRuntime"
Wire: TypeAlias = Any
"""A message, or the class of one: they are made here, so type checkers do not know them."""


def _tokens(text: str) -> Iterator[str]:
    return (token for token in _TOKEN.findall(text) if not token.startswith("//"))


class _Reader:
    """Reads the file's declarations into a descriptor."""

    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self.file = descriptor_pb2.FileDescriptorProto(
            name="mecn/bfruntime.proto", package=PACKAGE, syntax="proto3"
        )
        self.file.dependency.append(_STATUS.name)
        self.types: dict[str, tuple[str, _Field.Type.ValueType]] = {}
        for token in self._tokens:
            if token == "message":  # noqa: S105
                self._message(self.file.message_type.add(), PACKAGE)
            elif token == "enum":  # noqa: S105
                self._enum(self.file.enum_type.add(), PACKAGE)
            elif token == "service":  # noqa: S105
                self._skip_block()
        for message in self.file.message_type:
            self._resolve(message)

    def _next(self, wanted: str | None = None) -> str:
        token = next(self._tokens)
        if wanted not in (None, token):
            raise ValueError(f"{wanted!r} expected, not {token!r}")
        return token

    def _skip_block(self) -> None:
        depth = 0
        for token in self._tokens:
            depth += (token == "{") - (token == "}")  # noqa: S105
            if token == "}" and depth == 0:  # noqa: S105
                return

    def _enum(self, enum: descriptor_pb2.EnumDescriptorProto, scope: str) -> None:
        enum.name = self._next()
        self.types[enum.name] = f".{scope}.{enum.name}", _Field.TYPE_ENUM
        self._next("{")
        while (name := self._next()) != "}":
            self._next("=")
            enum.value.add(name=name, number=int(self._next()))
            self._next(";")

    def _message(self, message: descriptor_pb2.DescriptorProto, scope: str) -> None:
        message.name = self._next()
        path = f"{scope}.{message.name}"
        self.types[message.name] = f".{path}", _Field.TYPE_MESSAGE
        self._next("{")
        while (token := self._next()) != "}":
            if token == "message":  # noqa: S105
                self._message(message.nested_type.add(), path)
            elif token == "enum":  # noqa: S105
                self._enum(message.enum_type.add(), path)
            elif token == "oneof":  # noqa: S105
                message.oneof_decl.add(name=self._next())
                self._next("{")
                while (kind := self._next()) != "}":
                    self._field(message, kind).oneof_index = len(message.oneof_decl) - 1
            else:
                self._field(message, token)

    def _field(self, message: descriptor_pb2.DescriptorProto, token: str) -> _Field:
        repeated = token == "repeated"  # noqa: S105
        kind = self._next() if repeated else token
        field = message.field.add(name=self._next(), type_name=kind)
        field.label = _Field.LABEL_REPEATED if repeated else _Field.LABEL_OPTIONAL
        self._next("=")
        field.number = int(self._next())
        self._next(";")
        return field

    def _resolve(self, message: descriptor_pb2.DescriptorProto) -> None:
        for field in message.field:
            kind = field.type_name
            if kind in _SCALARS:
                field.type = _SCALARS[kind]
                field.ClearField("type_name")
            elif kind.startswith("."):
                field.type = _Field.TYPE_MESSAGE
            else:
                # An enum named Type is in Update and in TableModIncFlag: the message's own comes first.
                own = {e.name: e for e in message.enum_type}
                name, field.type = self.types[kind]
                if kind in own:
                    name, field.type = f"{self.types[message.name][0]}.{kind}", _Field.TYPE_ENUM
                field.type_name = name
        for inner in message.nested_type:
            self._resolve(inner)


def _load() -> dict[str, Any]:
    text = resources.files(__package__).joinpath("bfruntime.proto").read_text(encoding="utf-8")
    # A pool of its own: a process may hold the classes of p4lang's client as well.
    pool: Any = descriptor_pool.DescriptorPool()
    for known in (any_pb2.DESCRIPTOR, _STATUS):
        pool.AddSerializedFile(known.serialized_pb)
    file = _Reader(text).file
    pool.AddSerializedFile(file.SerializeToString())
    return {
        message.name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{PACKAGE}.{message.name}"))
        for message in file.message_type
    }


_MESSAGES = _load()


def __getattr__(name: str) -> Wire:
    """The class of a message."""
    try:
        return _MESSAGES[name]
    except KeyError:
        raise AttributeError(f"BF Runtime has no message {name}") from None
