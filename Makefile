# Every target sets up what it needs in .venv; nothing has to be installed by hand but Python 3.11 or newer
# (and Node.js for the live comparison with TF.js, which is left out without it).
PYTHON ?= python3
BIN := .venv/bin
PIP := @$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt

CORE_TESTS := tests/promises tests/cli tests/files tests/insight tests/test_layers.py tests/test_errors.py \
  $(foreach part,audit watch identify compar translat resize dialect described calls page batch,--ignore-glob="*test_$(part)*")
CORE := not (torch or pillow or opencv or tensorflow or tfjs or tflite or jax or onnx or paddle or skimage or matlab or lanczos2 or lanczos4 or lanczos5 or mks or hamming or mitchell or gaussian)

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile
CALLS ?= 1000000
MINUTES ?= 2
RECORD := $(if $(CI),,--record)

.PHONY: demo test switches check lint types bench indices identify fuzz soak reliability docs package vulnerabilities node browser clean

demo: .venv/.core  ## the main job: what a resize does to the gradient
	@$(BIN)/sizewise explain 16x16 4x4

test: .venv/.test .venv/.older node browser  ## the whole test suite, live comparisons included
	$(PYTEST) --ignore tests/switches --junitxml .venv/test.xml

switches: .venv/.dev  ## every promise once more with each index checked, and without Numba; the same bits from code for other processors
	$(PYTEST) --junitxml .venv/targets.xml tests/switches
	NUMBA_BOUNDSCHECK=1 $(PYTEST) --junitxml .venv/bounds.xml tests/promises tests/test_guarded.py
	NUMBA_DISABLE_JIT=1 PYTHONWARNINGS=ignore::UserWarning $(PYTEST) -W ignore::sizewise.errors.SizewiseWarning --junitxml .venv/numpy.xml tests/promises
	$(if $(CI),,$(BIN)/python docs/runs.py switches --junit .venv/targets.xml .venv/bounds.xml .venv/numpy.xml)

check: lint types .venv/.dev  ## lint, types and core tests: no framework, and the methods that are used most
	$(BIN)/python -m pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

bench: .venv/.bench .venv/.peers node  ## races Sizewise and its peers in one run (20 minutes); writes docs/performance.md
	$(BIN)/python -m benchmarks.run --write docs/performance.md
	$(BIN)/python -m benchmarks.frameworks --write docs/frameworks/performance.md
	$(BIN)/python -m benchmarks.dask_out_of_core --write docs/frameworks/dask-performance.md

indices: .venv/.test .venv/.older node  ## which pixels nearest picks, for axes of every length up to 1024 (an hour)
	SIZEWISE_INDEX_LIMIT=1024 $(BIN)/python -m pytest --numprocesses auto -k "picks_the_same_pixel" --junitxml .venv/indices.xml tests/dialects tests/compat
	$(BIN)/python docs/runs.py indices --junit .venv/indices.xml

identify: .venv/.test  ## whether every variant is found again, on all 20 images (eleven minutes)
	SIZEWISE_IDENTIFY_IMAGES=20 $(BIN)/python -m pytest --numprocesses auto -k found_again --junitxml .venv/identify.xml tests/insight/test_identify.py
	$(BIN)/python docs/runs.py identify --junit .venv/identify.xml

fuzz: .venv/.dev  ## random calls of every dialect against dense matrices: make fuzz CALLS=1000000
	PYTHONPATH=docs $(BIN)/python tests/fuzz.py --calls $(CALLS) $(RECORD)

soak: .venv/.dev  ## mixed calls from eight threads, memory watched: make soak MINUTES=30
	PYTHONPATH=docs $(BIN)/python tests/soak.py --minutes $(MINUTES) $(RECORD)

reliability: test  ## what was tried to break it in a run of the tests, as docs/reliability.md
	$(BIN)/python docs/make_reliability.py .venv/test.xml

docs: .venv/.test node browser  ## makes the generated pages and pictures anew
	$(BIN)/python docs/make_images.py
	$(BIN)/python docs/make_screenshots.py
	$(BIN)/python docs/make_dialects.py
	$(BIN)/python docs/make_parity.py
	$(BIN)/python docs/make_framework_faults.py

# The package as users get it. Without `python -m`, so that the tests see the wheel and not the folder they lie in.
package: .venv/.dev  ## the wheel and the sdist, each built and tried in an environment of its own
	@rm -rf dist .venv/package
	$(BIN)/python -m build --outdir dist
	@$(PYTHON) -m venv .venv/package
	@.venv/package/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt "$$(echo dist/*.whl)[dev]"
	@tar -xzf dist/*.tar.gz -C .venv/package --strip-components 1 --one-top-level=sdist
	.venv/package/bin/sizewise explain 16x16 4x4 > .venv/package/explain.txt
	cmp .venv/package/explain.txt tests/cli/explain_16x16_4x4.txt
	cd .venv/package/sdist && SIZEWISE_CACHE=$(CURDIR)/sizewise/kernels/__pycache__ ../bin/pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

vulnerabilities:  ## known faults of everything that is installed for the tests; before each release
	@test -x .venv/audit/bin/pip-audit || { $(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install -qq pip-audit; }
	.venv/audit/bin/pip-audit --strict --no-deps --requirement constraints.txt

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Sizewise needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.core: .venv/bin/python pyproject.toml constraints.txt
	@echo "Setting up .venv: numpy, numba, typer, rich (about half a minute) ..."
	$(PIP) --editable ".[cli]"
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml constraints.txt
	@echo "Setting up .venv: the tools for development ..."
	$(PIP) --editable ".[dev]"
	@touch $@

.venv/.test: .venv/bin/python pyproject.toml constraints.txt
	@echo "Setting up .venv: the frameworks to compare with (a gigabyte or more, some minutes) ..."
	$(PIP) torch==2.13.0
	$(PIP) --editable ".[test,dev]"
	@touch $@

.venv/.bench: .venv/.test
	$(PIP) --editable ".[bench]"
	@touch $@

# Peers that cannot share an environment with Pillow. pillow-simd has to be compiled, and may not be installable here.
.venv/.peers: .venv/bin/python constraints.txt
	@echo "Setting up .venv/peers: pillow-simd (compiled here) and pyvips ..."
	@for peer in pillow-simd "pyvips[binary]"; do \
	  folder=.venv/peers/$${peer%%[*}; \
	  $(PYTHON) -m venv $$folder && \
	  $$folder/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt numpy "$$peer" \
	  || echo "$$peer could not be installed: the race is run without it."; \
	done
	@touch $@

# Older releases that dialects reproduce too: pillow@12 and opencv@4.
.venv/.older: .venv/bin/python Makefile
	@echo "Setting up .venv/older: Pillow 12 and OpenCV 4 ..."
	@for older in pillow-12=pillow==12.3.0 opencv-4=opencv-python-headless==4.14.0.94; do \
	  folder=.venv/older/$${older%%=*}; \
	  $(PYTHON) -m venv $$folder && \
	  $$folder/bin/pip install -qq --disable-pip-version-check numpy==2.4.6 "$${older#*=}" || exit 1; \
	done
	@touch $@

node:
	@if command -v npm >/dev/null; then \
	  test tests/node/node_modules/.package-lock.json -nt tests/node/package-lock.json || npm install --prefix tests/node --silent --no-audit --no-fund --no-update-notifier; \
	else echo "Node.js is missing: the live comparison with TF.js is left out; its golden files still run."; fi

browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is missing: the tests of pages are left out. Install it, or set CHROMIUM to its path."

clean:
	rm -rf .venv dist tests/node/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
