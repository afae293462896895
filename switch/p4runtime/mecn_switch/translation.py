# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Translated types (sections 8.4.6 and 18): what controllers say <-> what packets carry.

A P4 type with `@p4runtime_translation(uri, bit<W>)` or `(uri, string)` has other values for controllers than
for the program. How they correspond is the switch's business:

* numbers are the same numbers, in other widths, but for `SDN_PORT_CPU`, which stands for the CPU port where
  the type is one of ports of 32 bits;
* strings of types of ports (whose URI or name has "port" in it) are the names of the interfaces, and of
  other ports their numbers in decimal;
* all other strings get a number when they are first written, from the top of the type's values down; a
  string of decimal digits without leading zeros means that number, so that values which no controller has
  named can be said, too.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from finsy.proto import p4t, rpc_code

from . import bytestring
from .status import StatusError, invalid_argument

MAX_NAMES = 1 << 16
"""Strings that a type remembers at most."""

MAX_LENGTH = 1024
"""Bytes of a string at most."""

SDN_PORT_BITS = 32
SDN_PORT_CPU = 0xFFFFFFFD
"""The CPU port for controllers (section 18.1.1)."""

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,77}")


@dataclass(frozen=True)
class Numbers:
    """bit<W> for controllers, another width for packets. `sdn_bitwidth` is W."""

    sdn_bitwidth: int
    cpu_port: int | None = None
    """What `SDN_PORT_CPU` stands for, if anything."""

    def decode(self, string: bytes, bitwidth: int, what: str) -> int:
        """Raises OUT_OF_RANGE if the number fits the controllers' type or the packets' type not."""
        value = bytestring.decode(string, self.sdn_bitwidth, what)
        if value == SDN_PORT_CPU and self.cpu_port is not None:
            return self.cpu_port
        if value.bit_length() > bitwidth:
            raise StatusError(
                rpc_code.OUT_OF_RANGE, f"{what}: {value:#x} has no counterpart of {bitwidth} bits"
            )
        return value

    def encode(self, value: int) -> bytes:
        """The number as controllers read it."""
        return bytestring.encode(SDN_PORT_CPU if value == self.cpu_port else value)


@dataclass
class Names:
    """Strings for controllers, numbers for packets."""

    uri: str
    ports: Mapping[str, int] | None = None
    """Names of ports, if the type is one of ports."""
    _numbers: dict[str, int] = field(default_factory=dict)
    _names: dict[int, str] = field(default_factory=dict)
    _last: int = 0
    """The number that a string was given last."""

    def decode(self, string: bytes, bitwidth: int, what: str) -> int:
        """The number of a string.

        Raises INVALID_ARGUMENT if it is not UTF-8 or, for ports, no port's name; OUT_OF_RANGE if it is a
        number of more bits; RESOURCE_EXHAUSTED if there are too many strings.
        """
        try:
            name = string.decode()
        except UnicodeDecodeError:
            raise invalid_argument(f"{what}: the string is not UTF-8") from None
        if not name or len(string) > MAX_LENGTH:
            raise invalid_argument(f"{what}: the string is empty or longer than {MAX_LENGTH} bytes")
        number = self.ports.get(name) if self.ports is not None else self._numbers.get(name)
        if number is None and _DECIMAL.fullmatch(name):
            number = int(name)
            if self.encode(number) != string:
                raise invalid_argument(f"{what}: {number} has the name {self.encode(number).decode()!r}")
        elif number is None and self.ports is not None:
            raise invalid_argument(f"{what}: there is no port {name!r}")
        if number is None:
            return self._remember(name, None, bitwidth, what)
        if number.bit_length() > bitwidth:
            raise StatusError(rpc_code.OUT_OF_RANGE, f"{what}: {number:#x} does not fit bit<{bitwidth}>")
        if self.ports is None and name not in self._numbers:
            self._remember(name, number, bitwidth, what)
        return number

    def encode(self, value: int) -> bytes:
        """The string of a number."""
        if self.ports is not None:
            for name, port in self.ports.items():
                if port == value:
                    return name.encode()
        return self._names.get(value, str(value)).encode()

    def _remember(self, name: str, number: int | None, bitwidth: int, what: str) -> int:
        """Keeps a string, with a number of its own unless it says one."""
        if len(self._numbers) >= min(MAX_NAMES, 1 << bitwidth):
            raise StatusError(
                rpc_code.RESOURCE_EXHAUSTED, f"{what}: there are too many strings of {self.uri}"
            )
        if number is None:
            number = self._last - 1 & (1 << bitwidth) - 1
            while number in self._names:
                number = number - 1 & (1 << bitwidth) - 1
            self._last = number
        self._numbers[name], self._names[number] = number, name
        return number


Translation = Numbers | Names


class Translations:
    """The translations of a P4Info, one for each type, whatever it is used for."""

    def __init__(
        self, types: p4t.P4TypeInfo, ports: Mapping[str, int] | None = None, cpu_port: int | None = None
    ) -> None:
        self._types = types
        self._ports = ports if ports is not None else {}
        self._cpu_port = cpu_port
        self._made: dict[str, Translation] = {}

    def of(self, type_name: str) -> Translation | None:
        """The translation of a named type; None if it has none."""
        if type_name not in self._made:
            new = self._types.new_types.get(type_name)
            if new is None or new.WhichOneof("representation") != "translated_type":
                return None
            spec = new.translated_type
            is_port = "port" in f"{spec.uri} {type_name}".lower()
            if spec.WhichOneof("sdn_type") == "sdn_bitwidth":
                cpu_port = self._cpu_port if is_port and spec.sdn_bitwidth == SDN_PORT_BITS else None
                self._made[type_name] = Numbers(spec.sdn_bitwidth, cpu_port)
            else:
                self._made[type_name] = Names(spec.uri, self._ports if is_port else None)
        return self._made[type_name]

    def port_names(self) -> Names | None:
        """The translation of ports to strings, if the program has one."""
        for name in self._types.new_types:
            found = self.of(name)
            if isinstance(found, Names) and found.ports is not None:
                return found
        return None


def decode(translation: Translation | None, string: bytes, bitwidth: int, what: str) -> int:
    """The number that packets carry for a value that a controller sent."""
    if translation is None:
        return bytestring.decode(string, bitwidth, what)
    return translation.decode(string, bitwidth, what)


def encode(translation: Translation | None, value: int) -> bytes:
    """What a controller reads for a number that packets carry."""
    return bytestring.encode(value) if translation is None else translation.encode(value)
