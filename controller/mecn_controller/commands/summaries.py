# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

"""What each shipped command does, in one line: `mecn --help` and completion show it without importing it."""

SUMMARIES = {
    "apply": "Put a port of a running switch under a profile.",
    "check": "Validate a profile and print its marking curve.",
    "claims": "Print what the papers claim, what was measured, and verdicts.",
    "demo": "Show a marked queue live in the browser; no switch, no root.",
    "diff": "Compare a port's policy with a profile.",
    "experiment": "Run the papers' experiments, and show what came out.",
    "lab": "Run topologies in real time in network namespaces, as root.",
    "mininet": "Start a topology in Mininet, with a command line, as root.",
    "record": "Record telemetry into CSV and Parquet files.",
    "report": "Write the report over all papers, one HTML file.",
    "rollback": "Undo changes of a port's profile.",
    "route": "Add, delete and show routes of a running switch.",
    "schema": "Print the JSON Schema of profiles or of deployments.",
    "serve": "Keep a switch in a declared state; page and metrics.",
    "show": "Print each port's policy and counters.",
    "simulate": "Run a topology in virtual time.",
    "topology": "Check, list and export topologies.",
    "tune": "Find thresholds and max_p that keep a delay margin.",
    "watch": "Show queues, thresholds, marks and flows live.",
}
