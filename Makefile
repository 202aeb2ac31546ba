# Each target sets up what it needs: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-all lint bench clean

demo: $(VENV)/.installed
	$(BIN)/sdv-prefair demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto --dist loadfile -m 'not slow'

test-all: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto --dist loadfile

bench: $(VENV)/.installed-test
	$(BIN)/python benchmarks/speed.py --quick

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(PIP) -e .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) -e '.[test,lint]'
	touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info prefair-demo
