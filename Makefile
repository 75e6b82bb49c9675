# Every target sets up what it needs in .venv; nothing has to be installed by hand but Python 3.11 or newer
# (and Node.js for the live comparison with TF.js, which is left out without it).
PYTHON ?= python3
BIN := .venv/bin
PIP := @$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt
EDITABLE := $(PIP) --no-build-isolation --editable
# The compiled core of this clone, and the compiler that hatch_build.py names.
NATIVE := sizewise/_core/_native.abi3.so
ZIG := $(shell sed -n 's/^ZIG = "\(.*\)"/\1/p' hatch_build.py)
# Other interpreters to build free-threaded wheels with: make wheels FREE_THREADED="python3.13 python3.14"
FREE_THREADED ?=

CORE_TESTS := tests/promises tests/engine tests/cli tests/files tests/insight tests/test_layers.py tests/test_errors.py \
  $(foreach part,audit watch identify compar translat resize dialect described calls page batch,--ignore-glob="*test_$(part)*")
CORE := not (torch or pillow or opencv or tensorflow or tfjs or tflite or jax or onnx or paddle or skimage or matlab or lanczos2 or lanczos4 or lanczos5 or mks or hamming or mitchell or gaussian)

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
CALLS ?= 1000000
MUTANTS ?= 10000
MINUTES ?= 2
RECORD := $(if $(CI),,--record)

.PHONY: demo test test-all test-variants test-architectures test-sanitized fuzz-core tidy-core core-tools check lint types bench test-indices test-identify fuzz fuzz-models soak reliability docs package wheels test-abi3 audit-deps node browser clean

demo: .venv/.core  ## the main job: what a resize does to the gradient
	@$(BIN)/sizewise explain 16x16 4x4

test: .venv/.test .venv/.older node browser  ## every test, live comparisons included, with a seeded sample of long lists of cases
	$(PYTEST) --ignore tests/build_variants --junitxml .venv/test.xml

test-all: export SIZEWISE_TEST_ALL := 1
test-all: test  ## the same with every case

test-variants: .venv/.dev  ## every promise on each other instruction set of this CPU, and on NumPy; make test-variants ISAS="v2"
	@rm -rf .venv/variants
	$(PYTEST) --junitxml .venv/variants/instruction_sets.xml tests/build_variants
	@for isa in $(or $(ISAS),$$($(BIN)/python -c "import sizewise; print(*sizewise.core_info().supported[1:], 'numpy')")); do \
	  echo "SIZEWISE_ISA=$$isa"; \
	  SIZEWISE_ISA=$$isa $(PYTEST) -q --junitxml .venv/variants/$$isa.xml tests/promises tests/engine tests/test_guard_pages.py || exit 1; \
	done
	$(if $(CI),,$(BIN)/python docs/runs.py test-variants --junit .venv/variants/*.xml)

test-architectures: .venv/.dev core-tools  ## the same bits from x86-64 v2, v3, v4, v4vbmi, aarch64 (qemu) and wasm32 (node)
	$(BIN)/python tests/core/architectures.py

test-sanitized: .venv/.dev core-tools  ## recorded calls, and the promises, with address and undefined-behavior sanitizers
	$(BIN)/python tests/core/sanitized.py replay
	$(BIN)/python tests/core/sanitized.py promises -q --numprocesses auto --dist worksteal tests/promises tests/engine

fuzz-core: .venv/.dev core-tools  ## random tables and sizes through the checks and the kernels: make fuzz-core FUZZ_SECONDS=60
	$(BIN)/python tests/core/fuzz_core.py

tidy-core: .venv/.dev core-tools  ## clang-tidy and clang-format over the C++ sources
	$(PIP) clang-format
	$(BIN)/clang-format --dry-run --Werror sizewise/_core/*.h sizewise/_core/*.cpp
	clang-tidy-16 --quiet sizewise/_core/kernels.cpp -- -std=c++20 -march=x86-64-v3 -DSIZEWISE_ISA=v3 -Wno-psabi
	for source in module thread_pool xla; do clang-tidy-16 --quiet sizewise/_core/$$source.cpp -- -std=c++20 -Wno-psabi \
	  -DSIZEWISE_VERSION='"0"' -isystem $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('include'))") || exit 1; done

check: lint types .venv/.dev  ## lint, types and core tests: no framework, and the methods that are used most
	$(BIN)/python -m pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/check_words.py

types: .venv/.dev
	$(BIN)/mypy

bench: .venv/.bench .venv/.peers node  ## times Sizewise and its peers in one run (20 minutes); writes docs/measurements/performance.md
	$(BIN)/python -m benchmarks.run --write docs/measurements/performance.md
	$(BIN)/python -m benchmarks.start --write docs/measurements/start.md
	$(BIN)/python -m benchmarks.frameworks --write docs/measurements/frameworks.md
	$(BIN)/python -m benchmarks.dask_out_of_core --write docs/measurements/dask.md

test-indices: .venv/.test .venv/.older node  ## which pixels nearest picks, for axes of every length up to 1024 (an hour)
	SIZEWISE_TEST_ALL=1 SIZEWISE_INDEX_LIMIT=1024 $(BIN)/python -m pytest --numprocesses auto -k "picks_the_same_pixel" --junitxml .venv/indices.xml tests/dialects tests/compat
	$(BIN)/python docs/runs.py test-indices --junit .venv/indices.xml

test-identify: .venv/.test  ## whether every variant is found again, on all 20 images (eleven minutes)
	SIZEWISE_TEST_ALL=1 SIZEWISE_IDENTIFY_IMAGES=20 $(BIN)/python -m pytest --numprocesses auto -k found_again --junitxml .venv/identify.xml tests/insight/test_identify.py
	$(BIN)/python docs/runs.py test-identify --junit .venv/identify.xml

fuzz: .venv/.dev  ## random calls of every dialect against dense matrices: make fuzz CALLS=1000000
	PYTHONPATH=docs $(BIN)/python tests/fuzz.py --calls $(CALLS) $(RECORD)

fuzz-models: .venv/.test  ## damaged model files of every format through audit: make fuzz-models MUTANTS=10000
	$(BIN)/python tests/fuzz_models.py --mutants $(MUTANTS)

soak: .venv/.dev  ## mixed calls from eight threads, memory watched: make soak MINUTES=30
	PYTHONPATH=docs $(BIN)/python tests/soak.py --minutes $(MINUTES) $(RECORD)

reliability: test-all  ## what was tried to break it in a run of the tests, as docs/measurements/reliability.md
	$(BIN)/python docs/make_reliability.py .venv/test.xml

docs: .venv/.test node browser  ## write the generated pages and pictures
	$(BIN)/python docs/make_images.py
	$(BIN)/python docs/make_screenshots.py
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_dialects.py
	$(BIN)/python docs/make_parity.py
	$(BIN)/python docs/make_framework_faults.py

# The package as users get it. Without `python -m`, so that the tests see the wheel and not the folder they lie in.
package: .venv/.dev  ## the wheel and the sdist, each built and tried in a separate environment
	@rm -rf dist .venv/package
	$(BIN)/python -m build --outdir dist
	@$(PYTHON) -m venv .venv/package
	@.venv/package/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt "$$(echo dist/*.whl)[dev]"
	@tar -xzf dist/*.tar.gz -C .venv/package --strip-components 1 --one-top-level=sdist
	@rm -r .venv/package/sdist/sizewise  # its tests must see the installed wheel, in other processes too
	.venv/package/bin/sizewise explain 16x16 4x4 > .venv/package/explain.txt
	cmp .venv/package/explain.txt tests/cli/explain_16x16_4x4.txt
	cd .venv/package/sdist && ../bin/pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

wheels: .venv/.dev  ## wheels for every platform, cross-compiled into dist/ and checked (some minutes)
	@rm -rf dist
	@SIZEWISE_NO_CORE=1 $(BIN)/python -m build --wheel --no-isolation --outdir dist
	@for target in $$($(BIN)/python -c "import hatch_build; print(*hatch_build.TARGETS)"); do \
	  SIZEWISE_TARGET=$$target $(BIN)/python -m build --wheel --no-isolation --outdir dist || exit 1; \
	done
	@for python in $(FREE_THREADED); do \
	  folder=.venv/wheels/$${python##*/}; $$python -m venv $$folder || exit 1; \
	  $$folder/bin/pip install -qq --disable-pip-version-check build hatchling $(ZIG) || exit 1; \
	  version=$$($$python -c "import sys; print('cp%d%dt' % sys.version_info[:2])"); \
	  for target in $$($(BIN)/python -c "import hatch_build; print(*hatch_build.TARGETS)"); do \
	    SIZEWISE_PYTHON=$$version SIZEWISE_TARGET=$$target $$folder/bin/python -m build --wheel --no-isolation --outdir dist || exit 1; \
	  done; \
	done
	$(BIN)/python tests/check_wheels.py dist/*.whl

test-abi3: .venv/.dev  ## loads the module of this platform's wheel in every Python from 3.11 on that is installed
	@rm -rf .venv/abi3
	@$(BIN)/python -m build --wheel --no-isolation --outdir .venv/abi3
	$(BIN)/python tests/check_wheels.py .venv/abi3/*.whl
	$(BIN)/python tests/check_wheels.py --load .venv/abi3/*.whl

audit-deps:  ## known vulnerabilities of everything that is installed for the tests; before each release
	@test -x .venv/audit/bin/pip-audit || { $(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install -qq pip-audit; }
	.venv/audit/bin/pip-audit --strict --no-deps --requirement constraints.txt

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Sizewise needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.compiler: .venv/bin/python hatch_build.py
	@echo "Setting up .venv: the compiler (100 MB) ..."
	$(PIP) hatchling editables $(if $(SIZEWISE_CC)$(SIZEWISE_NO_CORE),,$(ZIG))
	@touch $@

$(NATIVE): .venv/.compiler hatch_build.py sizewise/version.py $(wildcard sizewise/_core/*.cpp sizewise/_core/*.h)
	$(if $(SIZEWISE_NO_CORE),,@$(BIN)/python hatch_build.py)

# An editable install reads the core from the source tree: it is compiled first, and again when its sources change.
.venv/.core: .venv/bin/python pyproject.toml constraints.txt | $(NATIVE)
	@echo "Setting up .venv: numpy, typer, rich (about half a minute) ..."
	$(EDITABLE) ".[cli]"
	@touch $@

.venv/.dev: .venv/bin/python pyproject.toml benchmarks/pyproject.toml constraints.txt | $(NATIVE)
	@echo "Setting up .venv: the tools for development ..."
	$(EDITABLE) ".[dev]" --editable ./benchmarks
	@touch $@

.venv/.test: .venv/bin/python pyproject.toml benchmarks/pyproject.toml constraints.txt | $(NATIVE)
	@echo "Setting up .venv: the frameworks to compare with (a gigabyte or more, some minutes) ..."
	$(PIP) torch==2.13.0
	$(EDITABLE) ".[test,dev]" --editable ./benchmarks
	@touch $@

.venv/.bench: .venv/.test
	$(EDITABLE) "./benchmarks[peers]"
	@touch $@

# Peers that cannot share an environment with Pillow. pillow-simd has to be compiled, and may not be installable here.
.venv/.peers: .venv/bin/python constraints.txt
	@echo "Setting up .venv/peers: pillow-simd (compiled here) and pyvips ..."
	@for peer in pillow-simd "pyvips[binary]"; do \
	  folder=.venv/peers/$${peer%%[*}; \
	  $(PYTHON) -m venv $$folder && \
	  $$folder/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt numpy "$$peer" \
	  || echo "$$peer could not be installed: it is not timed."; \
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

# What the tests of the core need besides: an emulator, and a Clang that has sanitizers.
core-tools:
	@command -v qemu-aarch64 clang-16 clang-tidy-16 >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends qemu-user clang-16 libclang-rt-16-dev clang-tidy-16 >/dev/null; } \
	  || echo "qemu-user, clang-16 or clang-tidy-16 is missing: install them for the tests of the core."

browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is missing: the tests of pages are left out. Install it, or set CHROMIUM to its path."

clean:
	rm -rf .venv build dist sizewise/_core/*.so tests/node/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
