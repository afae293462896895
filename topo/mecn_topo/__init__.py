# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Topologies: one description, built where it is needed."""

from .addressing import AddressPlan, Interface, Route, address_plan
from .builtin import PAPERS, builtin
from .description import Flow, Placement, Scenario, TopologyFileError, load_scenario
from .papers import paper000_star, paper001_gateways, paper002_dumbbell, paper003_dumbbell, paper004_dumbbell
from .topology import Host, Link, Switch, Topology, TopologyError

__all__ = [
    "PAPERS",
    "AddressPlan",
    "Flow",
    "Host",
    "Interface",
    "Link",
    "Placement",
    "Route",
    "Scenario",
    "Switch",
    "Topology",
    "TopologyError",
    "TopologyFileError",
    "address_plan",
    "builtin",
    "load_scenario",
    "paper000_star",
    "paper001_gateways",
    "paper002_dumbbell",
    "paper003_dumbbell",
    "paper004_dumbbell",
]
