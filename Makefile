# make studio   sets up what is missing, builds the app and opens it with the sample playbook
# make test     sets up what is missing and runs every test
#
# Both can be repeated: a second call does only what changed.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.PHONY: help studio test ui screenshots bench clean

UI_SOURCES := $(shell find ui -type d \( -name node_modules -o -name dist \) -prune -o -type f -print 2>/dev/null)

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

studio:
	@scripts/setup desktop
	@$(MAKE) --no-print-directory ui
	@cargo build --locked --package playbook-studio --package playbook-worker
	@scripts/studio

test:
	@scripts/setup test
	@node scripts/test.mjs $(STEPS)

# The web page, once for both hosts.
ui: ui/dist/.built

ui/dist/.built: ui/node_modules/.installed $(UI_SOURCES)
	@cd ui && npm run --silent build
	@touch $@

%/node_modules/.installed: %/package.json %/package-lock.json
	@cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# make screenshots   draws the pictures of the guide from the running program
screenshots:
	@scripts/setup test
	@$(MAKE) --no-print-directory ui
	@cargo build --locked --package playbook-cli --package playbook-studio --package playbook-worker
	@node scripts/screenshots.mjs

# make bench   measures checks, runs, folds, rebuilds, the log and the start of the app; PARTS names some
bench:
	@scripts/setup test
	@$(MAKE) --no-print-directory ui
	@cargo build --locked --release --package playbook-studio --package playbook-worker --package playbook-xtask
	@$(MAKE) --no-print-directory tests/bench/node_modules/.installed
	@"$${CARGO_TARGET_DIR:-target}/release/playbook-xtask" bench $(PARTS)

# make clean   removes everything that was built or installed in this folder
clean:
	rm -rf target ui/dist ui/node_modules tests/node_modules src-tauri/gen
