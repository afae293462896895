# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0
"""Commands of the documents that a test cannot run: how a command line begins, and the reason."""

ROOT = "needs root: make lab, host-test and the tests of the lab run these"
MINUTES = "takes minutes; make test-long and the papers' own tests run it"

EXCUSED = {
    "sudo ": ROOT,
    "mecn-host ": ROOT,
    "ip ": ROOT,
    "for k in": ROOT,
    "simple_switch": "needs BMv2; topo/tests/test_bmv2.py runs the blocks that have it",
    "p4c ": "needs p4lang's compiler; topo/tests/test_bmv2.py",
    "until ip": ROOT,
    ".venv/bin/mecn apply controller/profiles/mecn-low.yaml --port 2 --address": "topo/tests/test_bmv2.py",
    ".venv/bin/mecn show --address": "topo/tests/test_bmv2.py",
    ".venv/bin/mecn watch --once --address": "topo/tests/test_bmv2.py",
    "make build": "what this test runs in is built",
    "make run": MINUTES,
    "make test": "this test is part of it",
    "make figures": "takes hours: every run of every paper",
    "make claims": "needs the results of make figures",
    "make report": "needs the results of make figures",
    "source .venv/bin/activate": "the test puts the environment on PATH itself",
    "mecn experiment run": MINUTES,
    "mecn experiment show": "needs results; experiments/tests/test_runs.py",
    "mecn claims": "needs results; experiments/tests/test_end_to_end.py",
    "mecn-switch ctl": "needs a switch on interfaces, as root; switch/p4runtime/tests",
    "mecn-switch -i 1@a -i 2@b --use-files": "needs capture files; switch/p4runtime/tests/test_files.py",
    "make bench-sim": MINUTES,
    "make wheel": "takes minutes; make test-long ARGS=wheels",
    "podman ": "needs podman, and the network",
    "make tofino": "compiles for minutes; controller/tests/test_tofino_compiler.py",
    "valgrind ": "needs valgrind, and minutes",
    "ns ": "needs ns-2",
    "python -m mecn_experiments.validation": "needs ns-2",
    "python -m mecn_experiments.results_in_document": "needs results; experiments/tests/test_documents.py",
    "python experiments/tests/independent_comparison.py": MINUTES,
    "cd switch/p4runtime &&": "needs BMv2; switch/p4runtime/tests/test_random_programs.py has a few rounds",
}

LASTING = ("mecn serve", "mecn watch --from", "mecn watch  ", "mecn record", "mecn demo", "mecn-switch")
"""Run until they are stopped: started, left for a while, ended by Ctrl-C."""

ANSWERS = {"mecn rollback": (0, 1), "mecn tune": (0, 1)}
"""Exit statuses that are answers, where not only 0 is."""
