# `make demo` and `make test` do their whole set-up: Python 3.11, make and a package index are enough.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   ?= .venv
BIN    := $(VENV)/bin
EVENTS ?= 6000

# What a soak runs over: EVENTS=… on the command line or in the environment shrinks it.
soak_events = $(if $(filter file,$(origin EVENTS)),$(1),$(EVENTS))
OUTAGE ?= 60
# How many test processes; each starts the services its tests ask for.
WORKERS ?= 2

.PHONY: help setup build demo test lint types bench soak soak-kills soak-outages docs lock clean

help: ## What can be made.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.runtime: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the locked packages into $(VENV) (about a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(VENV)/.built: $(VENV)/.runtime setup.py $(wildcard sentinel/indicators/*.py sentinel/indicators/*.c sentinel/indicators/*.h sentinel/stream/*.c)
	@echo "Building the extension modules (half a minute; without a C compiler there are none) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.built requirements-dev.lock
	@echo "Installing the locked test packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

setup: $(VENV)/.dev ## A virtual environment with everything, at the locked versions.

build: $(VENV)/.built ## The extension modules of the hot path, from their sources of now.

demo: $(VENV)/.built ## Simulated traffic with a known truth, the whole way; then the workbench.
	@$(BIN)/sentinel demo --events $(EVENTS) $(DEMO)

test: $(VENV)/.dev lint types ## Lint, types and the whole test suite.
	@collected=$$($(BIN)/python -m pytest --collect-only -qq $(TESTS)) || { echo "$$collected"; exit 1; }
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 30 $(TESTS)

lint: $(VENV)/.dev ## Ruff: rules and format.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev ## mypy in strict mode.
	$(BIN)/mypy

bench: $(VENV)/.dev ## Benchmarks: ratios within one run, no pass or fail.
	@for bench in tests/benchmarks/bench_*.py; do echo "== $$bench"; \
	  $(BIN)/python -m tests.benchmarks.$$(basename $$bench .py) || exit 1; done

soak: $(VENV)/.dev ## 1,000,000 answers from Kafka: poison, three kill -9, a rebalance, exact counts.
	$(BIN)/python -m tests.soak stream --events $(call soak_events,1000000)

soak-kills: $(VENV)/.dev ## 100,000 answers and fifty kill -9 at random times.
	$(BIN)/python -m tests.soak kills --events $(call soak_events,100000)

soak-outages: $(VENV)/.dev ## Broker and PostgreSQL restarted, and away for a minute each.
	$(BIN)/python -m tests.soak outages --events $(call soak_events,100000) --seconds $(OUTAGE)

docs: $(VENV)/.built ## Write docs/metrics.md anew from the catalogue.
	$(BIN)/python -m sentinel.telemetry.documentation > docs/metrics.md.new
	mv docs/metrics.md.new docs/metrics.md

lock: ## Solve the lock files anew (needs uv).
	uv pip compile pyproject.toml --extra codecs --generate-hashes --python-version 3.11 --universal \
	  --no-emit-index-url --no-annotate --no-header --quiet --output-file requirements.lock
	uv pip compile pyproject.toml --extra codecs --extra dev --constraint requirements.lock --generate-hashes \
	  --python-version 3.11 --universal --no-emit-index-url --no-annotate --no-header --quiet \
	  --output-file requirements-dev.lock
	printf 'setuptools\nmypy\nmsgspec\n' | uv pip compile - --constraint requirements-dev.lock --generate-hashes \
	  --python-version 3.11 --universal --no-emit-index-url --no-annotate --no-header --quiet \
	  --output-file requirements-build.lock

clean: ## Remove the virtual environment and caches.
	rm -rf $(VENV) build *.egg-info *.so sentinel/indicators/*.so sentinel/stream/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
