# Each target makes its own .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
INSTALL := $(BIN)/python -m pip install --quiet $(PIP_OPTIONS) --editable

.PHONY: help dev demo serve test test-fast check format catalogues bench clean

help: ## say what there is
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(STAMPS)/core: $(BIN)/python pyproject.toml
	$(INSTALL) .
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/web: $(BIN)/python pyproject.toml
	$(INSTALL) '.[web]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/core

$(STAMPS)/dev: $(BIN)/python pyproject.toml
	$(INSTALL) '.[dev]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/web $(STAMPS)/core

$(STAMPS)/bench: $(BIN)/python pyproject.toml
	$(INSTALL) '.[bench]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/dev $(STAMPS)/web $(STAMPS)/core

$(STAMPS)/train: $(BIN)/python pyproject.toml
	$(INSTALL) '.[dev,train]'
	@mkdir -p $(STAMPS) && touch $@ $(STAMPS)/dev $(STAMPS)/web $(STAMPS)/core

dev: $(STAMPS)/dev ## install all that development needs

demo: $(STAMPS)/core ## run the exams on the material that ships, and end
	$(BIN)/viva demo

serve: $(STAMPS)/web ## open the web application on this machine only, until Ctrl-C
	$(BIN)/viva serve

# A file as a whole is for one process: what its tests share is made once. Those that take longest come first.
BY_FILE := --dist loadfile --no-loadscope-reorder

# One process for each core: were each to compute with threads as well, they would wait for one another.
test: $(STAMPS)/dev ## pass the tests
	$(BIN)/viva models get --quiet
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto $(BY_FILE)

# No browser, no PostgreSQL, no servers, few made-up examples: what a change breaks most often shows here.
test-fast: $(STAMPS)/dev ## pass the quick tests, in under two minutes
	$(BIN)/viva models get --quiet
	HYPOTHESIS_PROFILE=fast OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
		$(BIN)/python -m pytest -q -n auto $(BY_FILE) -m "not browser and not postgres and not slow"

check: $(STAMPS)/dev ## ruff, mypy --strict, import-linter
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/dev ## put the code in shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

catalogues: $(STAMPS)/dev ## find the texts of the interface, compile their translations, list what has none
	$(BIN)/python tools/catalogues.py

bench: $(STAMPS)/bench ## benchmarks beside the peers (needs the public data sets: VIVA_SHARED)
	$(BIN)/viva models get --quiet
	$(BIN)/python benchmarks/intents.py
	$(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/coverage.py
	$(BIN)/python benchmarks/planted.py
	$(BIN)/python benchmarks/planted_labels.py
	$(BIN)/python benchmarks/traffic.py
	$(BIN)/python benchmarks/conversations.py
	$(BIN)/viva models get glove --quiet
	$(BIN)/python benchmarks/dialogues.py
	$(BIN)/python benchmarks/dialogue_trust.py
	$(BIN)/python benchmarks/scoring.py
	$(BIN)/python benchmarks/web.py

clean: ## remove what was made
	rm -rf $(VENV) demo-output .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
