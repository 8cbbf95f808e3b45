PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || \
	command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LEARN := $(VENV)/.learn
TWO := -n 2 --dist worksteal  # most tests wait for processes

.PHONY: help demo learn test soak test-wheel bench lint check format clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)

demo: $(READY)  ## the whole loop on this machine, ending with a table and a plot
	$(BIN)/python -m demo.run

learn: $(LEARN)  ## a small model learns: warm-up, GRPO, learning curve; a few minutes without a GPU
	$(BIN)/python -m examples.learn.run

test: $(LEARN)  ## everything but the long runs
	$(BIN)/python -m pytest $(TWO)

soak: $(LEARN)  ## the long runs
	$(BIN)/python -m pytest -m soak

test-wheel: $(READY)  ## the tests against what is built, in an environment of its own
	$(BIN)/python scripts/test_wheel.py $(TWO)

bench: $(LEARN)  ## every number that the documents quote, as JSON
	for script in benchmarks/*.py; do $(BIN)/python $$script || exit 1; done

lint: $(READY)  ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint  ## that, documents and quick tests, in minutes
	$(BIN)/python -m pytest -m "not soak and not slow" $(TWO)

format: $(READY)  ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:  ## remove what demo and learn wrote, and .venv
	rm -rf $(VENV) demo_output learn_output

$(READY): requirements.txt requirements-dev.txt constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "Python 3.11, 3.12 or 3.13 is needed: make PYTHON=/path/to/it ..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt -c constraints.txt
	touch $@

$(LEARN): $(READY) requirements-learn.txt  # torch is large, and only this needs it
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-learn.txt -c constraints.txt
	touch $@
