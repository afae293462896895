# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Settings of the property tests that let arbitrary input in, and arbitrary protobuf messages."""

import os
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

EXAMPLES = int(os.environ.get("MECN_FUZZ_EXAMPLES", "0"))
"""How many examples each of these tests takes; 0: as many as the test says, a matter of seconds."""

M = TypeVar("M", bound=Message)
Test = Callable[..., None]

_DEPTH = 9
_INTEGERS = st.one_of(
    st.integers(0, 4), st.integers(0, (1 << 32) - 1), st.sampled_from([1 << 31, (1 << 32) - 1, (1 << 63) - 1])
)
_STRINGS = st.one_of(st.sampled_from(["", "a", "1", "role", "\0"]), st.text(max_size=8))
_BYTES = st.one_of(
    st.sampled_from([b"", b"\0", b"\1", b"\0\1", b"\xff", b"\xff" * 17]), st.binary(min_size=1, max_size=6)
)


def arbitrary(examples: int) -> Callable[[Test], Test]:
    """Settings: `examples`, or what the environment says; the same ones in every run unless it says."""
    return settings(
        max_examples=EXAMPLES or examples,
        deadline=None,
        derandomize=not EXAMPLES,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


class _Filler:
    def __init__(self, draw: st.DrawFn, numbers: Collection[int]) -> None:
        self.draw = draw
        # Ids that mean something are drawn as often as any others.
        known = st.sampled_from(sorted(numbers)) if numbers else st.nothing()
        self.integers = st.one_of(known, _INTEGERS)

    def fill(self, message: Message, depth: int) -> None:
        """Sets some of the fields. Of a oneof, the last one that is set counts, as on the wire."""
        fields = list(message.DESCRIPTOR.fields)
        for oneof in message.DESCRIPTOR.oneofs:
            # One of each, or none: drawn, not left to chance, so that deep messages are not mostly empty.
            if chosen := self.draw(st.sampled_from([None, *oneof.fields, *oneof.fields])):
                self.set(message, chosen, depth)
            fields = [field for field in fields if field not in oneof.fields]
        for field in fields:
            if self.draw(st.integers(0, 3)):
                self.set(message, field, depth)

    def set(self, message: Message, field: FieldDescriptor, depth: int) -> None:
        """Sets one field, or adds to it."""
        if field.message_type is not None:
            if depth == 0:
                return
            if field.message_type.GetOptions().map_entry:
                key, value = field.message_type.fields
                container = getattr(message, field.name)
                for _ in range(self.draw(st.integers(0, 2))):
                    if value.message_type is not None:
                        self.fill(container[self.scalar(key)], depth - 1)
                    else:
                        container[self.scalar(key)] = self.scalar(value)
            elif field.is_repeated:
                for _ in range(self.draw(st.integers(0, 2))):
                    self.fill(getattr(message, field.name).add(), depth - 1)
            else:
                child = getattr(message, field.name)
                child.SetInParent()
                self.fill(child, depth - 1)
            return
        if field.is_repeated:
            values = [self.scalar(field) for _ in range(self.draw(st.integers(0, 3)))]
            getattr(message, field.name).extend(values)
        else:
            setattr(message, field.name, self.scalar(field))

    def scalar(self, field: FieldDescriptor) -> Any:  # noqa: ANN401
        """A value of the field's type."""
        kind = field.cpp_type
        if kind == FieldDescriptor.CPPTYPE_BOOL:
            return self.draw(st.booleans())
        if kind == FieldDescriptor.CPPTYPE_STRING:
            return self.draw(_BYTES if field.type == FieldDescriptor.TYPE_BYTES else _STRINGS)
        if kind in (FieldDescriptor.CPPTYPE_DOUBLE, FieldDescriptor.CPPTYPE_FLOAT):
            return self.draw(st.floats(width=32))
        if kind == FieldDescriptor.CPPTYPE_ENUM:
            return self.draw(st.integers(-1, 12))
        bits = 64 if kind in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64) else 32
        value = self.draw(self.integers) & (1 << bits) - 1
        signed = kind in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
        return value - (1 << bits) if signed and value >> bits - 1 else value


@st.composite
def messages(draw: st.DrawFn, kind: type[M], numbers: Collection[int] = ()) -> M:
    """Messages of a type. numbers: that integer fields have more often than others."""
    message = kind()
    _Filler(draw, numbers).fill(message, _DEPTH)
    return message
