# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""YAML files with parts within parts: data, and where in the file each part stands."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from mecn_controller.errors import Problem, ProfileError

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

Where = tuple[str | int, ...]
"""A part of a file: keys and indices that lead to it."""

M = TypeVar("M", bound=BaseModel)


class _Loader(yaml.SafeLoader):
    """YAML without aliases, which could make a small file a huge value."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            event = self.get_event()  # type: ignore[no-untyped-call]
            raise yaml.composer.ComposerError(None, None, "aliases are not used here", event.start_mark)
        return super().compose_node(parent, index)


@dataclass
class PlacedFile:
    """A file's data, and where each part of it stands."""

    source: str
    data: object
    places: dict[Where, tuple[int, int]]

    def problem(self, where: Where, message: str) -> Problem:
        """A problem at the nearest part that is in the file."""
        while where and where not in self.places:
            where = where[:-1]
        return Problem(*self.places.get(where, (1, 1)), message)

    def failure(self, where: Where, message: str) -> ProfileError:
        """The error that says so."""
        return ProfileError(self.source, [self.problem(where, message)])

    def validated(self, model: type[M]) -> M:
        """The data as a model; ProfileError with a line for each problem."""
        try:
            return model.model_validate(self.data)
        except ValidationError as invalid:
            problems = [
                self.problem(tuple(error["loc"]), _described(error, model))
                for error in invalid.errors(include_url=False)
            ]
            raise ProfileError(self.source, problems) from None


def _described(error: ErrorDetails, model: type[BaseModel]) -> str:
    names = [part for part in error["loc"] if isinstance(part, str)]
    name = f"{names[-1]}: " if names else ""
    match error["type"]:
        case "extra_forbidden":
            near = difflib.get_close_matches(names[-1], _keys(model), n=1)
            return f"{name}there is no such key here{f' (did you mean {near[0]}?)' if near else ''}"
        case "missing":
            return f"{name}is missing"
        case _:
            message = error["msg"].removeprefix("Value error, ")
            return f"{name}{message[:1].lower()}{message[1:]}"


def _keys(model: type[BaseModel]) -> list[str]:
    """All keys of the model and of what is in it."""
    schema = model.model_json_schema()
    return sorted(
        {key for part in (schema, *schema.get("$defs", {}).values()) for key in part.get("properties", ())}
    )


def _place(node: yaml.Node, where: Where, places: dict[Where, tuple[int, int]], source: str) -> None:
    places.setdefault(where, (node.start_mark.line + 1, node.start_mark.column + 1))
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner = (*where, str(key.value))
            at = (key.start_mark.line + 1, key.start_mark.column + 1)
            if inner in places:
                message = f"{key.value} is given twice (first in line {places[inner][0]})"
                raise ProfileError(source, [Problem(*at, message)])
            places[inner] = at
            _place(value, inner, places, source)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _place(item, (*where, index), places, source)


def parse_placed(text: str, source: str, what: str) -> PlacedFile:
    """A YAML mapping; ProfileError says where it is anything else. what: it should be, in words."""
    loader: _Loader | None = None
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            raise ProfileError(source, [Problem(1, 1, what)])
        places: dict[Where, tuple[int, int]] = {}
        _place(node, (), places, source)
        return PlacedFile(source, loader.construct_document(node), places)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        message = f"not valid YAML: {' '.join((error.problem or 'malformed').split())}"
        raise ProfileError(source, [Problem(*at, message)]) from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise ProfileError(source, [Problem(1, 1, f"not valid YAML: {reason}")]) from None
    finally:
        if loader is not None:
            loader.dispose()


def read_placed(path: Path, what: str, max_bytes: int) -> PlacedFile:
    """A file of at most so many bytes, as `parse_placed`."""
    source = str(path)
    try:
        with path.open("rb") as file:
            raw = file.read(max_bytes + 1)
        if len(raw) > max_bytes:
            raise ProfileError(source, [Problem(0, 0, f"is larger than {max_bytes} bytes")])
        text = raw.decode("utf-8-sig")
    except OSError as error:
        raise ProfileError(source, [Problem(0, 0, f"cannot be read: {error.strerror or error}")]) from None
    except UnicodeDecodeError:
        raise ProfileError(source, [Problem(0, 0, "is not UTF-8 text")]) from None
    return parse_placed(text, source, what)
