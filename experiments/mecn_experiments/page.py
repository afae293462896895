# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""HTML pages that need nothing but themselves."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from .style import inline


def render(template: str, context: dict[str, Any]) -> str:
    """A page from a template of this package; text is escaped, a name that the context lacks is an error."""
    environment = Environment(
        loader=PackageLoader("mecn_experiments"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["inline_svg"] = lambda svg, alt: Markup(inline(svg, alt))  # noqa: S704 - our own drawing
    return environment.get_template(template).render(context)
