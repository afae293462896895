# SPDX-FileCopyrightText: 2026 The mecn authors
# SPDX-License-Identifier: Apache-2.0

PYTHON ?= python3
CARGO ?= cargo
# Arguments for `mecn experiment run 003`, for instance: make run ARGS="--seeds 5 --max-p 0.2"
ARGS ?=

# What `make ptf` runs on (embedded, veth, bmv2), and which tests (all): make ptf TARGET=veth TESTS=marking
TARGET ?= embedded
TESTS ?=

# The build shows its progress on a terminal, and in a log nothing but errors.
MATURIN_QUIET := $(shell [ -t 2 ] || echo --quiet)

# Where `make install` puts everything.
PREFIX ?= /usr/local

# Where `make shell` finds the switch.
SWITCH ?= 127.0.0.1:9559
DEVICE_ID ?= 0
ELECTION_ID ?= 0,1

VENV := .venv
SHELL_VENV := .venv-shell
SHELL_LOCK := switch/p4runtime/shell/requirements.lock
SHELL_CONFIG := switch/p4runtime/shell/ipython_config.py
BIN := $(VENV)/bin
PY := $(BIN)/python
RUST_SOURCES := $(shell find switch hosts/tcp hosts/traffic netsim -name '*.rs' -o -name '*.p4' -path '*/p4include/*' -o -name Cargo.toml) Cargo.toml Cargo.lock
# Folders with Python code; each is checked on its own because several hold a package `tests`.
PYTHON_TREES := controller experiments hosts/bpf ptf-tests switch/p4runtime topo examples packaging .ci

.DEFAULT_GOAL := help
.PHONY: help build run figures claims report test test-long ptf lab crosscheck mininet bmv2 tofino host host-test host-kernels host-lint bench-switch soak bench-sim bench-controller lint shell shell-env format lock wheel install clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(VENV)/.native ## make .venv with every command in .venv/bin: mecn, mecn-switch, mecn-p4c

run: build ## compare ECN with multi-level ECN on the P4 program; results and pictures in results/003
	@$(BIN)/mecn experiment run 003 $(ARGS)

figures: build ## run every experiment of every paper and draw its figures; runs that are there are kept
	@$(BIN)/mecn experiment run all $(ARGS)

claims: build ## print what the papers claim, what was measured, and the verdicts
	@$(BIN)/mecn claims

report: build ## write results/report.html: figures, claims and parameters of all papers
	@$(BIN)/mecn report

test: build ## run all tests: Rust, Python, packet tests
	@$(PY) .ci/run_tests.py

test-long: build ## what takes too long for every change, in one table (ARGS=BMv2: only what has this in its title)
	@$(PY) .ci/test_long.py $(ARGS)

ptf: build ## packet tests on one target (TARGET=embedded, veth or bmv2; TESTS=marking): see ptf-tests/README.md
	@$(PY) ptf-tests/run.py --target $(TARGET) $(TESTS)

lab: build ## a paper's network in real time on this machine, as root (ARGS="003 --sources 5 --duration 30"): docs/lab.md
	@$(BIN)/mecn lab run $(ARGS)

crosscheck: build ## paper 003's low thresholds in the virtual network and in labs on both switches, side by side, as root
	@$(BIN)/mecn lab crosscheck $(ARGS)

mininet: build ## a topology in Mininet with a command line, as root (ARGS="003 --target embedded"): docs/lab.md
	@$(BIN)/mecn mininet $(ARGS)

bmv2: build ## compile with p4c, run packet tests and lab on BMv2; says what is missing where p4lang's tools are
	@$(PY) .ci/bmv2.py $(ARGS)

tofino: build ## compile for Tofino 1 and 2 with p4c's back end; says what is missing where it is
	@$(PY) .ci/tofino.py $(ARGS)

host: ## build mecn-host, multi-level ECN for this machine's kernel (needs clang and bpftool)
	@for tool in clang bpftool; do \
	    command -v $$tool >/dev/null || { echo "make: $$tool is missing (Debian: apt install clang bpftool libelf-dev)" >&2; exit 2; }; done
	cd hosts/bpf && $(CARGO) build --release --locked
	@mkdir -p $(BIN)
	@cd hosts/bpf && ln -sf "$$(cd "$${CARGO_TARGET_DIR:-target}" && pwd)/release/mecn-host" $(CURDIR)/$(BIN)/mecn-host

host-test: build ## test mecn-host on the running kernel, as root
	@$(PY) .ci/host_tests.py

host-kernels: build host ## test mecn-host on other kernels, in virtual machines (needs qemu): ARGS="--apt 6.1 6.12" or ARGS=--help
	@$(PY) -m hosts.bpf.tests.vm.kernels $(ARGS)

host-lint: ## check format and common mistakes of mecn-host; the latter where clang and bpftool are
	cd hosts/bpf && $(CARGO) fmt --check
	@for tool in clang bpftool; do command -v $$tool >/dev/null || { \
	    echo "mecn-host: clippy skipped: $$tool is missing (Debian: apt install clang bpftool libelf-dev)"; exit 0; }; done; \
	[ -e /sys/kernel/btf/vmlinux ] || { echo "mecn-host: clippy skipped: this kernel has no BTF to build against"; exit 0; }; \
	cd hosts/bpf && $(CARGO) clippy --quiet --all-targets --locked -- -D warnings

bench-switch: build ## the switch beside BMv2: packets, hosts (as root), P4Runtime writes (ARGS=--all: the engine alone as well)
	@$(PY) switch/p4runtime/bench/compare.py $(ARGS)

soak: build ## the switch under everything at once, as root: what is lost, what grows (ARGS="--minutes 60")
	@$(PY) switch/p4runtime/bench/soak.py $(ARGS)

bench-sim: build ## time of the virtual network beside ns-2's, if that is installed, and where it goes
	@$(CARGO) build --quiet --release --locked -p netsim --example bottleneck
	@$(PY) -m mecn_experiments.bench_sim "$$($(CARGO) metadata --format-version 1 --no-deps | \
	    $(PY) -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/examples/bottleneck"

bench-controller: build ## time to apply 2048 entries, to swap, to take over, on the embedded switch and BMv2 (ARGS="--kills 200")
	@$(PY) controller/bench/apply.py $(ARGS)

lint: build host-lint ## check format, types, common mistakes and licences
	$(CARGO) fmt --all --check
	$(CARGO) clippy --quiet --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@set -e; for tree in $(PYTHON_TREES); do echo "mypy $$tree"; $(BIN)/mypy --no-error-summary $$tree; done
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/vulture
	$(PY) -m mypy.stubtest mecn_native --allowlist switch/native/stubtest.txt
	$(BIN)/reuse --suppress-deprecation lint --quiet || $(BIN)/reuse --suppress-deprecation lint

shell: shell-env ## open p4runtime-shell on a running switch (SWITCH=127.0.0.1:9559 DEVICE_ID=0 ELECTION_ID=0,1)
	@$(SHELL_VENV)/bin/python -m p4runtime_sh --grpc-addr $(SWITCH) --device-id $(DEVICE_ID) --election-id $(ELECTION_ID)

shell-env: $(SHELL_VENV)/.locked ## install p4runtime-shell in .venv-shell, and with it the tests that need it

format: build ## format Rust and Python
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lock: ## write requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet \
	    --no-emit-package mecn-native --group dev --group build pyproject.toml -o requirements.lock.tmp
	{ sed -n '1,/^# Locked/p' requirements.lock; cat requirements.lock.tmp; } > requirements.lock.new
	mv requirements.lock.new requirements.lock
	rm requirements.lock.tmp
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --quiet \
	    $(SHELL_LOCK:.lock=.in) -o $(SHELL_LOCK).tmp
	{ sed -n '1,/^# Locked/p' $(SHELL_LOCK); cat $(SHELL_LOCK).tmp; } > $(SHELL_LOCK).new
	mv $(SHELL_LOCK).new $(SHELL_LOCK)
	rm $(SHELL_LOCK).tmp

wheel: build ## build wheels of mecn and mecn-native in dist, for pip install
	@cd switch/native && $(CURDIR)/$(BIN)/maturin build --release --locked --quiet -i $(CURDIR)/$(PY) -o $(CURDIR)/dist
	@$(PY) -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@cd dist && sha256sum *.whl > SHA256SUMS && cat SHA256SUMS

install: wheel ## install for all users: commands, manual pages, completions, systemd units (PREFIX=/usr/local)
	@$(PYTHON) packaging/install.py $(PREFIX)

clean: ## remove everything that was built; results stay
	rm -rf $(VENV) $(SHELL_VENV) build dist target

$(VENV)/.python:
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) is missing: Python 3.11 or newer is needed" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "make: $$($(PYTHON) --version) is too old: Python 3.11 or newer is needed (make PYTHON=...)" >&2; exit 1; }
	@command -v $(CARGO) >/dev/null || { echo "make: $(CARGO) is missing: a Rust toolchain is needed (rustup.rs)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.locked: requirements.lock $(VENV)/.python
	@echo "Installing the locked Python packages into $(VENV)"
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.package: pyproject.toml $(VENV)/.locked
	@$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.native: $(RUST_SOURCES) switch/native/pyproject.toml $(VENV)/.package
	@echo "Building the Rust code: 5 minutes the first time on two idle processors; what has changed, later"
	@cd switch/native && VIRTUAL_ENV=$(CURDIR)/$(VENV) $(CURDIR)/$(BIN)/maturin develop --release --locked $(MATURIN_QUIET)
	@touch $@

$(SHELL_VENV)/.locked: $(SHELL_LOCK) $(SHELL_CONFIG) $(VENV)/.python
	@echo "Installing p4runtime-shell into $(SHELL_VENV)"
	@$(PYTHON) -m venv $(SHELL_VENV)
	@$(SHELL_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(SHELL_LOCK)
	@install -D -m 644 $(SHELL_CONFIG) $(SHELL_VENV)/etc/ipython/ipython_config.py
	@touch $@
