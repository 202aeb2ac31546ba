# Each target sets up what it needs: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

LOWEST := .venv-lowest
SDV1 := .venv-sdv1
# Other libraries, each by itself: their pins exclude the versions that SDV 2.0 needs.
DPMM := .venv-dpmm
SNSYNTH := .venv-snsynth

.PHONY: demo package gate test-fast test test-all test-mutants test-lowest test-sdv1 lint bench bench-libraries docs pictures first-hour tutorials clean

demo: $(VENV)/.installed
	$(BIN)/sdv-prefair demo

# What would be uploaded: wheel and source, checked as the index checks them.
package: $(VENV)/.installed-test
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/twine check --strict dist/*

PYTEST := -m pytest -n auto --dist worksteal

# Three rings: for every change, for every pull request, for every night.
test-fast: $(VENV)/.installed-test
	$(BIN)/python $(PYTEST) -q --hypothesis-profile=fast -m 'not slow and not pull_request' \
	  tests/unit tests/property tests/test_house.py

test: $(VENV)/.installed-test
	$(BIN)/python $(PYTEST) -m 'not slow'

# New random examples each time, forty times as many; branch coverage with a floor. MariaDB is among
# the databases if Debian's mariadb-server is installed.
SEED := $(or $(SEED),$(shell $(PYTHON) -c 'import secrets; print(secrets.randbits(32))'))
test-all: $(VENV)/.installed-test test-mutants test-sdv1 test-lowest
	@echo 'The seed of all examples is $(SEED). To repeat them: make test-all SEED=$(SEED)'
	$(BIN)/python $(PYTEST) --hypothesis-profile=nightly --hypothesis-seed=$(SEED) --timeout=7200 \
	  --cov --cov-report=term --cov-fail-under=$(COVERAGE)
# The tests of every change alone reach 51 %.
COVERAGE := 51

# Each known mistake in the privacy core, put into a copy of the package: some test must see it.
test-mutants: $(VENV)/.installed-test
	$(BIN)/python tests/mutants/run_mutants.py

# Seeded fits are what they were, to the last bit. After a change that is meant to change some of
# them: make gate WRITE=--write, with the words of their names as FITS.
gate: $(VENV)/.installed-test
	$(BIN)/python tests/gate/gate.py $(WRITE) $(FITS)

# The lowest versions of all dependencies that pyproject.toml allows with SDV 2.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python $(PYTEST) -m 'not slow'

# SDV 1, which many people have: what SDV asks of a synthesizer, keys, constraints, releases, the
# command line. All other tests write metadata as SDV 2 has it.
test-sdv1: $(SDV1)/.installed
	$(SDV1)/bin/python $(PYTEST) -m 'not slow' \
	  tests/integration/contract/test_as_sdv_is_tested.py \
	  tests/integration/contract/test_constraints_as_sdv_is_tested.py \
	  tests/integration/contract/test_synthesizers_as_sdv_is_tested.py \
	  tests/integration/contract/test_tied_columns_as_sdv_is_tested.py \
	  tests/integration/contract/test_differences.py tests/integration/contract/test_sdv_versions.py \
	  tests/property/test_keys.py tests/unit/test_given_facts.py \
	  tests/unit/columns/test_value_groups.py tests/unit/columns/test_text_forms.py \
	  tests/unit/constraints/test_dict_form.py tests/unit/constraints/test_programmable.py \
	  tests/unit/constraints/test_ties.py tests/unit/test_fair_metadata.py \
	  tests/integration/test_cli.py

bench: $(VENV)/.installed-test
	$(BIN)/python benchmarks/speed.py --quick

bench-libraries: $(VENV)/.installed-test $(DPMM)/.installed $(SNSYNTH)/.installed
	$(BIN)/python benchmarks/other_libraries.py --python dpmm=$(DPMM)/bin/python snsynth=$(SNSYNTH)/bin/python

# The theme prints a banner on every build: it is maintained until May 2027 and stays with MkDocs 1.
# Both are pinned in pyproject.toml, so the banner has nothing to tell us.
docs: export NO_MKDOCS_2_WARNING = 1
docs: $(VENV)/.installed-docs
	$(BIN)/mkdocs build --strict
	@echo 'Open build/site/index.html; with search: $(BIN)/mkdocs serve'

# The pictures in README and docs, and the notebooks beside the tutorials. Both need chromium.
pictures: $(VENV)/.installed-pictures
	$(BIN)/python docs/make_pictures.py
	$(BIN)/python benchmarks/paper_results.py --pictures docs/pictures

# The first hour of three people, run again in a new clone: outputs, times and pictures of its page.
first-hour:
	$(PYTHON) docs/make_first_hour.py

tutorials: $(VENV)/.installed-pictures
	cd tutorials && for script in *.py; do \
	  PLOTLY_RENDERER=png ../$(BIN)/jupytext --quiet --to notebook --execute $$script || exit 1; done

lint: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy

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

$(VENV)/.installed-docs: $(VENV)/.installed
	$(PIP) -e '.[docs]'
	touch $@

$(VENV)/.installed-pictures: $(VENV)/.installed-test
	$(PIP) -e '.[pictures]'
	touch $@

$(LOWEST)/.installed: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e '.[test]'
	touch $@

$(DPMM)/.installed:
	$(PYTHON) -m venv $(DPMM)
	$(DPMM)/bin/python -m pip install --quiet --disable-pip-version-check dpmm==0.1.9
	touch $@

$(SNSYNTH)/.installed:
	$(PYTHON) -m venv $(SNSYNTH)
	$(SNSYNTH)/bin/python -m pip install --quiet --disable-pip-version-check smartnoise-synth==1.0.8 torch==2.13.0
	touch $@

$(SDV1)/.installed: pyproject.toml constraints.txt constraints-sdv1.txt
	$(PYTHON) -m venv $(SDV1)
	$(SDV1)/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-sdv1.txt -e . \
	  pytest pytest-timeout pytest-xdist hypothesis
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(SDV1) $(DPMM) $(SNSYNTH) build dist *.egg-info prefair-demo
