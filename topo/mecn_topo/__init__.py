# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies: one description, built where it is needed."""

from .addressing import AddressPlan, Interface, Route, address_plan
from .papers import paper000_star, paper003_dumbbell, paper004_dumbbell
from .topology import Host, Link, Switch, Topology, TopologyError

__all__ = [
    "AddressPlan",
    "Host",
    "Interface",
    "Link",
    "Route",
    "Switch",
    "Topology",
    "TopologyError",
    "address_plan",
    "paper000_star",
    "paper003_dumbbell",
    "paper004_dumbbell",
]
