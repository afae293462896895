# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""A deployment: which ports and code points of one switch are under which profiles, in one YAML file.

assignments:
  - ports: [1, 2, 3]
    profile: profiles/mecn.yaml   # relative to this file
  - ports: [3]
    dscp: [EF]                    # in place of the profile's own list
    profile: profiles/threshold.yaml
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.json_schema import WithJsonSchema

from mecn_controller import names
from mecn_controller.dscp import format_dscp, parse_dscp
from mecn_controller.errors import Problem, ProfileError
from mecn_controller.profile import DSCP_LIST_SCHEMA, SCHEMES, Profile, load_profile
from mecn_controller.reconcile import Assignment
from mecn_controller.yaml_source import MAX_PROFILE_BYTES

Port = Annotated[int, Field(strict=True, ge=0, le=names.MAX_PORTS - 2)]


def _points(value: object) -> tuple[int, ...]:
    points = parse_dscp(value)
    if points is None:
        raise ValueError("give a list; without dscp the profile says")
    return points


Dscp = Annotated[tuple[int, ...] | None, BeforeValidator(_points), WithJsonSchema(DSCP_LIST_SCHEMA)]


class DeploymentEntry(BaseModel):
    """Some ports under one profile."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ports: list[Port] = Field(min_length=1, max_length=names.MAX_PORTS)
    profile: str = Field(min_length=1, strict=True)
    dscp: Dscp = None


class Deployment(BaseModel):
    """The file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    assignments: list[DeploymentEntry] = Field(min_length=1)


class _NoAliases(yaml.SafeLoader):
    """YAML without aliases, which could make a small file a huge value."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.composer.ComposerError(None, None, "aliases are not used here", None)
        return super().compose_node(parent, index)


def load_deployment(path: Path) -> list[Assignment]:
    """A deployment file and its profiles; ProfileError says what is wrong with which file."""
    source = str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ProfileError(source, [Problem(0, 0, f"cannot be read: {error.strerror or error}")]) from None
    if len(raw) > MAX_PROFILE_BYTES:
        raise ProfileError(source, [Problem(0, 0, f"is larger than {MAX_PROFILE_BYTES} bytes")])
    try:
        data = yaml.load(raw.decode("utf-8"), Loader=_NoAliases)  # noqa: S506 - a safe loader
        deployment = Deployment.model_validate(data)
    except ValidationError as invalid:
        problems = [
            Problem(0, 0, f"{'.'.join(map(str, error['loc'])) or 'file'}: {error['msg']}")
            for error in invalid.errors(include_url=False)
        ]
        raise ProfileError(source, problems) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ProfileError(source, [Problem(0, 0, f"is not YAML: {' '.join(str(error).split())}")]) from None
    return _assignments(deployment, path)


def _assignments(deployment: Deployment, path: Path) -> list[Assignment]:
    found: list[Assignment] = []
    profiles: dict[Path, Profile] = {}
    taken: set[tuple[int, int | None]] = set()
    for entry in deployment.assignments:
        file = path.parent / entry.profile
        if file not in profiles:
            profiles[file] = load_profile(file)
        profile = profiles[file]
        points = profile.dscp if entry.dscp is None else entry.dscp
        for port in entry.ports:
            for point in [None] if points is None else points:
                if (port, point) in taken:
                    traffic = format_dscp(None if point is None else (point,))
                    message = f"port {port}, DSCP {traffic}, is given twice"
                    raise ProfileError(str(path), [Problem(0, 0, message)])
                taken.add((port, point))
            found.append(Assignment(profile, port, entry.dscp))
    return found


def json_schemas() -> dict[str, Any]:
    """JSON Schema (2020-12) of profiles, one of the schemes' models, and of deployments."""
    form: Any = Annotated[_union(tuple(SCHEMES.values())), Field(discriminator="scheme")]
    schemes: TypeAdapter[Any] = TypeAdapter(form)
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    profile = schemes.json_schema()
    for definition in profile["$defs"].values():
        definition["required"] = sorted({*definition.get("required", []), "scheme"})
    return {
        "profile": {**dialect, "title": "Profile", **profile},
        "deployment": {**dialect, **Deployment.model_json_schema()},
    }


def _union(models: tuple[type[Profile], ...]) -> Any:  # noqa: ANN401 - a type form
    union: Any = models[0]
    for model in models[1:]:
        union = union | model
    return union
