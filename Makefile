# make demo · make test · make check · make eval · make bench: each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: setup demo test check eval bench clean

setup: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "omoide needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q -e '.[dev,local]' || { \
	  echo "the extra [local] cannot be installed here; going on with words only" >&2; \
	  $(BIN)/python -m pip install -q -e '.[dev]'; }
	$(BIN)/python -m compileall -q src
	touch $(READY)

demo: $(READY)
	$(BIN)/omoide demo --home examples/home

test: $(READY)
	$(BIN)/ruff check src tests evals
	$(BIN)/mypy src
	$(BIN)/python -m pytest -n 2

check: $(READY)
	$(BIN)/ruff check src tests evals
	$(BIN)/mypy src
	OMOIDE_FULL=1 $(BIN)/python -m pytest -n 2

eval: $(READY)
	$(BIN)/python evals/run.py

bench: $(READY)
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install -q -r benchmarks/requirements.txt -e .
	.venv-bench/bin/python benchmarks/search.py --n 10000 --n 100000 --out evals/benchmark-search.json
	.venv-bench/bin/python benchmarks/cold.py --python $(BIN)/python --out evals/benchmark-cold.json

clean:
	rm -rf $(VENV) .venv-bench build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
