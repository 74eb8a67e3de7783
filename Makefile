# One word a job. `make` alone says which there are.

PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
BENCH = build/bench

.PHONY: help setup demo test check lint types eval bench clean

help:
	@echo "make setup   an environment in $(VENV) with everything this machine can have"
	@echo "make demo    a search in Japanese and one in English over the sample home"
	@echo "make test    lint, types and tests with small counts"
	@echo "make check   the same with the full counts: kills, fuzz, large homes"
	@echo "make eval    measure retrieval on the labelled sets (evals/)"
	@echo "make bench   omoide beside its peers (benchmarks/)"

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml hatch_build.py src/omoide/index/kernel.c
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "omoide needs Python 3.11 or newer. Name one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q --disable-pip-version-check -e '.[dev]'
	@$(BIN)/pip install -q --disable-pip-version-check -e '.[local]' \
	  || echo "The extra [local] could not be installed here. Everything goes on by words; only search by meaning is missing."
	@# some machines forbid Python to keep byte code, and then every command would compile the package anew
	$(BIN)/python -m compileall -q src
	@touch $@

demo: setup
	$(BIN)/omoide demo

lint: setup
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

test: lint types
	$(BIN)/python -m pytest -n 2

check: lint types
	OMOIDE_FULL=1 $(BIN)/python -m pytest -n 2

eval: setup
	$(BIN)/python evals/run.py

bench: setup
	$(PYTHON) -m venv $(BENCH)/venv
	$(BENCH)/venv/bin/pip install -q --disable-pip-version-check -r benchmarks/requirements.txt -e .
	$(BENCH)/venv/bin/python benchmarks/search.py --n 10000 --n 100000 --work $(abspath $(BENCH)) --out evals/benchmark-search.json
	$(BENCH)/venv/bin/python benchmarks/cold.py --work $(abspath $(BENCH)) --python $(abspath $(BIN)/python) --out evals/benchmark-cold.json

clean:
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
