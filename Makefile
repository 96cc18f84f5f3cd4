# The daily targets. `make help` lists them; `make check` is what has to be green before a merge.
SHELL := /bin/bash
.DEFAULT_GOAL := help

GOLANGCI_VERSION := v2.15.0
GOFUMPT_VERSION  := v0.12.0
GOTESTSUM_VERSION := v1.13.0
CYCLONEDX_VERSION := v1.10.0
FUZZTIME  ?= 10s
BENCH     ?= .
BENCHTIME ?= 100ms
RUNS      ?= 200
MEMORIES  ?= 1000
KILLS     ?= 100
SIZES     ?= 1000,10000,100000

# One folder per version, so a new pin is a new build and an old one costs nothing.
TOOLS    := $(CURDIR)/bin/tools
GOLANGCI := $(TOOLS)/golangci-lint@$(GOLANGCI_VERSION)/golangci-lint
GOFUMPT  := $(TOOLS)/gofumpt@$(GOFUMPT_VERSION)/gofumpt
GOTESTSUM := $(TOOLS)/gotestsum@$(GOTESTSUM_VERSION)/gotestsum
CYCLONEDX := $(TOOLS)/cyclonedx-gomod@$(CYCLONEDX_VERSION)/cyclonedx-gomod
BENCHDIR := test/client# the client bench: a Go module of its own, checked here all the same

# gotest FLAGS,PACKAGES: go test. With RERUN, a directory, each test that failed is tried once more when the others are
# through, and a report of those is left there.
gotest = $(if $(RERUN),$(GOTESTSUM) --format standard-quiet --rerun-fails=1 --rerun-fails-run-root-test \
  --rerun-fails-report="$$(mktemp -p '$(RERUN)')" --packages="$(2)" -- $(1),go test $(1) $(2))

.PHONY: help build tools test check backends growth full format lint libc-pin bench-check race fuzz bench e2e mcp web bundle e2e-web e2e-pages docs pictures fire fire-patient fire-alone crash soak nightly plugin

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## the static binary -> bin/remanence (TAGS=postgres: with the client of PostgreSQL, TAGS=surreal: with that of SurrealDB)
	CGO_ENABLED=0 go build -trimpath $(if $(TAGS),-tags $(TAGS)) -ldflags "-s -w" -o bin/remanence ./cmd/remanence

test: $(if $(RERUN),$(GOTESTSUM)) ## all tests
	$(call gotest,-timeout 20m,./...)

check: format libc-pin lint bench-check race ## the inner loop: format, linters (go vet is one), pins, tests with the race detector

full: test check backends fire e2e mcp e2e-web carriers ## everything that .ci/run runs, step by step

# The race detector finds what two goroutines do to the same memory, and makes everything many times as slow. So it is not
# run where there is nothing to find: in packages in which nothing, their tests included, starts a second goroutine, and in
# the long tests named here, each of which is one goroutine alone; `make test` runs them all. Nor over the scripts of
# cmd/remanence and the table of all commands: they start the whole program dozens of times, and each start takes longer
# then than a hook may run at all.
# SQLite's own code is left out of it: it is not ours, runs under its own locks, and takes five times as long when every
# access to its pages is watched.
SECOND := (^|[[:space:]])go (func|[a-z][A-Za-z.]*\()|\.Go\(|\.Parallel\(|\.NewServer\(|\.Serve\(
ALONE  := TestSignsFindTheSameAsBruteForce|TestCachedSignsEqualTheTable|TestAnyTextIsALegalTerm|$\
TestReadableRowsOfADamagedDatabaseAreSalvaged|TestCommonTermsCount|TestAPartHoldsABoundedNumberOfWords|$\
TestNoByteOfAPurgedMemoryIsLeft|TestReplacedTextIsPurged|$\
TestHugeRecordIsReadInBoundedParts|TestADamagedHistoryIsAnErrorAndNoCrash|TestHeadIsReadWithoutGit|$\
TestNoDisguiseBringsPrivateTextThrough|TestNoCutLeaves.*|TestOrderAndChunksDoNotMatter|TestFoldAgreesWithNFKC|$\
TestJoinedLinesStayWithinTheBounds|TestAnObjectIsBoundedAndItsIDsAreKept|TestLongStringsKeepTheirEnds|$\
TestEveryHeadIsFound|TestOrdinarySourceIsLeftAlone|TestAllPairsThatAreAlikeAreFound|$\
TestAnIndexHoldsTheSameAsANewOneAfterAnyChange|TestIndexAgreesWithTheStoreAfterAnyChange|$\
TestASessionOfOpenCodeIsReadUpToABound|TestAnAnswerWithoutBoundsIsBounded|$\
TestAnExportThatIsTooLargeIsTakenOverInNoPart|TestAReadOfAListIsBoundedAndItsPagesHoldEachRowOnce|$\
TestPoisonIsNeitherObeyedNorInjected|TestPoisonNeverBecomesARuleAndWaitsInReview|$\
TestNothingMadeOfATaintedTurnIsTrustedWhateverTheOrder|TestTaintFollowsSubagentsAndNotices|$\
TestConsolidationKeepsItsPromises|TestEveryRoundCanBeTakenBackWhole|TestAHandoffFullOfTricksStaysInert|$\
TestWhatIsKeptOfLabelledTurns|TestEveryMemoryOfLabelledTurnsKeepsItsBounds|TestEveryCommandInEveryMode|$\
TestEveryRecordedCallHasItsExactAnswer|TestShuffledTurnsKeepTrustAndSecrets

race: $(if $(RERUN),$(GOTESTSUM)) ## tests with the race detector (needs a C compiler)
	@export CGO_ENABLED=1 && paired=$$(go list -f '{{.Dir}}' ./... | grep -v '/cmd/remanence$$' | while read -r dir; do ! grep -qE '$(SECOND)' "$$dir"/*.go || echo "$$dir"; done) && set -x && \
	$(call gotest,-race -timeout 20m -gcflags='modernc.org/...=-race=false' -skip '^($(ALONE))$$',$$paired)

# A finding names a failing input. Now and then go's fuzzer reports the end of its own time as a failure, without one.
# An input that reaches something new is made small for so many runs, not for the minute by default, in which nothing new
# is tried.
fuzz: ## every fuzz target for FUZZTIME (10s) each
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | sort | \
	while IFS=: read -r file func; do \
	  echo "== $${func#func } in $$(dirname "$$file")"; \
	  out=$$(go test -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$(dirname "$$file")" </dev/null 2>&1) && status=0 || status=$$?; \
	  echo "$$out"; \
	  if [ $$status != 0 ] && { grep -q 'Failing input' <<<"$$out" || ! grep -q 'context deadline exceeded' <<<"$$out"; }; then exit 1; fi; \
	done

bench: ## benchmarks that match BENCH (all), for BENCHTIME (100ms) each; then whole processes, RUNS (200) each
	go test -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCHTIME) ./...
	go run ./test/bench -n $(RUNS) -memories $(MEMORIES)

e2e: $(if $(RERUN),$(GOTESTSUM)) ## the real client with our hooks in it (fetches the client once)
	$(BENCHDIR)/install.sh
	$(call gotest,-tags e2e -count=1 -parallel 4 -timeout 30m,./test/e2e/...) # most of it is waiting for a client

web: ## the viewer: src and vendor -> internal/web/dist and dist.gz, which are committed
	go -C internal/web/build run .

# The server is started by the tests, on loopback and with its data in a temporary directory; without one they fail.
# Without pgvector, which a mirror of apt has to give once, its tests say NOT RUN; with CI=true they fail.
backends: $(if $(RERUN),$(GOTESTSUM)) ## PostgreSQL and SurrealDB keep the contract of a store (apt-get install postgresql; fetches SurrealDB and pgvector once)
	test/surrealserver/install.sh
	test/pgserver/install.sh || [ $$? = 3 ]
	$(call gotest,-tags backends -count=1 -parallel 4 -timeout 20m,./internal/store/postgres/ ./internal/store/surreal/... ./test/backends/)

growth: ## hooks, searches and a purge among SIZES (1000,10000,100000) memories, in the file and on PostgreSQL beside each other
	REMANENCE_SIZES=$(SIZES) go test -tags backends -run '^$$' -bench Growth -benchtime 100x -timeout 6h ./test/backends/

mcp: $(if $(RERUN),$(GOTESTSUM)) ## the MCP server with the official clients, and many at once (fetches those once)
	test/mcp/install.sh
	$(call gotest,-tags mcp -count=1 -timeout 20m,./test/mcp/)

docs: ## docs/configuration.md from the table of settings
	go test ./internal/config -count=1 -run '^TestConfigurationPageListsEverySetting$$' -update

pictures: ## docs/pictures and the output in the README, from the built program (needs Node and Chromium)
	internal/web/e2e/install.sh
	go build -o bin/fill ./test/fill
	go build -ldflags "-X main.slack=20s" -o bin/unhurried ./cmd/remanence
	REMANENCE=$(CURDIR)/bin/unhurried node internal/web/e2e/pictures.mjs docs/pictures README.md

bundle: web ## dist is what the sources of the viewer make
	git diff --exit-code --stat -- internal/web/dist internal/web/dist.json internal/web/dist.gz

e2e-web: bundle e2e-pages ## the viewer in a browser: its bundle, its types, every page and what is done on it

# Chromium comes from the system; without one the tests skip, which in CI is a failure.
e2e-pages:
	internal/web/e2e/install.sh
	go build -o bin/fill ./test/fill
	go build -ldflags "-X main.slack=20s" -o bin/unhurried ./cmd/remanence
	npm run --prefix internal/web/e2e types
	REMANENCE=$(CURDIR)/bin/unhurried RERUN=$(RERUN) internal/web/e2e/run.sh

# Those that stand a busy machine run beside other steps; the others want the machine for themselves, one at a time.
PATIENT := /(attack|crash|doctor|fault|home|privacy)$$
FIRE    := go list -tags fire ./test/fire/... | grep

fire: fire-patient fire-alone ## the built program under every fault: processes killed, disk failing, callers hostile

fire-patient: $(if $(RERUN),$(GOTESTSUM))
	$(call gotest,-tags fire -count=1 -p 2 -timeout 20m,$$($(FIRE) -E '$(PATIENT)'))

fire-alone: $(if $(RERUN),$(GOTESTSUM))
	$(call gotest,-tags fire -count=1 -p 1 -timeout 20m,$$($(FIRE) -vE '$(PATIENT)'))

crash: ## worker and hooks killed -9 under load, KILLS (100) times
	REMANENCE_KILLS=$(KILLS) go test -tags fire -count=1 -timeout 60m -v -run 'TestKilled' ./test/fire/crash/

soak: ## a day of events in minutes: memory, log, descriptors stay flat
	REMANENCE_LONG=1 go test -tags fire -count=1 -timeout 60m -v ./test/fire/soak/

nightly: ## every random and repeated test with its large figures, then the fuzz targets
	REMANENCE_LONG=1 go test -count=1 -timeout 60m ./...
	REMANENCE_LONG=1 REMANENCE_KILLS=1000 go test -tags fire -count=1 -p 1 -timeout 120m ./test/fire/...
	$(MAKE) fuzz FUZZTIME=60s

plugin: build ## the plugin and the Gemini extension, with the binary -> dist/plugin/claude-code, dist/plugin/gemini
	go run ./tools/release -plugin bin/remanence -out dist/plugin

.PHONY: release carriers
release: $(if $(VERSION),$(CYCLONEDX)) ## the files of release VERSION, for the repository of OWNER -> dist/release
	go run ./tools/release -version '$(VERSION)' -repository '$(if $(OWNER),https://github.com/$(OWNER)/remanence)' -sbom $(CYCLONEDX)

carriers: $(if $(RERUN),$(GOTESTSUM)) ## what a release carries, for this platform: built, installed, run, removed
	test/release/install.sh
	$(BENCHDIR)/install.sh
	$(call gotest,-tags release -count=1 -timeout 20m,./test/release/)

tools: $(GOLANGCI) $(GOFUMPT) $(GOTESTSUM)

format: $(GOFUMPT)
	@out="$$($(GOFUMPT) -d .)" && [ -z "$$out" ] || { echo "$$out"; echo "not formatted; run: $(GOFUMPT) -w ." >&2; exit 1; }

lint: $(GOLANGCI)
	$(GOLANGCI) run --allow-parallel-runners ./...

libc-pin:
	@tools/libc-pin

bench-check: $(GOLANGCI)
	cd $(BENCHDIR) && go vet ./... && go test ./... && $(GOLANGCI) run --allow-parallel-runners --config $(CURDIR)/.golangci.yml ./...

$(GOLANGCI):
	GOBIN=$(@D) GOFLAGS=-trimpath go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(GOFUMPT):
	GOBIN=$(@D) GOFLAGS=-trimpath go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

$(GOTESTSUM):
	GOBIN=$(@D) GOFLAGS=-trimpath go install gotest.tools/gotestsum@$(GOTESTSUM_VERSION)

$(CYCLONEDX):
	GOBIN=$(@D) GOFLAGS=-trimpath go install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@$(CYCLONEDX_VERSION)
