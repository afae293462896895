# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""YAML with positions: where in the file each key stands, so that an error can point at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import yaml

from mecn_controller.errors import Problem, ProfileError

if TYPE_CHECKING:
    from pathlib import Path

Position = tuple[int, int]
"""Line and column, from 1."""

MAX_PROFILE_BYTES = 1 << 20
MAX_VALUE_CHARACTERS = 2000
"""Keeps numbers within what Python converts to text."""


@dataclass
class Document:
    """The mapping that a YAML file holds.

    `keys` and `values` are the positions of the top level's keys and values.
    """

    source: str
    data: dict[str, object]
    start: Position = (1, 1)
    keys: dict[str, Position] = field(default_factory=dict)
    values: dict[str, Position] = field(default_factory=dict)


def _position(mark: yaml.Mark | None) -> Position:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _longest(node: yaml.Node) -> int:
    items = node.value if isinstance(node, yaml.SequenceNode) else [node]
    return max((len(item.value) for item in items), default=0)


def _is_flat(node: yaml.Node) -> bool:
    """A scalar or a list of scalars: all that a profile needs, and nothing that aliases could blow up."""
    if isinstance(node, yaml.SequenceNode):
        return all(isinstance(item, yaml.ScalarNode) for item in node.value)
    return isinstance(node, yaml.ScalarNode)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def parse_document(text: str, source: str) -> Document:
    """Parse one YAML mapping whose keys are text; ProfileError says where it is anything else."""

    def failure(position: Position, message: str) -> ProfileError:
        return ProfileError(source, [Problem(*position, message)])

    loader: yaml.SafeLoader | None = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            raise failure((1, 1), "the profile is empty")
        if not isinstance(node, yaml.MappingNode):
            at = _position(node.start_mark)
            raise failure(at, "a profile is a mapping of keys to values ('name: ...')")
        document = Document(source, {}, start=_position(node.start_mark))
        for key_node, value_node in node.value:
            at = _position(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode):
                raise failure(at, "a key must be a word")
            key = str(key_node.value)
            if key in document.data:
                raise failure(at, f"{key} is given twice (first in line {document.keys[key][0]})")
            if not _is_flat(value_node):
                raise failure(_position(value_node.start_mark), f"{key} must be a value or a list of values")
            if _longest(value_node) > MAX_VALUE_CHARACTERS:
                message = f"{key} is longer than {MAX_VALUE_CHARACTERS} characters"
                raise failure(_position(value_node.start_mark), message)
            document.keys[key] = at
            document.values[key] = _position(value_node.start_mark)
            document.data[key] = loader.construct_object(value_node, deep=True)
        return document
    except yaml.MarkedYAMLError as error:
        what = _one_line(error.problem or "malformed")
        if error.context:
            what += f" ({_one_line(error.context)})"
        at = _position(error.problem_mark or error.context_mark)
        raise failure(at, f"not valid YAML: {what}") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise failure((1, 1), f"not valid YAML: {_one_line(str(error))}") from None
    finally:
        if loader is not None:
            loader.dispose()


def read_document(path: Path) -> Document:
    """Read and parse a file; ProfileError when it cannot be read."""
    source = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_PROFILE_BYTES + 1)
    except OSError as error:
        raise ProfileError(source, [Problem(0, 0, f"cannot be read: {error.strerror or error}")]) from None
    if len(data) > MAX_PROFILE_BYTES:
        message = f"is larger than {MAX_PROFILE_BYTES} bytes: not a profile"
        raise ProfileError(source, [Problem(0, 0, message)])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ProfileError(source, [Problem(line, 1, "is not UTF-8 text")]) from None
    return parse_document(text, source)
