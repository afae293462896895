# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""What an experiment is: a paper's parameters, figures and claims, declared as data.

A paper is a package whose `figures` and `claims` hold :class:`Figure` and :class:`Claim` declarations.
Nothing here runs anything: :mod:`mecn_experiments.experiment` does.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from .errors import ExperimentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]

    from .bench import Bench
    from .dataset import Dataset, Row
    from .verdicts import Outcome

Recipe = dict[str, Any]
"""All that decides a run's outcome but its seed and the P4 program: JSON values."""


@dataclass(frozen=True, slots=True)
class Given:
    """Origin of a parameter's default: the paper says it, there."""

    where: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """Origin of a parameter's default: the paper is silent, and we chose it for this reason."""

    because: str


class Parameters(BaseModel):
    """What can be varied in a paper's experiments; immutable.

    Each field says what it means (`description`), and its annotation whether its default is :class:`Given` by
    the paper or :class:`Chosen` by us.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seeds: Annotated[int, Field(ge=1, le=1000)] | Literal["auto"] = Field(
        default=3,
        description="seeds of each scenario: 1, 2, ...; auto: more until each claim is decided, at most 40",
    )

    @field_validator("*", mode="before")
    @classmethod
    def _one_is_a_list(cls, value: object, info: ValidationInfo) -> object:
        """`--set flows=30` means the list of this one."""
        assert info.field_name is not None
        wants_list = get_origin(cls.model_fields[info.field_name].annotation) is tuple
        return (value,) if wants_list and not isinstance(value, list | tuple) else value

    def must_rise(self, *names: str) -> None:
        """Refuses lists of these names that do not rise."""
        for name in names:
            values = getattr(self, name)
            if list(values) != sorted(set(values)):
                raise ValueError(f"{name}: must rise")

    def must_be_less(self, name: str, bound: str) -> None:
        """Refuses a value that is not less than that of another name."""
        value, most = getattr(self, name), getattr(self, bound)
        if value >= most:
            raise ValueError(f"{name} ({value:g}) must be less than {bound} ({most:g})")

    @classmethod
    def origins(cls) -> dict[str, Given | Chosen]:
        """Where each default comes from, by name."""
        found: dict[str, Given | Chosen] = {
            "seeds": Chosen("three is the least that gives a useful interval; more narrow it")
        }
        for name, field in cls.model_fields.items():
            for item in field.metadata:
                if isinstance(item, Given | Chosen):
                    found[name] = item
        return found


P = TypeVar("P", bound=Parameters)


def parameters_of(model: type[P], values: Mapping[str, Any]) -> P:
    """Checks values that a user gave; raises :class:`ExperimentError` with one line that names the first
    bad one."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        # Further names in the place are those of the types that a value may have.
        place = first["loc"]
        name = ".".join(str(part) for part in (*place[:1], *(p for p in place[1:] if isinstance(p, int))))
        if first["type"] == "extra_forbidden":
            known = ", ".join(model.model_fields)
            raise ExperimentError(f"there is no parameter {name}; known are: {known}") from None
        text = first["msg"].removeprefix("Value error, ")
        what = f"{name} ({first['input']}): " if name else ""
        raise ExperimentError(f"{what}{text[:1].lower()}{text[1:]}") from None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A finished picture."""

    key: str
    """File name without ending."""
    title: str
    svg: str
    alt: str
    """What is to be seen, in words."""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper: which runs it needs, and how it is drawn from their rows."""

    key: str
    """As in `mecn experiment run 004 fig3`."""
    title: str
    says: str
    """What the paper says of it, in brief."""
    recipes: Callable[[Any], Sequence[Recipe]]
    """The runs that it needs, from the parameters; each is run with every seed."""
    draw: Callable[[Dataset, Any], Sequence[Drawing]] = lambda _data, _parameters: ()
    """From the rows of those runs, in their order, and the parameters; nothing if only rules need them."""


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and the rule that decides it, fixed before the first run."""

    id: str
    where: str
    says: str
    """The paper's words in brief."""
    rule: str
    """The rule in words, as it is printed beside the verdict."""
    needs: tuple[str, ...]
    """Keys of the figures whose runs decide it."""
    decide: Callable[[Dataset, Any], Outcome]


def in_order(*claims: Claim) -> tuple[Claim, ...]:
    """By their numbers: 003-2 before 003-10."""
    return tuple(sorted(claims, key=lambda claim: int(claim.id.rpartition("-")[2])))


@dataclass(frozen=True)
class Table:
    """A table of results, for terminal and page."""

    title: str
    columns: Sequence[tuple[str, str]]
    """Head and unit of each column; the first two name the row."""
    rows: Sequence[Sequence[str]]
    key: str = ""
    """Its name in the paper's document, if it stands there (`results_in_document`)."""


@dataclass(frozen=True)
class Paper:
    """A paper's experiments."""

    key: str
    title: str
    citation: str
    parameters: type[Parameters]
    schema: pa.Schema
    """Columns of the data file; `recipe` (text) and `seed` (whole number) are among them."""
    figures: tuple[Figure, ...]
    claims: tuple[Claim, ...]
    simulate: Callable[[Recipe, int, Bench], Row]
    """One run: its row of the data file, without `recipe`."""
    check: Callable[[Recipe], None] = lambda _: None
    """Raises :class:`ExperimentError` on a recipe that cannot be run, before any work is done."""
    tables: Callable[[Dataset, Any], Sequence[Table]] = lambda _data, _parameters: ()
    """From the rows of all figures."""
    in_proportion: tuple[str, ...] = ()
    """Parameters that shrink with a shortened `duration_s` unless they are given."""

    def shrunk(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Those parameters, where a shorter duration is given."""
        model = self.parameters
        duration = given.get("duration_s")
        default = model.model_fields["duration_s"].default if "duration_s" in model.model_fields else None
        if not isinstance(duration, int | float) or default is None or not 0 < duration < default:
            return {}
        return {
            name: round(model.model_fields[name].default * duration / default, 3)
            for name in self.in_proportion
            if name not in given
        }

    def figure(self, key: str) -> Figure:
        """The figure of this key."""
        for figure in self.figures:
            if figure.key == key:
                return figure
        known = ", ".join(figure.key for figure in self.figures)
        raise ExperimentError(f"experiment {self.key} has no figure {key}; known: {known}")


@dataclass(frozen=True, slots=True, order=True)
class Job:
    """One run: a recipe in its canonical text, and a seed."""

    recipe: str
    seed: int


def canonical(recipe: Recipe) -> str:
    """A recipe as text; equal recipes have equal texts."""
    return json.dumps(recipe, sort_keys=True, separators=(",", ":"), allow_nan=False)


def jobs_of(figure: Figure, parameters: Parameters, seeds: int | None = None) -> list[Job]:
    """The runs that a figure needs with so many seeds, or with the parameters', in order; none twice."""
    count = seeds or parameters.seeds
    if count == "auto":
        raise ExperimentError("seeds (auto): only `mecn experiment run` adds seeds by itself")
    recipes = dict.fromkeys(canonical(recipe) for recipe in figure.recipes(parameters))
    return [Job(recipe, seed) for recipe in recipes for seed in range(1, count + 1)]
