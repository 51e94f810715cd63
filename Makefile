# Everything a developer types. `make` alone lists it.
.DEFAULT_GOAL := help

BINDIR   ?= $(HOME)/.local/bin
FUZZTIME ?= 30s
BENCH    ?= .
ROUNDS   ?= 100
SEEDS    ?= 1000
SEED     ?= 0
FROM     ?= 1
WITHIN   ?= 0
GO       ?= go
PACKAGES  = $$($(GO) list ./... | grep -v '/e2e$$')

# Packages that have users elsewhere, as a regular expression of import paths: all their exported API is in use.
LIBS = ^github.com/clawd-project/clawd(/(detect|resume|turn|agent(/(all|claude|codex|copilot|gemini|opencode|pi|qwen))?))?$$

# The race detector needs cgo, which needs a C compiler.
CC_FOUND := $(shell command -v gcc || command -v clang)
RACE     := $(if $(CC_FOUND),-race,)

.PHONY: help docs run build test unit e2e lint bench measure storm sim mutate accuracy accuracy-record vocab agents install uninstall fuzz clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and run clawd in the foreground
	./bin/clawd run

build: ## build bin/clawd, without cgo
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o bin/clawd ./cmd/clawd

test: unit e2e ## all tests; the real agents' everyday cases (CLAWD_E2E=all: every case; CLAWD_E2E_WITHIN=40m: as many as there is time for)

unit: ## all tests but those with the real agents (make lint vets)
	@$(if $(RACE),,echo 'no C compiler (gcc or clang) found: testing without the race detector')
	@CGO_ENABLED=0 $(GO) run ./e2e/report -name unit -hang 10m -memory $(RACE) \
		$(GO) test -vet=off -parallel $$(($$(getconf _NPROCESSORS_ONLN) * 4)) -timeout 60m -json $(PACKAGES)

e2e: ## the tests with the real agents alone
	@./e2e/install.sh || [ "$$CLAWD_E2E_REQUIRE" != 1 ]
	@CGO_ENABLED=0 $(GO) run ./e2e/report -name e2e -cases -hang 20m \
		$(GO) test -count=1 -shuffle=on -parallel $$(($$(getconf _NPROCESSORS_ONLN) * 6)) -timeout 120m -json ./e2e

# The cache does not know of the files that the tools measure.
lint: ## formatting, vet (also for other systems), golangci-lint, and what nothing reaches
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
		[ -z "$$files" ] || { echo "gofmt needed: $$files" >&2; exit 1; }
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./detect ./resume
	GOOS=freebsd $(GO) vet ./detect ./resume
	$(GO) tool -modfile=tools/go.mod golangci-lint run
	$(GO) vet -C tools ./...
	$(GO) test -C tools -count=1 ./...
	$(GO) run -C tools ./dead -lib '$(LIBS)' ..

sim: ## walk SEEDS simulated worlds, the first of which is FROM (WITHIN=4m: as many as there is time for; SEED=n: this one alone; TRACE=1: and what happens in it)
	@CGO_ENABLED=0 $(GO) build -trimpath -o bin/sim ./internal/sim/cmd
	@./bin/sim -from $(FROM) -seeds $(SEEDS) -within $(WITHIN) -twice 200 -seed $(SEED) $(if $(TRACE),-trace)

mutate: ## plant faults in clawd, one at a time, and see how many of SEEDS simulated worlds it takes to find each
	@$(GO) run ./internal/sim/mutants -seeds $(SEEDS)

storm: build ## kill and stop clawd from outside for ROUNDS rounds (SEED=n: the same sessions and strikes again)
	@CGO_ENABLED=0 $(GO) build -trimpath -o bin/storm ./internal/storm
	@./bin/storm -rounds $(ROUNDS) -seed $(SEED)

bench: ## benchmarks (BENCH=regexp)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem $(PACKAGES)

measure: ## how large the daemon is, and what its plainest stop enters (docs/architecture.md)
	@$(GO) run -C tools ./measure ..

accuracy: ## compare clawd's verdicts with the truth about recorded runs (testdata)
	@$(GO) run ./internal/accuracy

accuracy-record: ## write the figures of "make accuracy" into docs/accuracy.md
	@$(GO) run ./internal/accuracy -record

vocab: ## what VERSION of AGENT says about limits and errors that the pinned version before did not (RECORD=1: write its list)
	@$(GO) run ./internal/vocab -agent '$(AGENT)' -version '$(VERSION)' $(if $(RECORD),-record)

agents: ## install the pinned agents from npm into .cache/agents (CLAWD_AGENT_CACHE)
	@./e2e/install.sh

docs: ## make the pages that are made from the code
	$(GO) test -count=1 ./internal/rules ./daemon/machine -run '^TestPage$$' -update

install: build ## put clawd into ~/.local/bin (BINDIR) and its user service in place
	install -d '$(BINDIR)'
	install -m 755 bin/clawd '$(BINDIR)/clawd'
	./deploy/install.sh '$(BINDIR)/clawd'

uninstall: ## stop the user service and remove it and ~/.local/bin/clawd (config and state stay)
	./deploy/uninstall.sh '$(BINDIR)/clawd'

fuzz: ## run every fuzz target for FUZZTIME (what it finds is kept in testdata/fuzz)
	@for d in $$(grep -rl --include='*_test.go' --exclude-dir='.*' '^func Fuzz' [a-z]* | xargs -n 1 dirname | sort -u); do \
		for f in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$d"/*_test.go); do \
			GO='$(GO)' ./.ci/fuzz "./$$d" "$$f" $(FUZZTIME) || exit 1; \
		done; \
	done

clean: ## remove what was built (not the agents)
	rm -rf bin
