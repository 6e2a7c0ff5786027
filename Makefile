# Everything a person or a machine does with this project: `make help`.
# Needs make and Python 3.11 or newer; the rest is installed into .venv.

.DEFAULT_GOAL := help
.NOTPARALLEL:

# The first Python that is new enough; `make train PYTHON=/path/to/python` chooses another.
ifndef PYTHON
PYTHON := $(shell for python in python3.11 python3 python; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
endif

PY := .venv/bin/python
LOWEST_PY := .venv-lowest/bin/python
RUFF := $(PY) -m ruff
PYTEST := $(PY) -m pytest

# Kernels compiled with other switches must not be found by the next run.
CACHE := $(or $(NUMBA_CACHE_DIR),$(CURDIR)/.cache/numba)

# What is run as plain Python: the rules and whatever replays them.
RULES_TESTS := tests/kuns tests/kunken tests/test_pages.py $(patsubst %,tests/engine/test_%.py,batch leaks record saved table)

# What is run with checked indices: everything that calls kernels.
KERNEL_TESTS := tests/kuns tests/kunken tests/engine tests/agents

# Options for the commands: `make train ARGS="--seed 3"`, `make test ARGS="-k settle -x"`.
ARGS ?=

# say,TEXT: a headline.
say = @printf '\n=== %s\n' "$(1)"

.PHONY: help
help: ## Print this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: python
python:
ifeq ($(PYTHON),)
	@echo "kuns-env needs Python 3.11 or newer, and none was found as python3.11, python3 or python." >&2
	@echo "Install one, or say where it is: make ... PYTHON=/path/to/python" >&2
	@exit 1
endif

.PHONY: install-train install
install-train: python
	@$(PYTHON) tools/install.py train
install: python ## Install everything for work on the project into .venv.
	@$(PYTHON) tools/install.py train arena dev

# ------------------------------------------------------------------------------------------ use

.PHONY: train
train: install-train ## Train an opponent, for Kuns or with ARGS="--game kunken", and print how it does.
	@.venv/bin/kuns train $(ARGS)

.PHONY: bench
bench: install ## Measure speed; one JSON line a figure.
	@$(PY) -m benchmarks $(ARGS)

# Each line is kept only when all of it is measured.
.PHONY: figures
figures: install ## Measure everything that docs/benchmarks.md shows, and print it anew: an hour.
	$(PY) -m benchmarks tournaments
	$(PY) -m benchmarks learners > benchmarks/learners.part && mv benchmarks/learners.part benchmarks/learners.jsonl
	$(PY) -m benchmarks > benchmarks/results.part && mv benchmarks/results.part benchmarks/results.jsonl
	$(PY) tools/pages.py

# ---------------------------------------------------------------------------------------- tests

.PHONY: test
test: install ## Run the tests but for the slow ones.
	$(call say,tests)
	$(PYTEST) $(ARGS)

.PHONY: check check-rest
check: test check-rest ## Run everything that must pass before a change is merged.
check-rest: lint types doctest slow nojit bounds lowest

.PHONY: format
format: install ## Bring the code into its standard form.
	$(RUFF) format .
	$(RUFF) check --fix .

.PHONY: pages
pages: install ## Print anew what README.md and docs/ show from code.
	$(PY) tools/pages.py

.PHONY: lint
lint: install ## Check format and style.
	$(call say,format and style)
	$(RUFF) format --check .
	$(RUFF) check .

.PHONY: types
types: install ## Check types.
	$(call say,types)
	$(PY) -m mypy

.PHONY: doctest
doctest: install ## Run the examples in docstrings.
	$(call say,examples in docstrings)
	$(PYTEST) --doctest-modules kuns_env agents/kuns_agents training/kuns_training

.PHONY: slow
slow: install ## Run the slow tests: the long run against the reference engine, learning.
	$(call say,slow tests)
	$(PYTEST) -m slow

# A path, not a module: coverage would import the module's parents, forget them again, and NumPy loads once only.
.PHONY: nojit
nojit: install ## Run the rules as plain Python and measure how much of them is tested.
	$(call say,the rules without compilation and their coverage)
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(RULES_TESTS) --cov=kuns_env/kuns --cov=kuns_env/kunken --cov-fail-under=95

.PHONY: bounds
bounds: install ## Run all kernels with every index checked.
	$(call say,kernels with checked indices)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CACHE)-bounds $(PYTEST) $(KERNEL_TESTS)

.PHONY: lowest
lowest: python ## Run the tests with the lowest versions that pyproject.toml allows.
	$(call say,tests with the lowest allowed versions)
	@$(PYTHON) tools/install.py --venv .venv-lowest --lowest train arena dev
	NUMBA_CACHE_DIR=$(CACHE)-lowest $(LOWEST_PY) -m pytest

.PHONY: clean
clean: ## Remove the environments and everything else that was made.
	rm -rf .venv .venv-lowest .cache build dist htmlcov .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
