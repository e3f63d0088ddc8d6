# Two targets do all the set-up: `make ladder` plays a ladder, `make test` passes every test.
# They need Rust (cargo) and Python 3 with venv; everything else is fetched into target/ and .venv/.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := target/debug
PYTHON_SOURCES := $(shell find clients/python/src -name '*.py')

# cargo-deny is taken from the machine where it is there, else built once (three minutes).
CARGO_DENY_VERSION := 0.20.2
CARGO_DENY := $(or $(shell command -v cargo-deny),.tools/bin/cargo-deny)

.PHONY: help
help: ## Say what there is
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: build
build: ## Build everything
	cargo build --workspace

.PHONY: ladder
ladder: build $(VENV)/ladder-ready ## Play a ladder of Rust and Python bots, and print the standings
	$(VENV)/bin/python scripts/ladder.py $(LADDER)

.PHONY: watch
watch: build ## Follow a table of a server on this machine
	$(BIN)/mighty watch

.PHONY: test
test: format lint contract test-rust docs deny test-python ## Pass every test

.PHONY: format
format: ## Check the format
	cargo fmt --all --check

.PHONY: lint
lint: ## Deny warnings
	cargo clippy --workspace --all-targets --quiet -- -D warnings

.PHONY: test-rust
test-rust: build $(VENV)/dev-ready ## Pass the Rust tests, the stories with Python bots among them
	MIGHTY_PYTHON=$(CURDIR)/$(VENV)/bin/python cargo test --workspace --quiet

.PHONY: docs
docs: ## Build the docs with warnings denied
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

.PHONY: contract
contract: $(VENV)/dev-ready ## Check the style of the .proto files
	cd proto && ../$(VENV)/bin/buf lint && ../$(VENV)/bin/buf format --diff --exit-code

.PHONY: deny
deny: $(CARGO_DENY) ## Check licences, bans and sources of all dependencies
	$(CARGO_DENY) --log-level error check licenses bans sources

.PHONY: test-python
test-python: build $(VENV)/dev-ready ## Pass the Python tests, the type check, the referee's and the inspector's
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	cd clients/python && ../../$(VENV)/bin/mypy
	$(VENV)/bin/mypy --strict tests/referee tests/inspector scripts/ladder.py
	cd clients/python && ../../$(VENV)/bin/pytest -q
	$(VENV)/bin/pytest -q tests/referee
	$(VENV)/bin/pytest -q tests/inspector

.tools/bin/cargo-deny:
	cargo install cargo-deny --locked --version $(CARGO_DENY_VERSION) --root .tools

$(VENV)/ladder-ready: clients/python/pyproject.toml $(PYTHON_SOURCES)
	$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check ./clients/python
	touch $@

$(VENV)/dev-ready: $(VENV)/ladder-ready clients/python/requirements-dev.txt
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r clients/python/requirements-dev.txt
	touch $@

.PHONY: bench
bench: ## Measure speeds as ratios to a yardstick of the same run
	cargo run --release -p mighty-benches --bin rules

.PHONY: clean
clean: ## Remove all that was built
	rm -rf target $(VENV)
