# Two targets do all the set-up: `make ladder` plays a ladder, `make test` passes every test.
# They need Rust (cargo) and Python 3 with venv; everything else is fetched into target/ and .venv/.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := target/debug

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
test: format lint test-rust docs deny test-python ## Pass every test

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

.PHONY: bench
bench: ## Measure speeds as ratios to a yardstick of the same run
	cargo run --release -p mighty-benches --bin rules

.PHONY: clean
clean: ## Remove all that was built
	rm -rf target $(VENV)
