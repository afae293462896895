# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""Controller: profile file -> validated model -> marking curve -> table entries -> P4Runtime writes."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mecn_controller.errors import ControllerError, ProfileError, SwitchError
    from mecn_controller.policy.curve import Curve, Levels, Segment, curve_of
    from mecn_controller.policy.entries import Entry, profile_entries
    from mecn_controller.policy.profile import (
        DropTail,
        Ecn,
        EcnGentle,
        Ecnm,
        Mecn,
        Profile,
        Red,
        RedGentle,
        Threshold,
        load_profile,
        parse_profile,
    )
    from mecn_controller.policy.routes import RESERVED_ROUTES, LocalRoute, NoRoute, Route

__all__ = [
    "RESERVED_ROUTES",
    "ControllerError",
    "Curve",
    "DropTail",
    "Ecn",
    "EcnGentle",
    "Ecnm",
    "Entry",
    "Levels",
    "LocalRoute",
    "Mecn",
    "NoRoute",
    "Profile",
    "ProfileError",
    "Red",
    "RedGentle",
    "Route",
    "Segment",
    "SwitchError",
    "Threshold",
    "curve_of",
    "load_profile",
    "parse_profile",
    "profile_entries",
]

_HOMES = {
    "mecn_controller.errors": (
        "ControllerError",
        "ProfileError",
        "SwitchError",
    ),
    "mecn_controller.policy.curve": (
        "Curve",
        "Levels",
        "Segment",
        "curve_of",
    ),
    "mecn_controller.policy.entries": (
        "Entry",
        "profile_entries",
    ),
    "mecn_controller.policy.profile": (
        "DropTail",
        "Ecn",
        "EcnGentle",
        "Ecnm",
        "Mecn",
        "Profile",
        "Red",
        "RedGentle",
        "Threshold",
        "load_profile",
        "parse_profile",
    ),
    "mecn_controller.policy.routes": (
        "RESERVED_ROUTES",
        "LocalRoute",
        "NoRoute",
        "Route",
    ),
}
"""Where each name is, imported when it is first asked for: `mecn --help` needs none of them."""


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
