# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Rates and times as types of options."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from mecn_controller.quantities import parse_seconds

if TYPE_CHECKING:
    from collections.abc import Callable


class Quantity(click.ParamType):  # type: ignore[type-arg]  # generic in the stubs, not when it runs
    """A parser of `quantities` as type of an option."""

    def __init__(self, name: str, parse: Callable[[str], object]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """See click."""
        if not isinstance(value, str):
            return value
        try:
            return self._parse(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Seconds(Quantity):
    """A time within bounds: 10, 10s, 500ms, 2min."""

    def __init__(self, low: float = 0.0, high: float = 1e9, *, min_open: bool = False) -> None:
        super().__init__("time", parse_seconds)
        self._low, self._high, self._open = low, high, min_open

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> object:
        """See click."""
        seconds = super().convert(value, param, ctx)
        if isinstance(seconds, (int, float)):
            if seconds < self._low or (self._open and seconds == self._low):
                self.fail(f"must be {'above' if self._open else 'at least'} {self._low:g} s", param, ctx)
            if seconds > self._high:
                self.fail(f"must be at most {self._high:g} s", param, ctx)
            return float(seconds)
        return seconds

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """See click."""
        return "TIME"
