# A thin front: the building is done by CMake (CMakePresets.json), the testing by ctest and scripts/.
# `make help` lists what there is.
.DEFAULT_GOAL := build
.PHONY: help build demo check quick soak bench gallery format install coverage tidy fuzz clean

PREFIX ?= /usr/local
SECONDS ?= 60

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST)

build: ## the release build, in build/release
	@scripts/build release

demo: ## from nothing to a run full of contact, checked, with a picture, a film and a page, in out/
	@scripts/demo

check: ## every test; installs all they need, skips nothing. LIGHT=1: installs less, names what it skips
	@scripts/check $(if $(filter-out 0,$(LIGHT)),--light)

quick: ## unit tests and the layer test in release: under a minute
	@scripts/check --quick

soak: ## the tests with 20 times the random cases; the log goes to docs/results/soak.log
	@scripts/soak $(if $(ON),--on $(ON))

bench: ## ratios to peers, which it installs, measured in one run
	@scripts/bootstrap --peers
	@scripts/build release
	@scripts/build release nacre-peers
	@build/release/nacre bench

gallery: ## pictures of the scenes that are missing in docs/gallery, and its page
	@scripts/gallery

.PHONY: figures
figures: build ## scenes of the papers' figures to their end, every frame checked, hours; FAST=1: in 30 minutes
	@scripts/figures $(if $(filter-out 0,$(FAST)),--fast) $(if $(ON),--on $(ON))

.PHONY: hero
hero: build ## the moving picture of README.md and the pictures of docs/cookbook.md, again
	@scripts/hero
	@scripts/cookbook

format: ## clang-format over all C and C++ files
	@scripts/format

install: build ## into PREFIX (/usr/local)
	@cmake --install build/release --prefix "$(PREFIX)"

coverage: ## executed lines of src/: prints them, fails under 90%
	@scripts/coverage

tidy: ## clang-tidy and cppcheck
	@scripts/tidy

fuzz: ## every parser, SECONDS (60) in all
	@scripts/fuzz $(SECONDS)

.PHONY: wheel python-check
wheel: ## the Python package as a wheel, in out/
	@scripts/wheel

python-check: build ## the tests of the Python package: pytest, mypy, the wheel
	@ctest --test-dir build/release -L '^python$$' --output-on-failure

clean: ## removes build/ and out/
	@rm -rf build out
