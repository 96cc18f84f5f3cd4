# The daily targets. `make help` lists them; `make check` is what has to be green before a merge.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GOLANGCI_VERSION := v2.15.0
GOFUMPT_VERSION  := v0.12.0
FUZZTIME  ?= 10s
BENCH     ?= .
BENCHTIME ?= 100ms
RUNS      ?= 200
MEMORIES  ?= 1000
KILLS     ?= 100

# One folder per version, so a new pin is a new build and an old one costs nothing.
TOOLS    := $(CURDIR)/bin/tools
GOLANGCI := $(TOOLS)/golangci-lint@$(GOLANGCI_VERSION)/golangci-lint
GOFUMPT  := $(TOOLS)/gofumpt@$(GOFUMPT_VERSION)/gofumpt
BENCHDIR := test/client# the client bench: a Go module of its own, checked here all the same

.PHONY: help build test check format vet lint libc-pin bench-check race fuzz bench e2e fire crash soak nightly plugin

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the static binary -> bin/remanence
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o bin/remanence ./cmd/remanence

test: ## all tests
	go test ./...

check: format libc-pin vet lint bench-check race ## format, vet, linters, pins, tests with the race detector

# Not the scripts of cmd/remanence: they start the whole program dozens of times, and under the race detector each start
# takes longer than a hook may run at all.
race: ## tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race $$(go list ./... | grep -v /cmd/)

# A finding names a failing input. Now and then go's fuzzer reports the end of its own time as a failure, without one.
fuzz: ## every fuzz target for FUZZTIME (10s) each
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | \
	while IFS=: read -r file func; do \
	  echo "== $${func#func } in $$(dirname "$$file")"; \
	  out=$$(go test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" </dev/null 2>&1) && status=0 || status=$$?; \
	  echo "$$out"; \
	  if [ $$status != 0 ] && { grep -q 'Failing input' <<<"$$out" || ! grep -q 'context deadline exceeded' <<<"$$out"; }; then exit 1; fi; \
	done

bench: ## benchmarks that match BENCH (all), for BENCHTIME (100ms) each; then whole processes, RUNS (200) each
	go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) ./...
	go run ./test/bench -n $(RUNS) -memories $(MEMORIES)

e2e: ## the real client with our hooks in it (fetches the client once)
	$(BENCHDIR)/install.sh
	go test -tags e2e -count=1 ./test/e2e/...

fire: ## the built program under every fault: processes killed, disk failing, callers hostile
	go test -tags fire -count=1 -p 1 -timeout 20m ./test/fire/...

crash: ## worker and hooks killed -9 under load, KILLS (100) times
	REMANENCE_KILLS=$(KILLS) go test -tags fire -count=1 -timeout 60m -v -run 'TestKilled' ./test/fire/crash/

soak: ## a day of events in minutes: memory, log, descriptors stay flat
	REMANENCE_LONG=1 go test -tags fire -count=1 -timeout 60m -v ./test/fire/soak/

nightly: ## every random and repeated test with its large figures, then the fuzz targets
	REMANENCE_LONG=1 go test -count=1 -timeout 60m ./...
	REMANENCE_LONG=1 REMANENCE_KILLS=1000 go test -tags fire -count=1 -p 1 -timeout 120m ./test/fire/...
	$(MAKE) fuzz FUZZTIME=60s

plugin: build ## the Claude Code plugin with its binary -> dist/plugin/claude-code
	rm -rf dist/plugin/claude-code
	mkdir -p dist/plugin/claude-code/bin
	cp -R plugin/. dist/plugin/claude-code/
	rm dist/plugin/claude-code/plugin.go
	cp bin/remanence dist/plugin/claude-code/bin/remanence

format: $(GOFUMPT)
	@out="$$($(GOFUMPT) -d .)" || exit 1; [ -z "$$out" ] || { echo "$$out"; echo "not formatted; run: $(GOFUMPT) -w ." >&2; exit 1; }

vet:
	go vet ./...
	go vet -tags e2e,fire ./...

lint: $(GOLANGCI)
	$(GOLANGCI) run ./...

libc-pin:
	@tools/libc-pin

bench-check: $(GOLANGCI)
	cd $(BENCHDIR) && go vet ./... && go test ./... && $(GOLANGCI) run --config $(CURDIR)/.golangci.yml ./...

$(GOLANGCI):
	GOBIN=$(@D) GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(GOFUMPT):
	GOBIN=$(@D) GOFLAGS= go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)
