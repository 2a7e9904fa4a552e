# What a fresh machine needs: Python 3.11 or newer, git, make. `make help` lists the rest.

PYTHON ?= python3
PYTEST_ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
PEER := .venv-peer
STAMPS := .stamps
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Tests write and synchronise tens of thousands of small files: in memory where it can be.
SCRATCH := $(shell test -d /dev/shm && test -w /dev/shm && echo /dev/shm)

# Faults apart: their processes fork thousands of times, which is cheap while they are small.
SPREAD := -n 2 --dist loadfile --no-loadscope-reorder
TESTED := $(if $(SCRATCH),PYTEST_DEBUG_TEMPROOT=$(SCRATCH)) PROJECT_CORPUS_TEST_INSTALLED=1 \
	PYTHONWARNDEFAULTENCODING=1 PYTHONDONTWRITEBYTECODE=

SHIPPED := $(shell find corpus agentctx templates exports -type f ! -name '*.pyc' 2>/dev/null | LC_ALL=C sort)

.DELETE_ON_ERROR:
.PHONY: help test check demo bench quality docs wheel clean FORCE

help:
	@echo 'make test      build the wheel, install it, run every test against it'
	@echo 'make check     lint, formatting, types, generated documentation'
	@echo 'make docs      write the generated pages of docs/ again'
	@echo 'make demo      tell the whole story on this machine, and check it'
	@echo 'make quality   measure how good the answers are'
	@echo 'make bench     measure speed, beside the published peer'
	@echo 'make clean     remove what the other targets made'

test: $(STAMPS)/installed
	@$(MAKE) --no-print-directory $(STAMPS)/peer \
		|| echo 'the peer cannot be installed here: tests beside it are skipped'
ifneq ($(strip $(PYTEST_ARGS)),)
	$(TESTED) $(BIN)/pytest $(SPREAD) $(PYTEST_ARGS)
else
	$(TESTED) $(BIN)/pytest $(SPREAD) tests/faults && faults=0 || faults=$$?; \
		$(TESTED) $(BIN)/pytest $(SPREAD) --ignore tests/faults && exit $$faults
endif

check: $(STAMPS)/tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=. $(BIN)/python docs/_generate.py --check

docs: $(STAMPS)/tools
	PYTHONPATH=. $(BIN)/python docs/_generate.py

demo: $(STAMPS)/installed
	$(BIN)/python demo/run.py

quality: $(STAMPS)/installed
	$(BIN)/python tests/quality/run.py
	$(BIN)/python tests/quality/records.py

bench: $(STAMPS)/installed
	@$(MAKE) --no-print-directory $(STAMPS)/peer || echo 'the peer cannot be installed here'
	$(BIN)/python tests/speed/run.py

wheel: $(STAMPS)/wheel

clean:
	rm -rf $(VENV) $(PEER) $(STAMPS) dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The list of shipped files, so that a removed file makes a new wheel too.
$(STAMPS)/files: FORCE
	@mkdir -p $(STAMPS)
	@printf '%s\n' $(SHIPPED) > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(STAMPS)/tools: pyproject.toml tools/requirements.py
	@mkdir -p $(STAMPS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python tools/requirements.py > $(STAMPS)/requirements.txt
	$(PIP) --requirement $(STAMPS)/requirements.txt
	@touch $@

$(STAMPS)/wheel: $(STAMPS)/tools $(STAMPS)/files $(SHIPPED) README.md
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check \
		--no-deps --no-build-isolation --wheel-dir dist .
	@touch $@

$(STAMPS)/installed: $(STAMPS)/wheel
	$(PIP) --no-deps --force-reinstall dist/*.whl
	@touch $@

$(STAMPS)/peer:
	@mkdir -p $(STAMPS)
	test -x $(PEER)/bin/python || $(PYTHON) -m venv $(PEER)
	$(PEER)/bin/python -m pip install --quiet --disable-pip-version-check project-corpus==2.2.0
	@touch $@
