# `make run` and `make test` do all the set-up by themselves. They need Go, Node,
# npm, gcc and make; what else a test needs, scripts/setup.sh installs where it
# is root on a Debian system.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

# The semantic version stands in VERSION; the commit is added as build metadata.
COMMIT := $(shell git describe --always --dirty --exclude='*' 2>/dev/null || echo unknown)
VERSION := $(shell cat VERSION)+$(COMMIT)
GOFLAGS_BUILD := -trimpath -ldflags "-s -w -X main.version=$(VERSION)"
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
WEB_SOURCES := $(shell find web/src web/public web/index.html web/vite.config.ts web/package.json web/package-lock.json -type f 2>/dev/null)

.PHONY: run build test setup test-go test-web test-clients chaos lint generate web bench bench-peers clean

## run: build everything and serve on http://127.0.0.1:8787
run: build
	exec bin/nanoclaw serve

## build: bin/nanoclaw, web app included
build: web
	CGO_ENABLED=0 go build $(GOFLAGS_BUILD) -o bin/nanoclaw ./cmd/nanoclaw

## web: the web app, into web/dist
web: web/dist/index.html

web/node_modules/.installed: web/package.json web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	touch $@

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.installed
	cd web && npm run build

## test: everything that is checked before a change lands
test: setup lint build test-go test-web test-clients

## setup: what the tests need beside Go and Node; each script does nothing where it is there already
setup:
	for script in scripts/setup-*.sh; do bash "$$script"; done

# The concurrent packages run under the race detector, the others without it.
RACE_PACKAGES := ./internal/agent/... ./internal/executor/... ./internal/runs/... ./internal/services/... \
	./internal/mcp/... ./internal/acp/... ./internal/process/... ./internal/undo/... ./internal/notify/... \
	./internal/workspace/... ./internal/sandbox/egress/...

test-go:
	CGO_ENABLED=1 go test -race -timeout 20m $(RACE_PACKAGES)
	CGO_ENABLED=0 go test -timeout 20m $$(go list ./... | grep -v -x -F "$$(go list $(RACE_PACKAGES))")
	NANOCLAW_TEST_DATABASE=postgres CGO_ENABLED=0 go test -timeout 20m ./internal/runs ./internal/api

# The end-to-end tests drive the real binary in Chromium, with the scripted model
# server behind it; their screenshots are in build/screenshots.
test-web: build/llmtest build
	cd web && npm test && npm run size && npm run generate:check && npm run test:e2e

clients/node_modules/.installed: clients/package.json clients/package-lock.json
	cd clients && npm ci --no-audit --no-fund
	touch $@

## test-clients: clients generated from the served document, and the official clients of the other protocols
test-clients: build build/llmtest clients/node_modules/.installed
	node clients/run.mjs
	node clients/interfaces/run.mjs

.PHONY: build/llmtest
build/llmtest:
	CGO_ENABLED=0 go build -trimpath -o $@ ./internal/llm/llmtest/cmd/llmtest

## chaos: 64 conversations on three replicas whose servers die all the time; CHAOS_FOR=1m for a short one
CHAOS_FOR ?= 5m
chaos:
	NANOCLAW_CHAOS_FOR=$(CHAOS_FOR) CGO_ENABLED=0 go test -count=1 -v -timeout 60m -run TestManyConversationsOutliveTheirServers \
		./internal/chaos

## lint: formatting, vet, staticcheck, and the web app's types and style
lint: web/node_modules/.installed
	@unformatted=$$(gofmt -l bench cmd examples internal web/*.go $(addprefix clients/,checks mcp-go oapi ogen openai-go)); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	cd web && npm run typecheck && npm run lint

## generate: config.yml and the pages that are made from the code
generate:
	go generate ./...
	$(MAKE) build
	cd web && npm run generate

## bench: the figures that the product promises
bench: build build/llmtest
	go run ./bench -binary bin/nanoclaw
	go test -run '^$$' -bench . -benchmem ./internal/...
	if [ -x "$${CHROMIUM:-/usr/bin/chromium}" ]; then node bench/web.mjs; else echo "NO CHROMIUM: the figures of the web app are left out"; fi

bench/peers/node/node_modules/.installed: bench/peers/node/package.json bench/peers/node/package-lock.json
	cd bench/peers/node && npm ci --no-audit --no-fund
	touch $@

## bench-peers: the same work with other agent frameworks, in one table; BENCH_PEERS="-rounds 3 -runs 256" for a short one
bench-peers: build bench/peers/node/node_modules/.installed
	cd bench/peers && CGO_ENABLED=0 go build -trimpath -o ../../build/peers/ ./...
	build/peers/peers $(BENCH_PEERS)

clean:
	rm -rf bin build web/dist/assets web/dist/index.html web/node_modules clients/build clients/node_modules bench/peers/node/node_modules
