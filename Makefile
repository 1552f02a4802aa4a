# Chores. Every one of them does its own set-up: only Python 3.11+, pip and make are assumed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.run
DEV := $(VENV)/.dev
COMPILED := $(CURDIR)/.compiled
AUDIT := .audit
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help run test test-compiled lint format protos bench chaos playthroughs lock audit clean

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## +/\t/' | expand -t 16

$(RUN): requirements-server.lock deploy/chores/build-tools.lock pyproject.toml clients/python/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hutch needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements-server.lock -r deploy/chores/build-tools.lock
	$(PIP) --no-deps --no-build-isolation -e clients/python -e .
	@touch $@

$(DEV): $(RUN) requirements.lock
	$(PIP) --require-hashes -r requirements.lock
	@touch $@

# The compiled form lies in a folder of its own, for PYTHONPATH: nothing meets it by chance.
$(COMPILED)/.made: $(DEV) deploy/chores/compiling.py $(shell find services -name '*.py')
	rm -rf $(COMPILED)
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true $(PIP) --no-deps --no-build-isolation --target $(COMPILED) .
	@touch $@

# Where C can be compiled for this Python; PLAIN=1 says no.
COMPILES = $(and $(shell command -v $(CC)),$(wildcard $(shell $(PYTHON) -c \
	'import sysconfig; print(sysconfig.get_path("include"))')/Python.h))
FORM := $(if $(PLAIN),,$(if $(COMPILES),$(COMPILED)))

run: $(RUN)      ## start the whole stack and watch bots play (Ctrl-C ends it)
	$(BIN)/hutch up --demo

test: $(DEV)     ## all tests; PYTEST_ARGS
	$(BIN)/python -m pytest $(PYTEST_ARGS)

test-compiled: $(COMPILED)/.made ## the tests of engine, games and turns, against the compiled form
	PYTHONPATH=$(COMPILED) $(BIN)/python -m pytest $(PYTEST_ARGS) --compiled \
		tests/engine tests/games tests/properties tests/fairness tests/playthroughs tests/turns

lint: $(DEV)     ## style, types, layers, protos
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy services clients/python/src
	$(BIN)/lint-imports
	$(BIN)/python deploy/chores/protos.py --check

format: $(DEV)   ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/buf format -w protos

protos: $(DEV)   ## generate the stubs anew
	$(BIN)/python deploy/chores/protos.py

bench: $(DEV) $(if $(FORM),$(COMPILED)/.made) ## measure, compiled where it can be; BENCH_ARGS, PLAIN=1
	PYTHONPATH=$(FORM) $(BIN)/python -m bench $(BENCH_ARGS)

chaos: $(DEV)    ## play thousands of tables while processes are killed; CHAOS_ARGS=--help
	$(BIN)/python -m tests.chaos $(CHAOS_ARGS)

playthroughs: $(DEV) ## rewrite the golden games
	$(BIN)/python -m tests.playthroughs.rewrite

PIN := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-annotate --no-header \
	--no-emit-package hutch-client --python-version 3.11

lock: $(DEV)     ## pin the newest dependencies
	$(BIN)/python -m pip install --quiet uv
	$(PIN) --extra dev -o requirements.lock pyproject.toml deploy/chores/build-tools.in
	$(PIN) -c requirements.lock -o requirements-server.lock pyproject.toml
	$(PIN) -c requirements.lock -o deploy/chores/build-tools.lock deploy/chores/build-tools.in
	$(PIN) -o deploy/chores/audit-tools.lock deploy/chores/audit-tools.in

$(AUDIT)/.made: deploy/chores/audit-tools.lock
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

audit: $(AUDIT)/.made ## bills of materials in dist/, and what is known against the locks
	$(AUDIT)/bin/python deploy/chores/audit.py

clean:           ## remove what was made here
	rm -rf $(VENV) $(COMPILED) $(AUDIT) dist build bench/out tests/chaos/out .hutch .pytest_cache .mypy_cache .ruff_cache .hypothesis
