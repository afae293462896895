# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""P4 types and values of them: `P4DataTypeSpec` and `P4Data` (section 8.4) <-> flat lists of unsigned
integers.

The engine knows bits only: a struct is the list of its fields, a bool one bit, a signed integer its two's
complement.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from finsy.proto import p4d, p4t, rpc_code

from . import bytestring
from .budgets import P4INFO_FIELDS, TYPE_NESTING
from .status import StatusError, invalid_argument
from .translation import Translation, Translations


@dataclass(frozen=True)
class Bits:
    """bit<W>, int<W>, bool or a serializable enum: one integer. `kind` is the field of P4Data that holds
    it."""

    width: int
    kind: str = "bitstring"
    signed: bool = False
    translation: Translation | None = None
    """Then `width` is what packets carry; 0 until the device config has said it."""

    @property
    def widths(self) -> list[int]:
        """Widths in bits of the integers that make up a value."""
        return [self.width]

    def encode(self, values: Iterator[int]) -> p4d.P4Data:
        """Takes as many integers as the type needs."""
        value = next(values)
        if self.kind == "bool":
            return p4d.P4Data(bool=bool(value))
        if self.translation is not None:
            return p4d.P4Data(bitstring=self.translation.encode(value))
        string = bytestring.encode_signed(value, self.width) if self.signed else bytestring.encode(value)
        return p4d.P4Data(enum_value=string) if self.kind == "enum_value" else p4d.P4Data(bitstring=string)

    def decode(self, data: p4d.P4Data, what: str) -> list[int]:
        """Raises INVALID_ARGUMENT or OUT_OF_RANGE, naming `what`, if the value is not one of this type."""
        _require(data, self.kind, what)
        if self.kind == "bool":
            return [int(data.bool)]
        if self.translation is not None:
            return [self.translation.decode(data.bitstring, self.width, what)]
        string = data.enum_value if self.kind == "enum_value" else data.bitstring
        decode = bytestring.decode_signed if self.signed else bytestring.decode
        return [decode(string, self.width, what)]


@dataclass(frozen=True)
class Composite:
    """A tuple, struct or header: its members in order. `kind` is the field of P4Data that holds it."""

    kind: str
    members: tuple["Bits | Composite", ...]

    @property
    def widths(self) -> list[int]:
        """Widths in bits of the integers that make up a value."""
        return [width for member in self.members for width in member.widths]

    def encode(self, values: Iterator[int]) -> p4d.P4Data:
        """Takes as many integers as the type needs."""
        members = [member.encode(values) for member in self.members]
        if self.kind == "header":
            strings = [member.bitstring for member in members]
            return p4d.P4Data(header=p4d.P4Header(is_valid=True, bitstrings=strings))
        if self.kind == "struct":
            return p4d.P4Data(struct=p4d.P4StructLike(members=members))
        return p4d.P4Data(tuple=p4d.P4StructLike(members=members))

    def decode(self, data: p4d.P4Data, what: str) -> list[int]:
        """Raises INVALID_ARGUMENT or OUT_OF_RANGE, naming `what`, if the value is not one of this type."""
        _require(data, self.kind, what)
        if self.kind == "header":
            members: Sequence[p4d.P4Data] = [
                p4d.P4Data(bitstring=string) for string in data.header.bitstrings
            ]
        else:
            members = data.struct.members if self.kind == "struct" else data.tuple.members
        if len(members) != len(self.members):
            raise invalid_argument(
                f"{what}: the {self.kind} has {len(self.members)} members, not {len(members)}"
            )
        return [
            value
            for member, part in zip(self.members, members, strict=True)
            for value in member.decode(part, what)
        ]


DataType = Bits | Composite


@dataclass(frozen=True)
class TypeInfo:
    """The named types of a P4Info, and how values of them are translated."""

    specs: p4t.P4TypeInfo
    translations: Translations
    fields: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Counts the fields that were read: types that name others twice double with each."""

    def count(self, what: str) -> None:
        """One field more, of `what`. Raises INVALID_ARGUMENT if it is one too many."""
        if next(self.fields) > P4INFO_FIELDS:
            raise invalid_argument(f"P4Info: {what}: the fields of all values are more than {P4INFO_FIELDS}")


def fitted(of: DataType, widths: Iterator[int]) -> DataType:
    """The type with the widths that packets carry where it is translated."""
    if isinstance(of, Bits):
        width = next(widths, of.width)
        return of if of.translation is None else replace(of, width=width)
    return replace(of, members=tuple(fitted(member, widths) for member in of.members))


def read_type(spec: p4t.P4DataTypeSpec, types: TypeInfo, what: str) -> DataType:
    """The type that a P4Info gives to `what`. Raises UNIMPLEMENTED for kinds without a value in bits."""
    return _read(spec, types, what, ())


def _read(spec: p4t.P4DataTypeSpec, types: TypeInfo, what: str, within: tuple[str, ...]) -> DataType:
    types.count(what)
    if len(within) > TYPE_NESTING:
        raise invalid_argument(f"P4Info: the type of {what} is nested deeper than {TYPE_NESTING} levels")
    kind = spec.WhichOneof("type_spec")
    if kind == "bitstring":
        return _bits(spec.bitstring, what)
    if kind == "bool":
        return Bits(1, "bool")
    if kind == "tuple":
        return Composite("tuple", tuple(_read(member, types, what, within) for member in spec.tuple.members))
    name = getattr(spec, kind).name if kind in ("struct", "header", "serializable_enum", "new_type") else ""
    if not name:
        raise StatusError(
            rpc_code.UNIMPLEMENTED, f"{what}: values of type {kind or 'unknown'} are not supported"
        )
    if name in within:
        raise invalid_argument(f"P4Info: {what}: type {name} contains itself")
    return _named(str(kind), name, types, what, (*within, name))


def _named(kind: str, name: str, types: TypeInfo, what: str, within: tuple[str, ...]) -> DataType:
    specs = types.specs
    if kind == "struct" and name in specs.structs:
        fields = specs.structs[name].members
        return Composite("struct", tuple(_read(field.type_spec, types, what, within) for field in fields))
    if kind == "header" and name in specs.headers:
        members = specs.headers[name].members
        return Composite("header", tuple(_header_field(member.type_spec, types, what) for member in members))
    if kind == "serializable_enum" and name in specs.serializable_enums:
        return Bits(specs.serializable_enums[name].underlying_type.bitwidth, "enum_value")
    if kind == "new_type" and name in specs.new_types:
        translation = types.translations.of(name)
        if translation is None:
            return _read(specs.new_types[name].original_type, types, what, within)
        return Bits(getattr(translation, "sdn_bitwidth", 0), translation=translation)
    raise invalid_argument(f"P4Info: {what} has type {name}, which the type info does not describe")


def _header_field(spec: p4t.P4BitstringLikeTypeSpec, types: TypeInfo, what: str) -> Bits:
    types.count(what)
    return _bits(spec, what)


def _bits(spec: p4t.P4BitstringLikeTypeSpec, what: str) -> Bits:
    kind = spec.WhichOneof("type_spec")
    if kind == "bit":
        return Bits(spec.bit.bitwidth)
    if kind == "int":
        return Bits(spec.int.bitwidth, signed=True)
    raise StatusError(rpc_code.UNIMPLEMENTED, f"{what}: values of type {kind or 'unknown'} are not supported")


def _require(data: p4d.P4Data, kind: str, what: str) -> None:
    given = data.WhichOneof("data")
    if given != kind:
        raise invalid_argument(f"{what}: the value must be a {kind}, not {given or 'empty'}")
