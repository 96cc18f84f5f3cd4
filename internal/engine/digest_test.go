package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/test/tier"
)

// words are the memories made of words in a session, oldest first.
func (s *stage) words(session string) []mem.Memory {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{Session: session, Within: "*", Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Reverse(ms)
	return slices.DeleteFunc(ms, func(mm mem.Memory) bool { return !ofWords(mm) })
}

func (s *stage) summaries(session string) []mem.Memory {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{
		Session: session, Within: "*", Kinds: []mem.Kind{mem.Summary},
		Limit: 100,
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return ms
}

func titles(ms []mem.Memory) string {
	var out []string
	for _, mm := range ms {
		out = append(out, string(mm.Kind)+": "+mm.Title)
	}
	return strings.Join(out, "\n")
}

func TestAProblemAndItsSolutionAreOneMemory(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	i := slices.IndexFunc(s.words("one"), func(mm mem.Memory) bool {
		return mm.Kind == mem.ErrorFix && mm.Command == "go test ./auth"
	})
	if i < 0 {
		t.Fatal("no fix is kept:\n" + titles(s.words("one")))
	}
	fix := s.words("one")[i]
	if fix.ExitCode != 1 || !slices.Equal(fix.Files, []string{"auth/session.go"}) ||
		!slices.Equal(fix.Modified, fix.Files) {
		t.Errorf("exit %d, files %v, modified %v", fix.ExitCode, fix.Files, fix.Modified)
	}
	wants(t, "what was changed", fix.Body, "s.lock()", "s.mu.Lock()")
	wants(t, "the cause", fix.Title, "login race")
	wants(t, "the error", strings.Join(fix.Facts, "\n"), "error: login_test.go:41: expected 200, got 409")
}

func TestWhatACommandChangedIsAFixToo(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the tests do not start"),
		failed("p1", "t1", "npm test", "Exit code 1\nError: Cannot find module 'zod'"),
		ran("p1", "t2", "ls node_modules", "…"), ran("p1", "t3", "npm install zod", "added 1 package"),
		ran("p1", "t4", "npm test", "ok"))
	got := titles(s.words("one"))
	wants(t, "fix", got, "error_fix: `npm test` failed", "works after `npm install zod`")
	wantsNot(t, "fix", got, "ls node_modules")
}

func TestWhatHelpedStandsWholeInTheTitle(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "bring the broker up"),
		failed("p1", "t1", "docker compose --profile messaging --env-file .env.local up -d broker schema-registry",
			"Exit code 1\nError: response from daemon: driver failed programming external connectivity on endpoint broker: "+
				"address already in use"),
		ran("p1", "t2", "systemctl stop rabbitmq-server.service", ""),
		ran("p1", "t3", "docker compose --profile messaging --env-file .env.local up -d broker schema-registry", "ok"))
	got := titles(s.words("one"))
	wants(t, "fix", got, "works after `systemctl stop rabbitmq-server.service`", "response from daemon")
	wantsNot(t, "fix", got, "Error: response")
	for _, mm := range s.words("one") {
		if n := len([]rune(mm.Title)); n > 160 {
			t.Errorf("%d characters: %s", n, mm.Title)
		}
	}
}

func TestARetryIsNoFix(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "run it"), failed("p1", "t1", "make e2e", "Exit code 1\nconnection reset"),
		ran("p1", "t2", "cat log.txt", "…"), ran("p1", "t3", "make e2e", "ok"))
	if got := s.words("one"); len(got) != 0 {
		t.Errorf("a retry made\n%s", titles(got))
	}
	if open := must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.Command},
		Open: true,
	})); len(open) != 0 {
		t.Error("the failure is still open")
	}
}

// A change of the layout for a linter, or putting changes away for a moment, teaches nothing. The same change may be
// what a program needed.
func TestALayoutForALinterOrAStashIsNoFix(t *testing.T) {
	const file, lint = "/home/dev/shop/cart/a.ts", "bun run lint"
	layout := edited("p1", "t2", file, "total( cart, );", "total(cart);")
	for _, tt := range []struct {
		name, command string
		done          []mem.Event
		want          string
	}{
		{"layout", lint, []mem.Event{layout}, ""},
		{"stash", lint, []mem.Event{ran("p1", "t3", "git stash", "Saved working directory")}, ""},
		{"layout and more", lint, []mem.Event{
			layout, edited("p1", "t3", file, "total(cart);", "total(cart, 0);"),
		}, "fixed in a.ts"},
		{"layout and more in one call", lint, []mem.Event{
			tool(mem.PostToolUse, "p1", "t2", "MultiEdit", map[string]any{"file_path": file, "edits": []map[string]any{
				{"old_string": "total( cart, );", "new_string": "total(cart);"}, {"old_string": "x", "new_string": "y"},
			}}, nil),
		}, "fixed in a.ts"},
		{"layout and an install", lint, []mem.Event{
			layout, ran("p1", "t3", "npm install eslint-plugin-cart", "added 1 package"),
		}, "works after `npm install eslint-plugin-cart`"},
		{"space in a script", "bash deploy.sh", []mem.Event{
			edited("p1", "t2", "/home/dev/shop/deploy.sh", "VERSION = 1.2", "VERSION=1.2"),
		}, "fixed in deploy.sh"},
		{"line break after return", "npm test", []mem.Event{
			edited("p1", "t2", file, "return\n  total(cart)", "return total(cart)"),
		}, "fixed in a.ts"},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "make it pass"),
			failed("p1", "t1", tt.command, "Exit code 1\n$ biome check --error-on-warnings\ncart/a.ts:3:1 it is wrong"))
		s.play(tt.done...)
		s.play(ran("p1", "t9", tt.command, "ok"), stop("p1", "It passes."))
		fixes := must(s.store.List(t.Context(), mem.Query{
			Session: "one", Within: "*", Kinds: []mem.Kind{mem.ErrorFix},
		}))
		if tt.want == "" && len(fixes) > 0 || tt.want != "" && !strings.Contains(titles(fixes), tt.want) {
			t.Errorf("%s: kept\n%s", tt.name, titles(fixes))
		}
		sums := must(s.store.List(t.Context(), mem.Query{Session: "one", Within: "*", Kinds: []mem.Kind{mem.Summary}}))
		if tt.want == "" && (len(sums) != 1 || !strings.Contains(sums[0].Summary.Completed, "`"+tt.command+"` works now")) {
			t.Errorf("%s: the summary is %s", tt.name, titles(sums))
		}
		if tt.want != "" && strings.Contains(titles(sums), "works now") {
			t.Errorf("%s: the summary names it beside its fix: %s", tt.name, titles(sums))
		}
		if len(sums) == 1 && !strings.Contains(sums[0].Summary.Investigated, tt.command) {
			t.Errorf("%s: the failure is not in what was investigated: %+v", tt.name, sums[0].Summary)
		}
	}
}

// What a linter finds in code that the session just wrote is no property of the project.
func TestWhatALinterFindsInNewCodeIsNoFix(t *testing.T) {
	const file, lint = "/home/dev/shop/cart/a.ts", "bun run lint"
	for _, tt := range []struct {
		name   string
		before string // the file that is changed first
		want   bool
	}{
		{"its own work", file, false},
		{"older code", "/home/dev/shop/cart/b.ts", true},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "add the total"),
			edited("p1", "t1", tt.before, "total(cart);", "const sum = total(cart);"),
			failed("p1", "t2", lint, "Exit code 1\n$ biome check\ncart/a.ts:3:1 sum is never used"),
			edited("p1", "t3", file, "const sum = total(cart);", "return total(cart);"),
			ran("p1", "t4", lint, "ok"), stop("p1", "It passes."))
		fixes := must(s.store.List(t.Context(), mem.Query{Session: "one", Within: "*", Kinds: []mem.Kind{mem.ErrorFix}}))
		if len(fixes) > 0 != tt.want {
			t.Errorf("%s: kept %q", tt.name, titles(fixes))
		}
	}
}

// What an answer says of the code that the turn wrote is read in the code.
func TestWhatTheEditsOfATurnSayIsNotKeptAgain(t *testing.T) {
	const file = "/home/dev/shop/web/entries.ts"
	const said = "The history shows entries now. `buildEntries()` groups the 12 actions by `fileKey`, matches each " +
		"group to `result.fileChanges` and adds the `rest` as entries."
	for written, kept := range map[string]bool{
		"// the 12 actions in groups by fileKey; each group matches result.fileChanges\nfunction " +
			"buildEntries(actions, rest) { history.shows(entries.adds(rest)) }": false,
		"export const tabs = []": true,
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "give the history of remediations a list of what was done to each file"),
			edited("p1", "t1", file, "", written), stop("p1", said))
		if got := titles(s.words("one")); strings.Contains(got, "buildEntries") != kept {
			t.Errorf("%q was written, kept:\n%s", written, got)
		}
	}
}

// Where both sides of a change begin alike, it is shown from a little before the difference.
func TestAChangeIsShownWhereItDiffers(t *testing.T) {
	s := newStage(t)
	const before = "const existing = await api.remediations(evaluation, options); if (existing.status === "
	s.play(start("startup"), prompt("p1", "fix it"),
		edited("p1", "t1", "/home/dev/shop/cart/a.ts", before+`"failed") retry()`, before+`"lost") retry()`))
	got := titles(must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.Change},
	})))
	wants(t, "change", got, `"failed") retry()`, `"lost") retry()`, "'…")
	wantsNot(t, "change", got, "const existing")
}

func TestAWiderRunProvesANarrowerOne(t *testing.T) {
	for _, tt := range []struct {
		worked string
		want   bool
	}{
		{"go test ./...", true},
		{"go test ./auth/...", true},
		{"go test ./cart", false},
		{"go vet ./...", false},
		{"go test ./... || true", false},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "fix it"), failed("p1", "t1", "go test ./auth",
			"Exit code 1\nx_test.go:1: got 1"),
			edited("p1", "t2", "/home/dev/shop/auth/a.go", "1", "2"), ran("p1", "t3", tt.worked, "ok"))
		if got := strings.Contains(titles(s.words("one")), "fixed in a.go"); got != tt.want {
			t.Errorf("%q: fixed %v, want %v", tt.worked, got, tt.want)
		}
	}
}

func TestATurnWithSomethingStillRunningIsNotOver(t *testing.T) {
	s := newStage(t)
	running := stop("p1", "The rollout of version 7 runs, I will report when it is through and healthy again.")
	running.Background = 1
	s.play(start("startup"), prompt("p1", "roll out version 7 to staging"),
		edited("p1", "t1", "/home/dev/shop/deploy.yaml", "6", "7"), running)
	if got := s.summaries("one"); len(got) != 0 {
		t.Fatalf("%d summaries while it runs: %s", len(got), got[0].Title)
	}
	s.play(prompt("p2", "<task-notification>rollout finished</task-notification>"),
		stop("p2", "The rollout of version 7 is through, all pods are healthy."))
	got := s.summaries("one")
	if len(got) != 1 {
		t.Fatalf("%d summaries after it, want 1", len(got))
	}
	wants(t, "summary", got[0].Summary.Request+"\n"+got[0].Summary.Completed, "roll out version 7", "all pods are healthy")
}

func TestATurnThatGoesOnIsOneTurn(t *testing.T) {
	s := newStage(t)
	on := stop("p1", "The linter is happy too. Careful: `make lint` needs network access the first time.")
	on.StopActive = true
	said := "I decided to keep the flags in one struct instead of globals, because tests run side by side."
	s.play(start("startup"), prompt("p1", "move the flags"), edited("p1", "t1", "/home/dev/shop/flags.go", "a", "b"),
		stop("p1", said), on)
	wants(t, "kept", titles(s.words("one")), "one struct", "make lint")
	got := s.summaries("one")
	if len(got) != 1 {
		t.Fatalf("%d summaries, want 1", len(got))
	}
	wants(t, "summary", got[0].Summary.Completed, "one struct", "linter is happy")
}

func TestRepeatedStatementIsOneMemory(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "which queue?"),
		stop("p1", "We decided to use the SQS queue for outgoing mail, because it survives a restart."),
		prompt("p2", "sum it up please"),
		stop("p2", "In short: we decided to use the SQS queue for outgoing mail because it survives restarts."),
		prompt("p3", "and for invoices?"),
		stop("p3", "We decided to use the RabbitMQ2 queue for outgoing mail, because it survives a restart."))
	got := s.words("one")
	if len(got) != 2 || got[0].Repeats != 1 || got[1].Repeats != 0 {
		t.Errorf("want the first with one repeat, and the other; got\n%s", titles(got))
	}
}

func TestTwoRulesForTwoThingsStayTwo(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "and?"),
		stop("p1", "Careful: never call log1 while the lock of the store is held."),
		prompt("p2", "and?"), stop("p2", "Careful: never call log2 while the lock of the store is held."))
	wants(t, "kept", titles(s.words("one")), "log1", "log2")
}

// A web page that the agent reads cannot replace a memory by repeating it.
func TestATaintedEchoTakesNothingFromWhatIsKnown(t *testing.T) {
	s := newStage(t)
	said := "Careful: the importer must not run while the index is rebuilt."
	s.play(start("startup"), prompt("p1", "and?"), stop("p1", said),
		prompt("p2", "read that page"), tool(mem.PostToolUse, "p2", "w", "WebFetch", nil, "x"),
		stop("p2", "As the page has it: careful, the importer must not run while the index is rebuilt."))
	got := s.words("one")
	if len(got) != 2 || got[0].Trust != mem.TrustAssistant || got[1].Trust != mem.TrustNone {
		t.Errorf("got\n%s\nof %s and %s", titles(got), got[0].Trust, got[len(got)-1].Trust)
	}
}

// openWork are the titles of the shop's open items.
func (s *stage) openWork() string {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{Project: "p_shop", Kinds: []mem.Kind{mem.Todo}, Open: true})
	if err != nil {
		s.t.Fatal(err)
	}
	return titles(ms)
}

func TestOpenWorkIsOneItemUntilItIsDone(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "write the export"),
		stop("p1", "The export works. Still open: the logout path has no audit entry."))
	s.play(in("two", start("startup"), prompt("q1", "what is left?"),
		stop("q1", "Still open: the logout path has no audit entry."))...)
	if got := s.openWork(); strings.Count(got, "audit entry") != 1 {
		t.Errorf("the item is there %d times:\n%s", strings.Count(got, "audit entry"), got)
	}
	s.play(in("two", prompt("q2", "go"),
		stop("q2", "The logout path is not covered by an audit entry yet, the entry of the login path is done."))...)
	wants(t, "not done", s.openWork(), "audit entry")
	s.play(in("two", prompt("q2b", "sum up"),
		stop("q2b", "The export and its logs are done now; only the audit entry of the logout path remains."))...)
	wants(t, "another thing is done", s.openWork(), "audit entry")
	s.play(in("two", prompt("q3", "now"), tool(mem.PostToolUse, "q3", "w", "WebFetch", nil, "x"),
		stop("q3", "The logout path now writes an audit entry."))...)
	wants(t, "done, says a turn that read the web", s.openWork(), "audit entry")
	s.play(in("two", prompt("q4", "now"), stop("q4", "The logout path now writes an audit entry."))...)
	wantsNot(t, "done", s.openWork(), "audit entry")
}

func TestWorkIsDoneWhenWhatItWasToGetIsThere(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "split the importer"),
		stop("p1", "Still open: get a second staging bucket. Still open: get an alert for the dead letter queue."),
		prompt("p2", "do it"), stop("p2", "The second staging bucket is up: `stage-2`, in Frankfurt. An alert for the "+
			"queue is not up."))
	wantsNot(t, "done", s.openWork(), "bucket")
	wants(t, "not done", s.openWork(), "alert")
}

func TestAnItemOfTheListIsNotKeptAgainInOtherWords(t *testing.T) {
	s := newStage(t)
	list := func(id string, of ...string) mem.Event {
		var todos []map[string]string
		for _, one := range of {
			text, status, _ := strings.Cut(one, ": ")
			todos = append(todos, map[string]string{"content": text, "status": status})
		}
		return tool(mem.PostToolUse, id, id+fmt.Sprint(of), "TodoWrite", map[string]any{"todos": todos}, nil)
	}
	s.play(start("startup"), prompt("p1", "keys for transfers"), list("p1", "Purge keys older than 48h: pending",
		"Document the header in docs/api.md: pending", "honour Retry-After when it is a date: pending"),
		stop("p1", "What's left:\n- The purge job for keys older than 48 hours\n- Documenting the `Idempotency-Key` "+
			"header in `docs/api.md`\n- Documenting the footer in `docs/pages.md`\n\nStill open: Retry-After is ignored when "+
			"it is a date."))
	if got := strings.Split(s.openWork(), "\n"); len(got) != 4 || !strings.Contains(s.openWork(), "footer") {
		t.Errorf("want the three of the list and the footer, got\n%s", s.openWork())
	}
	s.play(in("two", start("startup"), prompt("q1", "what's left?"),
		stop("q1", "Still open: documenting the `Idempotency-Key` header in `docs/api.md`, and the purge of keys older "+
			"than 48 hours."))...)
	s.play(in("two", prompt("q2", "go on"), list("q2", "Purge keys older than 48h: in_progress",
		"Document the header in docs/api.md: pending", "Create the table: completed"))...)
	if got := strings.Split(s.openWork(), "\n"); len(got) != 4 {
		t.Errorf("said again in another session, got\n%s", s.openWork())
	}
	all := must(s.store.List(t.Context(), mem.Query{Project: "p_shop", Kinds: []mem.Kind{mem.Todo}}))
	wantsNot(t, "kept", titles(all), "Create the table")
	s.play(in("two", list("q2", "Purge keys older than 48h: completed",
		"Document the header in docs/api.md: completed"))...)
	wantsNot(t, "done", s.openWork(), "Purge", "docs/api.md")
}

func TestWhatThePersonLaidDownIsNotKeptAgainFromTheAnswer(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "prices are always integer cents everywhere in this project, never floats"),
		stop("p1", "Understood! Prices are always integer cents in this project — I'll keep to that."))
	if got := s.words("one"); len(got) != 1 || got[0].Trust != mem.TrustUser {
		t.Errorf("got\n%s", titles(got))
	}
}

func TestWhatAnotherProgramInstalledDoesNotFailAnyMore(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "read the sheet"), failed("p1", "t1", "pip install openpyxl",
		"Exit code 1\nerror: externally-managed-environment"),
		ran("p1", "t2", "uv add --dev pandas", "ok"))
	if open := must(s.store.List(t.Context(), mem.Query{
		Session: "one", Kinds: []mem.Kind{mem.Command},
		Open: true,
	})); len(open) != 1 {
		t.Errorf("another package: %d commands fail, want 1", len(open))
	}
	s.play(prompt("p2", "NO. never pip install here. uv add"), ran("p2", "t3", "uv add --dev openpyxl", "ok"),
		stop("p2", "It is there."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "convention: never pip install here",
		"`pip install openpyxl` failed (externally-managed-environment), done by `uv add --dev openpyxl`")
	wantsNot(t, "briefing", s.play(in("two", start("startup"))...).Context, "failing:")
}

func TestWhatThePersonForbidsIsNoFix(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "plan it"), failed("p1", "t1", "terraform plan",
		"Exit code 1\nError: Error acquiring the state lock"),
		ran("p1", "t2", "terraform force-unlock -force 8d3b", "unlocked"), ran("p1", "t3", "terraform plan", "No changes."),
		stop("p1", "The plan is clean."))
	wants(t, "before", titles(s.words("one")), "works after `terraform force-unlock")
	s.play(prompt("p2", "do you never force-unlock?"), stop("p2", "Only then."),
		prompt("p3", "never apply it on a friday"), stop("p3", "Understood."))
	wants(t, "another matter", titles(s.words("one")), "works after `terraform force-unlock")
	s.play(prompt("p4", "never force-unlock without asking me. jenkins might be at it"), stop("p4", "Understood."))
	got := titles(s.words("one"))
	wants(t, "after", got, "convention: never force-unlock without asking me")
	wantsNot(t, "after", got, "works after")
	wantsNot(t, "briefing", s.play(in("two", start("startup"))...).Context, "works after", "-force 8d3b")
	wants(t, "summary", s.summaries("one")[0].Summary.Completed, "fixed: `terraform plan`")
	wantsNot(t, "summary", s.summaries("one")[0].Summary.Completed, "force-unlock")
}

func TestAFixThatIsTakenBackIsNone(t *testing.T) {
	for _, tt := range []struct {
		to   string
		gone bool
	}{{"image: node:20-alpine", true}, {"image: node:22-slim", false}} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "the build of the image fails"), failed("p1", "t1", "docker build .",
			"Exit code 1\nError: node-gyp needs python"),
			edited("p1", "t2", "/home/dev/shop/base.yml", "image: node:20-alpine", "image: node:20"),
			ran("p1", "t3", "docker build .", "ok"), stop("p1", "It builds."),
			prompt("p2", "that is 900 MB, install python instead"), edited("p2", "t4", "/home/dev/shop/base.yml",
				"image: node:20", tt.to), stop("p2", "Python is installed."))
		if gone := !strings.Contains(titles(s.words("one")), "fixed in base.yml"); gone != tt.gone {
			t.Errorf("%s: gone %v, want %v", tt.to, gone, tt.gone)
		}
	}
}

func TestADecisionThatThePersonTakesBackIsOver(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "store the theme"),
		stop("p1", "I decided to store the theme in local storage instead of a cookie."),
		prompt("p2", "undo that, the server needs it"), stop("p2", "It is in a cookie now, as it was."))
	wantsNot(t, "kept", titles(s.words("one")), "local storage")
}

func TestADecisionIsOverWhenThePersonChangesTheirMind(t *testing.T) {
	for mind, over := range map[string]bool{
		"the client gets no retries after all, put them into the queue": true,
		"Die retries sind doch besser nicht im client.":                 true,
		"let's keep the retries in the client after all":                false,
		"after all that, please sort the imports":                       false,
		"are retries in the client so bad after all?":                   false,
		"log the retries of the client":                                 false,
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "orders get lost"),
			stop("p1", "I decided to put the retries into the client instead of the queue."),
			prompt("p2", "now the log"), stop("p2", "The log has a line for each order."),
			prompt("p3", mind), edited("p3", "t1", "/home/dev/shop/retry.go", "a", "b"), stop("p3", "It is done as you said."))
		if got := !strings.Contains(titles(s.words("one")), "decided to put the retries"); got != over {
			t.Errorf("%q: over %v, want %v", mind, got, over)
		}
	}
}

func TestADecisionThatThePersonCorrectsIsOver(t *testing.T) {
	for _, tt := range []struct {
		no   string
		work bool
		over bool
	}{
		{"nope, retries belong into the worker. the client must not know of them", true, true},
		{"Nein. Die retries macht nicht der client.", true, true},
		{"no, retries belong into the worker. the client must not know of them", false, false}, // it was talked about only
		{"the retries should not be in the client but in the worker", true, true},
		{"Die retries gehören nicht in den client, sondern in den worker", true, true},
		{"the retries in the client do not wait", true, false},
		{"no, keep the retries in the client, but log them", true, false},
		{"no, the log line is too long", true, false},
		{"no retries in the client for uploads, please", true, false},
		{"no, are retries in the client safe?", true, false},
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "orders get lost"),
			stop("p1", "I decided to put the retries into the client instead of the queue."), prompt("p2", tt.no))
		if tt.work {
			s.play(edited("p2", "t1", "/home/dev/shop/retry.go", "a", "b"))
		}
		s.play(stop("p2", "It is done as you said."))
		if over := !strings.Contains(titles(s.words("one")), "decided to put the retries"); over != tt.over {
			t.Errorf("%q: over %v, want %v", tt.no, over, tt.over)
		}
	}
}

func TestASessionHandsOnAFew(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	things := strings.Fields("mail invoices search uploads exports sessions carts prices taxes refunds stock labels")
	for i, thing := range things {
		id := fmt.Sprint("p", i)
		s.play(prompt(id, "what about "+thing+"?"), stop(id, "From "+fmt.Sprint(9*i)+" to "+fmt.Sprint(i)+
			" seconds is what the index made of "+thing+". We decided to keep the "+thing+
			" in their own table, because they grow fastest."))
	}
	var handed, decisions int
	for _, mm := range s.words("one") {
		if mm.Scope == mem.ScopeProject {
			handed++
			if mm.Kind == mem.Decision {
				decisions++
			}
		}
	}
	if handed != 8 || decisions != 8 || len(s.words("one")) > len(things)+4 {
		t.Errorf("%d handed on, %d decisions of them, %d in all; want 8, 8, at most %d", handed, decisions,
			len(s.words("one")),
			len(things)+4)
	}
}

func TestOneCorrectionIsNoHabitTwoAre(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "add zod"), stop("p1", "Added."), prompt("p2", "no, use pnpm instead of npm"),
		stop("p2", "Done."))
	if got := s.words("one"); len(got) != 1 || got[0].Kind == mem.Preference || got[0].Trust != mem.TrustUser {
		t.Fatalf("one correction made\n%s", titles(got))
	}
	s.play(in("two", start("startup"), prompt("q1", "no, put it in lib"), stop("q1", "Moved."),
		prompt("q2", "nein, use pnpm, not npm!"), stop("q2", "Sorry."))...)
	got := s.words("two")
	if len(got) != 1 || got[0].Kind != mem.Preference || got[0].Trust != mem.TrustUser ||
		got[0].Title != "use pnpm, not npm!" {
		t.Errorf("got %+v", got)
	}
}

func TestWhatThePersonSaysInAnInterruptedTurnIsKept(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "prices must always be integers in cents"), prompt("p2", "go on"),
		stop("p2", "The prices are integers."), prompt("p3", "and now?"), stop("p3", "Nothing is left."))
	got := s.words("one")
	if len(got) != 1 || got[0].Trust != mem.TrustUser || got[0].Source.PromptID != "p1" {
		t.Errorf("kept:\n%s", titles(got))
	}
}

func TestWhatThePersonSaysInAnInterruptedTurnIsKeptAtTheEndOfTheSession(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p0", "list the prices"), stop("p0", "There are three prices."),
		prompt("p1", "prices must always be integers in cents"), mem.Event{Kind: mem.SessionEnd, Source: "other"})
	for _, then := range []string{"the session ended", "the transcript was read, too"} {
		got := s.words("one")
		if len(got) != 1 || got[0].Trust != mem.TrustUser || got[0].Source.PromptID != "p1" {
			t.Errorf("kept when %s:\n%s", then, titles(got))
		}
		s.play(mem.Event{Kind: mem.Stop, PromptID: "p1", Source: mem.Interrupted, Text: "Let me look."})
	}
}

func TestWhatIsForgottenStaysSoWhenItsSessionEndsAgain(t *testing.T) {
	s := newStage(t)
	end := mem.Event{Kind: mem.SessionEnd, Source: "other"}
	s.play(start("startup"), prompt("p1", "prices must always be integers in cents"), end)
	s.marks("forget", s.words("one")[0].ID)
	s.play(start("resume"), end)
	if got := s.words("one"); len(got) != 0 {
		t.Errorf("kept again:\n%s", titles(got))
	}
}

func TestASessionOfSeveralTurnsHasItsSummary(t *testing.T) {
	s := newStage(t)
	end := mem.Event{Kind: mem.SessionEnd, Source: "other"}
	s.play(bugHunt()...)
	s.play(prompt("p2", "now the logout test"), edited("p2", "t9", "/home/dev/shop/auth/logout_test.go", "", "x"),
		stop("p2", "The logout path has a test now. Next step: run it against staging."),
		prompt("p3", "read that page"), tool(mem.PostToolUse, "p3", "w", "WebFetch", nil, "x"),
		stop("p3", "The page says that plutonium is the way to go for every queue there is."), end)
	got := s.summaries("one")
	whole := got[0]
	if len(got) != 4 || whole.Scope != mem.ScopeSession || whole.Trust != mem.TrustAssistant {
		t.Fatalf("%d summaries, the newest of scope %s and trust %s", len(got), whole.Scope, whole.Trust)
	}
	wants(t, "request", whole.Summary.Request, "the auth tests fail")
	wants(t, "completed", whole.Summary.Completed, "login race", "logout path has a test")
	wants(t, "next", whole.Summary.NextSteps, "against staging")
	all := fmt.Sprint(*whole.Summary)
	wantsNot(t, "summary", all, "plutonium")
	wants(t, "the next session's briefing", s.play(in("two", start("startup"))...).Context, whole.ID+", ")
}

func TestEveryMemoryOfLabelledTurnsKeepsItsBounds(t *testing.T) {
	for _, set := range []string{"work", "held", "late", "last"} {
		for _, l := range readTurns(t, set) {
			s := newStage(t)
			s.play(start("startup"))
			s.play(l.events...)
			for _, mm := range s.words("one") {
				if n := utf8.RuneCountInString(mm.Title); n == 0 || n > 160 || strings.Contains(mm.Title, "\n") {
					t.Errorf("%s: a title of %d characters: %q", l.name, n, mm.Title)
				}
				if chars.Tokens(mm.Title+mm.Body) > 200 && mm.Tags[0] != "debugging" {
					t.Errorf("%s: %d tokens: %s", l.name, chars.Tokens(mm.Title+mm.Body), mm.Title)
				}
				if strings.Contains(fmt.Sprint(mm), "hunter2") {
					t.Errorf("%s: a secret is kept: %+v", l.name, mm)
				}
			}
		}
	}
}

func TestWhatIsMadeIsNotWhatWasWrong(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "add a checkout page, look at the login page first"),
		failed("p1", "t1", "pnpm lint", "Exit code 1\nerror: useForm is called conditionally"),
		edited("p1", "t2", "/home/dev/shop/checkout/Form.tsx", "x", "y"), ran("p1", "t3", "pnpm lint", ""),
		stop("p1", "The checkout page is there.\n\n- `Form.tsx` takes `useForm`, keys for every message, and a test id "+
			"for each field\n- The date is formatted by `date-fns` in the user's locale."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "`pnpm lint` failed")
	wantsNot(t, "kept", got, "error_fix: `Form.tsx`")
}

func TestTheSumOfATurnSaysWhatCameOfIt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the export work"), edited("p1", "t1", "/home/dev/shop/export.go", "a",
		"b"),
		stop("p1", "Here is what came of it:\n\n1. The export writes a header now.\n\nStill open: the footer of the "+
			"export. Still open: the logout path has no audit entry."),
		prompt("p2", "no, rows first"), edited("p2", "t2", "/home/dev/shop/export.go", "b", "c"),
		stop("p2", "Good catch — I settled on rows before the header:"))
	all := s.summaries("one")
	wants(t, "first turn", all[1].Summary.Completed, "The export writes a header now; changed")
	wants(t, "next", all[1].Summary.NextSteps, "footer of the export; Still open: the logout path")
	wants(t, "second turn", all[0].Summary.Completed, "I settled on rows before the header; changed")
}

func TestShortCauseIsInjectedWithTheTextBeforeIt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "why is the order of the pupils wrong?"),
		edited("p1", "t1", "/home/dev/shop/sort.go", "a", "b"),
		stop("p1", "`byName` compares bytes, in which capitals come first. Umlauts do not, so Özil was last."))
	wants(t, "kept", titles(s.words("one")), "capitals come first. Umlauts do not, so Özil was last.")
}

func TestWhatIsNotUsedAfterANoIsARule(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "nope, we don't use moment in new code, take date-fns"),
		stop("p1", "It is date-fns now."),
		prompt("p2", "no, we don't have that yet"), stop("p2", "It is gone."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "convention: we don't use moment in new code")
	wantsNot(t, "kept", got, "that yet")
}

func TestFigureIsInjectedWithItsSubject(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "shrink the docker image"),
		stop("p1", "Down from 910 MB to 84 MB.\n\nThe build of the worker image went from 240 s to 31 s with the cache of "+
			"layers."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "910 MB to 84 MB. (on: shrink the docker image)", "cache of layers.")
	wantsNot(t, "kept", got, "layers. (on")
}

func TestADecisionIsKeptWithoutTheApologyBeforeIt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "session locks leak there"),
		stop("p1", "Good catch — I decided to use locks of the transaction instead of locks of the session."))
	wants(t, "kept", titles(s.words("one")), "decision: I decided to use locks of the transaction")
}

// What makes a turn worth nothing makes all of its words worth nothing, whatever
// else is in it; a private part and a secret are in no memory.
func TestShuffledTurnsKeepTrustAndSecrets(t *testing.T) {
	r := tier.Rand(t)
	sets := append(readTurns(t, "work"), readTurns(t, "late")...)
	for range tier.Runs(30, 1000) {
		l := sets[r.IntN(len(sets))]
		var said []string
		for _, e := range l.events {
			if e.Kind == mem.Stop {
				said = append(said, strings.Split(e.Text, "\n")...)
			}
		}
		r.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
		text := strings.Join(said, "\n") +
			"\n<private>Careful: the zq71x wall must not fall.</private>\nWe decided to use password=Zq71xHunter2Long " +
			"instead of keys."
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "do it as we said"), tool(mem.PostToolUse, "p1", "w", "WebFetch", nil, "x"),
			stop("p1", text))
		for _, mm := range append(s.words("one"), s.summaries("one")...) {
			if mm.Trust > mem.TrustNone && mm.Trust < mem.TrustUser {
				t.Errorf("%s of a tainted turn has %s: %s", mm.Kind, mm.Trust, mm.Title)
			}
			if all := strings.ToLower(fmt.Sprintf("%+v %+v", mm, mm.Summary)); strings.Contains(all, "zq71x") {
				t.Errorf("kept: %s", all)
			}
		}
	}
}

func BenchmarkDigestOfATurn(b *testing.B) {
	for _, n := range []int{1, 20} {
		b.Run(fmt.Sprint(n, " answers long"), func(b *testing.B) {
			var text strings.Builder
			for _, l := range readTurns(b, "work") {
				for _, e := range l.events {
					if e.Kind == mem.Stop && text.Len() < n*1000 {
						text.WriteString(e.Text + "\n\n")
					}
				}
			}
			s := newStage(b)
			ctx := b.Context()
			give := func(e mem.Event) {
				e.Agent, e.Session, e.Root, e.At = "claude-code", "one", "/home/dev/shop", s.clock
				e.Identify("n")
				if _, err := s.Handle(ctx, e); err != nil {
					b.Fatal(err)
				}
			}
			give(start("startup"))
			for i := 0; b.Loop(); i++ {
				id := fmt.Sprint("p", i%20)
				e := stop(id, fmt.Sprint(text.String(), i))
				give(prompt(id, "the tests fail, why?"))
				give(e)
			}
		})
	}
}

func FuzzDigest(f *testing.F) {
	f.Add("no, use pnpm, not npm", "The root cause was **a race**.\n\n- [ ] still open: `x\n\n```go\n",
		"go test ./... && x")
	f.Add("なぜ？", "> quoted\n1) 原因は `x` です。まだ未対応です。\n**Why:** „so“ «it» \"is", "a=b")
	f.Fuzz(func(t *testing.T, asked, answer, command string) {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", asked), failed("p1", "t1", command, "Exit code 1\n"+answer),
			edited("p1", "t2", "/home/dev/shop/"+asked, answer, asked),
			ran("p1", "t3", command, answer), stop("p1", answer), prompt("p2", asked), stop("p2", answer),
			mem.Event{Kind: mem.SessionEnd})
		for _, mm := range s.words("one") {
			if n := utf8.RuneCountInString(mm.Title); n == 0 || n > 160 {
				t.Errorf("a title of %d characters: %q", n, mm.Title)
			}
			if !utf8.ValidString(mm.Title+mm.Body) && utf8.ValidString(asked+answer+command) {
				t.Errorf("broken text: %q", mm.Title+mm.Body)
			}
		}
		if n := len(s.words("one")); n > 40 {
			t.Errorf("%d memories", n)
		}
	})
}

func TestACauseNamesSomething(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the tail loses lines when the file is rotated, why"),
		stop("p1", "Found it and fixed it.\n\nThe culprit was `follow()`: it opened the path anew without reading the old "+
			"file to its end."))
	if got := titles(s.words("one")); strings.Contains(got, "Found it") || !strings.Contains(got, "follow()") {
		t.Errorf("kept:\n%s", got)
	}
}

func TestWhatIsToBeRememberedStandsBeforeIt(t *testing.T) {
	for _, injected := range []string{
		"TODO for me: ask Lena about the rates for Switzerland. remember that",
		"Lena knows the rates for Switzerland. Please remember this!",
		"Lena kennt die Sätze für die Schweiz. Merk dir das bitte.",
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", injected), stop("p1", "Noted."))
		if got := s.words("one"); len(got) != 1 || got[0].Kind != mem.Fact || !strings.Contains(got[0].Title, "Lena") {
			t.Errorf("%s: kept:\n%s", injected, titles(got))
		}
	}
}

func TestWorkIsDoneWhenTheAnswerSaysSoInItsVerb(t *testing.T) {
	for said, done := range map[string]bool{
		"`charge.refunded` is handled in the webhook; duplicates are skipped by refund id.": true,
		"The webhook handles `charge.refunded` like any other event.":                       true,
		"The webhook does not handle `charge.refunded` in test mode.":                       false,
		"The page shows what `charge.refunded` sends to us.":                                false,
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "add the webhook for checkouts"),
			stop("p1", "The webhook is in place.\n\nNext steps:\n- handle `charge.refunded`"),
			prompt("p2", "go on with it"), stop("p2", said))
		open, err := s.store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		if got := !strings.Contains(titles(open), "handle"); got != done {
			t.Errorf("%s: done %v, want %v", said, got, done)
		}
	}
}

func TestWhatIsStillLeftStandsForTheItemItWasPartOf(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "store the refunds"),
		stop("p1", "Refunds have a table.\n\n**Not done yet:** the admin page does not show refunds, and the confirmation "+
			"mail is missing."),
		prompt("p2", "go on with the admin page"),
		stop("p2", "The admin page lists refunds with their reason. The confirmation mail is still missing."))
	open, err := s.store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Todo}, Open: true, Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	if got := titles(open); got != "todo: The confirmation mail is still missing." {
		t.Errorf("open:\n%s", got)
	}
}

func TestASessionIsNotNamedForTheMarkOfAnOptionOrForCatchingUp(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "where were we?"),
		stop("p1", "The index has blocks of 4 GiB and the old files are readable. The check of the block table is left."),
		prompt("p2", "store the refunds"),
		stop("p2", "I see two options:\n- **A** a column on `Order`\n- **B** a `Refund` table\n\nI'd go with B since one "+
			"can be refunded twice."),
		prompt("p3", "B"), edited("p3", "t1", "/home/dev/shop/order.go", "a", "b"),
		stop("p3", "Refunds are stored in a table of their own now."),
		mem.Event{Kind: mem.SessionEnd, Source: "prompt_input_exit"})
	var got []string
	for _, sum := range s.summaries("one") {
		got = append(got, sum.Title)
	}
	slices.Sort(got)
	want := []string{
		"I'd go with B since one can be refunded twice.",
		"Refunds are stored in a table of their own now; changed order.go",
		"Refunds are stored in a table of their own now; changed order.go", // of the session: that of its work
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	injected := s.play(in("two", start("startup"))...)
	wants(t, "the briefing", injected.Context, "last request: store the refunds")
}

func TestAskingForWhatIsLeftOfSomethingIsNoCatchingUp(t *testing.T) {
	for asked, want := range map[string]bool{
		"what's left to do?": true, "whats next": true, "wo waren wir gestern?": true, "what is left padding in css": false,
		"where are we handling the refunds": false, "what's open source here": false,
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", asked),
			stop("p1", strings.Repeat("The refunds are handled in one place of the code. ", 6)))
		if got := len(s.summaries("one")) == 0; got != want {
			t.Errorf("%s: caught up %v, want %v", asked, got, want)
		}
	}
}
