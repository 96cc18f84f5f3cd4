package mind

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// fixture is a project with state files, and the clock.
type fixture struct {
	*Files
	t   *testing.T
	p   mem.Project
	now time.Time
	ok  bool // trusted
}

func newFixture(t *testing.T, from string) *fixture {
	t.Helper()
	d := &fixture{t: t, p: mem.Project{Key: "p_desk", Root: t.TempDir()}, now: time.Now().Truncate(time.Second), ok: true}
	d.Files = New(Config{Trusted: func(mem.Project) bool { return d.ok }, Now: func() time.Time { return d.now }})
	if from != "" {
		if err := os.CopyFS(filepath.Join(d.p.Root, workstate.Dir), os.DirFS(filepath.Join("testdata", from))); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *fixture) path(name string) string { return filepath.Join(d.p.Root, workstate.Dir, name) }

func (d *fixture) file(name string) string {
	d.t.Helper()
	b, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *fixture) write(name, content string) {
	d.t.Helper()
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(d.path(name), []byte(content), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

func (d *fixture) look() workstate.Files {
	d.t.Helper()
	m, err := d.Look(d.p)
	if err != nil {
		d.t.Fatal(err)
	}
	return m
}

func (d *fixture) change(ask workstate.Request) workstate.State {
	d.t.Helper()
	s, err := d.Change(d.t.Context(), d.p, ask)
	if err != nil {
		d.t.Fatalf("%s: %v", ask.Op, err)
	}
	return s
}

func (d *fixture) note(n workstate.Notes) {
	d.t.Helper()
	if n.At.IsZero() {
		n.At = d.now
	}
	if err := d.Note(d.t.Context(), d.p, n); err != nil {
		d.t.Fatal(err)
	}
}

// changedLines are the lines that only one of two texts has, "-" or "+" before them.
func changedLines(before, after string) []string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	var out []string
	for _, l := range a {
		if i := slices.Index(b, l); i >= 0 {
			b = slices.Delete(b, i, i+1)
			continue
		}
		out = append(out, "-"+l)
	}
	for _, l := range b {
		out = append(out, "+"+l)
	}
	return out
}

func TestStateFilesOfAnotherProgramAreReadAsTheyAre(t *testing.T) {
	m := newFixture(t, "forge").look()
	if m.Phase != "Phase 2: API — IN PROGRESS" || m.Next != "Write the PATCH endpoint, then its tests" ||
		m.Status != "Sign-in is done and reviewed. The endpoints for users are half done; rate limits come after them." {
		t.Errorf("got phase %q, next %q, status %q", m.Phase, m.Next, m.Status)
	}
	if !slices.Equal(m.Active, []string{"GET /api/users/:id", "Token rotation"}) ||
		!slices.Equal(m.Blockers, []string{"Payment webhook (no test keys yet)"}) {
		t.Errorf("got active %q, blockers %q", m.Active, m.Blockers)
	}
	if len(m.Progress) != 8 || m.Progress[0].Section != "Completed" || !m.Progress[0].Done || m.Progress[2].Done {
		t.Errorf("got progress %+v", m.Progress)
	}
	if len(m.Decisions) != 2 || m.Decisions[1].ID != "DEC-002" || m.Decisions[1].By != "agent" ||
		m.Decisions[1].Status != "Pending — Ines has to agree" {
		t.Errorf("got decisions %+v", m.Decisions)
	}
	if len(m.Sessions) != 2 || m.Sessions[0].Summary != "Built sign-in and its tests." ||
		m.Sessions[1].Next[0] != "Users" || m.Sessions[1].Decisions != nil {
		t.Errorf("got sessions %+v", m.Sessions)
	}
	var heads []string
	for _, s := range m.Work {
		heads = append(heads, s.Heading)
	}
	if !slices.Equal(heads, []string{"In Progress", "Blocked", "Not Started"}) {
		t.Errorf("work is injected under %q", heads)
	}
}

func TestOlderFormsAreRead(t *testing.T) {
	m := newFixture(t, "old").look()
	if m.Phase != "Phase 2: Core" || m.Next != "Finish writing" || len(m.Blockers) != 0 {
		t.Errorf("got phase %q, next %q, blockers %q", m.Phase, m.Next, m.Blockers)
	}
	if len(m.Decisions) != 2 || m.Decisions[0].Title != "Monorepo" || m.Decisions[0].Date != "2025-11-03" ||
		m.Decisions[1].Rationale != "The queries are few and known" {
		t.Errorf("got decisions %+v", m.Decisions)
	}
	if last := m.Work[2]; last.Heading != "What's Next" ||
		!slices.Equal(last.Lines, []string{"1. Finish writing", "2. Then watching"}) {
		t.Errorf("got %+v", m.Work)
	}
}

func TestOnlyTheGivenFieldsChange(t *testing.T) {
	d := newFixture(t, "forge")
	before := d.file(stateFile)
	got := d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
		Next: new("Review"), Active: new([]string{"Token rotation", "PATCH /api/users/:id"}), Blockers: new([]string{}),
	}})
	want := []string{
		"-- GET /api/users/:id\n", "-- Payment webhook (no test keys yet)\n", "-Write the PATCH endpoint, then its tests\n",
		"-2026-02-10\n",
		"+- PATCH /api/users/:id\n", "+None.\n", "+Review\n", "+" + d.now.UTC().Format(time.DateOnly) + "\n",
	}
	if got := changedLines(before, d.file(stateFile)); !slices.Equal(got, want) {
		t.Errorf("changed\n%q, want\n%q", got, want)
	}
	if got.Next != "Review" || !slices.Equal(got.Changed, []string{".mind/STATE.md"}) || len(got.Notes) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestLineEndingsAndAnUnendedLastLineStay(t *testing.T) {
	d := newFixture(t, "old")
	d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
		Phase:  new("Phase 3: Trim"),
		Status: new("Nearly there"), Next: new("Ship"),
	}})
	want := "# Project State\r\n\r\n## Current Phase\r\n\r\nPhase 3: Trim\r\n\r\n## Blocked Items\r\nNone.\r\n\r\n## " +
		"Next Action\r\nShip\r\n\r\n## Current Status\r\nNearly there\r\n\r\n## Last Updated\r\n" +
		d.now.UTC().Format(time.RFC3339) + "\r\n"
	if got := d.file(stateFile); got != want {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

func TestWhatAHandChangedSinceItWasSeenStaysAndBothAreKept(t *testing.T) {
	d := newFixture(t, "forge")
	seen := d.look().Version
	d.write(stateFile, strings.Replace(strings.Replace(d.file(stateFile), "Phase 2: API — IN PROGRESS", "Phase 3: by hand",
		1), "- Token rotation\n", "- Token rotation\n- Added by hand\n", 1))
	got := d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
		Seen: seen, Phase: new("Phase 2: by the agent"), Next: new("by the agent"),
		Active: new([]string{"Token rotation", "by the agent"}),
	}})
	if got.Phase != "Phase 3: by hand" || got.Next != "by the agent" ||
		!slices.Equal(got.Active, []string{"Token rotation", "Added by hand", "by the agent"}) {
		t.Errorf("got phase %q, next %q, active %q", got.Phase, got.Next, got.Active)
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "by hand") ||
		!strings.Contains(d.file(stateFile), "## Not Written\n- "+d.now.UTC().Format(time.RFC3339)+
			" Current Phase: Phase 2: by the agent\n") {
		t.Errorf("notes %q, file\n%s", got.Notes, d.file(stateFile))
	}
}

func TestWhatChangedSinceAVersionThatIsNotKnownAnyMoreIsTheHands(t *testing.T) {
	d := newFixture(t, "forge")
	seen := d.look().Version
	d.write(stateFile, strings.Replace(d.file(stateFile), "Phase 2: API — IN PROGRESS", "Phase 3: by hand", 1))
	d.Files = New(d.cfg) // another worker
	got := d.change(workstate.Request{
		Op:     workstate.OpUpdate,
		Update: workstate.Update{Seen: seen, Phase: new("Phase 2: by the agent")},
	})
	if got.Phase != "Phase 3: by hand" || len(got.Notes) != 1 ||
		!strings.Contains(d.file(stateFile), "Current Phase: Phase 2: by the agent\n") {
		t.Errorf("got phase %q, notes %q, file\n%s", got.Phase, got.Notes, d.file(stateFile))
	}
	if got = d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{
		Seen:  got.Version,
		Phase: new("Phase 4"),
	}}); got.Phase != "Phase 4" {
		t.Errorf("got phase %q, which it had in view", got.Phase)
	}
}

func TestAnItemIsCompletedByWhatItIsLike(t *testing.T) {
	d := newFixture(t, "old")
	before := d.file(progressFile)
	d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "writing files",
		Action: "complete",
	}})
	day := d.now.UTC().Format(time.DateOnly)
	want := strings.Replace(strings.Replace(before,
		"- [ ] Writing of files (Jo, half done)\n  waits for the review of reading\n", "", 1),
		"- [x] Reading of files\n", "- [x] Reading of files\n- [x] Writing of files (Jo, half done) (completed "+day+
			")\n  waits for the review of reading\n", 1)
	if got := d.file(progressFile); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "bake bread",
		Action: "complete",
	}})
	if len(got.Changed) > 0 || len(got.Notes) != 1 || d.file(progressFile) != want {
		t.Errorf("got %+v", got)
	}
}

func TestAnAmbiguousItemIsReportedAndNothingChanged(t *testing.T) {
	d := newFixture(t, "forge")
	d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "Rate limiting dashboard",
		Action: "add",
	}})
	before := d.file(progressFile)
	got := d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "rate limiting",
		Action: "complete",
	}})
	if !slices.Equal(got.Candidates, []string{"Rate limiting middleware", "Rate limiting dashboard"}) ||
		d.file(progressFile) != before {
		t.Errorf("got candidates %q, file\n%s", got.Candidates, d.file(progressFile))
	}
}

func TestTasksAreAddedWhereTheyBelong(t *testing.T) {
	d := newFixture(t, "old")
	before := d.file(progressFile)
	for section, line := range map[string]string{"": "Icons", "blocked": "Notary", "Ideas": "Dark mode"} {
		d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
			Task: line, Action: "add",
			Section: section,
		}})
	}
	got := d.file(progressFile)
	for _, want := range []string{
		"- [ ] Watching of folders\n- [ ] Icons\n\n### Not Started",
		"no certificate)\n- [ ] Notary\n", "### Ideas\n- [ ] Dark mode\n\n## What's Next",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, l := range changedLines(before, got) {
		if l[0] == '-' {
			t.Errorf("lost %q", l)
		}
	}
}

func TestDecisionsAreNumberedOn(t *testing.T) {
	for fixture, want := range map[string]string{"forge": "DEC-003", "old": "DEC-003"} {
		d := newFixture(t, fixture)
		before := d.file(decisionFile)
		d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{
			Title: "Cents", Text: "Whole cents",
			Rationale: "Sums", By: "agent", Status: "Final",
		}})
		want := before + "\n## " + want + ": Cents\n- **Date:** " + d.now.UTC().Format(time.DateOnly) +
			"\n- **Decided by:** agent\n- **Status:** Final\n- **Decision:** Whole cents\n- **Rationale:** Sums\n"
		if got := d.file(decisionFile); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", fixture, got, want)
		}
	}
}

func TestATaskTakesThePlaceOfTheLineThatSaysThereIsNone(t *testing.T) {
	for _, none := range []string{"None.\n", "\nNone.\n"} {
		d := newFixture(t, "forge")
		d.write(progressFile, "# Progress\n\n### In Progress\n"+none+"\n## What's Next\n")
		d.change(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{Task: "Icons", Action: "add"}})
		want := "# Progress\n\n### In Progress\n" + strings.Replace(none, "None.", "- [ ] Icons", 1) + "\n## What's Next\n"
		if got := d.file(progressFile); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// TestANumberThatNothingComesAfterIsNotCountedOn: a hand may write any number.
func TestANumberThatNothingComesAfterIsNotCountedOn(t *testing.T) {
	for _, number := range []string{"9223372036854775807", "99999999999999999999"} {
		d := newFixture(t, "forge")
		d.write(logFile, "# Session Log\n\n## Session "+number+
			" — 2026-01-01\n\n## Session 4 — 2026-01-01\n\n## Archived Sessions\n- Session "+number+" — 2025-01-01: built\n")
		d.write(decisionFile, "# Decision Log\n\n## DEC-"+number+": Units\n\n## DEC-004: Prices\n\n## Old\n"+number+
			". **Sums**\n\n## Archived Decisions\n- DEC-"+number+": Taxes\n")
		d.change(workstate.Request{Op: workstate.OpSession, Session: workstate.Session{Summary: "Go on"}})
		d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{Title: "Go on"}})
		if got := d.file(logFile); !strings.Contains(got, "\n## Session 5 — ") {
			t.Errorf("got\n%s\nwant session 5", got)
		}
		if got := d.file(decisionFile); !strings.Contains(got, "\n## DEC-005: Go on\n") {
			t.Errorf("got\n%s\nwant decision 5", got)
		}
	}
}

func TestASessionIsWrittenDownAtTheEnd(t *testing.T) {
	d := newFixture(t, "forge")
	before := d.file(logFile)
	got := d.change(workstate.Request{Op: workstate.OpSession, Session: workstate.Session{
		Summary:   "Users are done",
		Completed: []string{"GET", "PATCH"}, Next: []string{"Rate limits"},
	}})
	want := before + "\n## Session 3 — " + d.now.UTC().Format(time.DateOnly) +
		"\n- **Summary:** Users are done\n- **Completed:** GET; PATCH\n- **Next session:** Rate limits\n"
	if d.file(logFile) != want || got.Sessions[2].Summary != "Users are done" {
		t.Errorf("got\n%s", d.file(logFile))
	}
}

func TestCodeAndCommentsAreNoHeadings(t *testing.T) {
	d := newFixture(t, "")
	d.write(stateFile, "# S\n\n```md\n## Current Phase\nnot this\n```\n\n## Current Phase\n\n\nthis\n\n## Next "+
		"Action\n\n\n\ntoo far below\n")
	if m := d.look(); m.Phase != "this" || m.Next != "" {
		t.Errorf("got phase %q, next %q", m.Phase, m.Next)
	}
	d.write(progressFile, "### In Progress\n\n```\n- [ ] an example\n```\n- [ ] work\n")
	if m := d.look(); len(m.Progress) != 1 || m.Progress[0].Text != "work" {
		t.Errorf("got %+v", m.Progress)
	}
}

func TestCodeWithinALineHidesNothing(t *testing.T) {
	d := newFixture(t, "")
	d.write(stateFile, "# Project State\n\n```make test``` comes first\n\n## Current Phase\nOkapi\n")
	if got := d.look().Phase; got != "Okapi" {
		t.Errorf("phase %q, want Okapi", got)
	}
}

func TestAListIsWrittenBehindThePersonsWords(t *testing.T) {
	d := newFixture(t, "")
	d.write(stateFile, "# Project State\n\n## Active Work\nThe parser,\nand then the lexer.\n")
	d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Active: &[]string{"Tests"}}})
	if got := d.file(stateFile); !strings.Contains(got, "The parser,\nand then the lexer.\n- Tests\n") {
		t.Errorf("got\n%s", got)
	}
}

// A list of very many entries is merged at one look at each.
func TestMergingManyEntriesCostsWhatTheyAreLong(t *testing.T) {
	d := newFixture(t, "")
	var entries strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&entries, "- entry %d\n", i)
	}
	d.write(stateFile, "# Project State\n\n## Active Work\n"+entries.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Active: &[]string{"Entry 7", "new"}}})
	runtime.ReadMemStats(&after)
	if got := d.file(stateFile); !strings.Contains(got, "## Active Work\n- entry 7\n- new\n") {
		t.Errorf("got\n%.200s", got)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 50<<20 {
		t.Errorf("%d bytes of memory", used)
	}
}

func TestUntrustedFilesAreNeitherReadNorWritten(t *testing.T) {
	d := newFixture(t, "forge")
	d.ok = false
	if m := d.look(); !m.Present || m.Trusted || m.Phase != "" || m.Parts != nil {
		t.Errorf("got %+v", m)
	}
	if _, err := d.Change(context.Background(), d.p, workstate.Request{
		Op:     workstate.OpUpdate,
		Update: workstate.Update{Phase: new("x")},
	}); err == nil {
		t.Error("written all the same")
	}
	before := tree(t, d.p.Root)
	d.note(workstate.Notes{
		TurnEnded: true, Files: []string{"a.go"}, Compaction: "auto", EndReason: "clear",
		Agents: []string{"x"},
	})
	if after := tree(t, d.p.Root); after != before {
		t.Errorf("got\n%s\nwant\n%s", after, before)
	}
}

// tree is every file below dir and what it holds.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(p string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, _ := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		out.WriteString(rel + "\n" + string(b) + "\x00\n")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Clones that merged each other's decisions in another order give them the same names.
func TestDecisionsGetTheSameNamesWhateverTheOrderOfAMerge(t *testing.T) {
	named := func(blocks ...string) map[string]string {
		t.Helper()
		d := newFixture(t, "")
		if _, err := Init(d.p.Root, "example", "mark"); err != nil {
			t.Fatal(err)
		}
		d.write(decisionFile, "# Decision Log\n\n"+strings.Join(blocks, "\n"))
		d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{Title: "Next", Status: "Final"}})
		out := map[string]string{}
		for _, x := range d.look().Decisions {
			out[x.Title] = x.ID
		}
		return out
	}
	const lamps = "## DEC-002: Lamps\n- **Date:** 2026-11-02\n- **Decision:** green\n"
	const ropes = "## DEC-002: Ropes\n- **Date:** 2026-11-02\n- **Decision:** hemp\n"
	const older = "## DEC-002: Sails\n- **Date:** 2026-11-01\n- **Decision:** linen\n"
	one, two := named(lamps, ropes, older), named(older, ropes, lamps)
	if !maps.Equal(one, two) || one["Sails"] != "DEC-002" || one["Lamps"] == one["Ropes"] || one["Next"] != "DEC-003" {
		t.Errorf("got %v and %v, want the same, and the oldest with the number", one, two)
	}
}

// Two branches, or two clones of one, count on from the same number. git merges the decisions of both whole, and they
// get two names: on branches at once, on clones with the next decision.
func TestDecisionsMadeInTwoPlacesDoNotCollide(t *testing.T) {
	t.Run("branches", func(t *testing.T) { decidedTwice(t, "one", "two") })
	t.Run("clones", func(t *testing.T) { decidedTwice(t, "main", "main") })
}

// decidedTwice makes a decision in each of two places that do not know each other, on branches of these names, merges
// them and adds a third.
func decidedTwice(t *testing.T, branches ...string) {
	t.Helper()
	d := &fixture{t: t, p: mem.Project{Key: "p_desk", Root: t.TempDir()}, now: time.Now().Truncate(time.Second), ok: true}
	d.Files = New(Config{Trusted: func(mem.Project) bool { return d.ok }, Now: func() time.Time { return d.now }})
	git := func(args ...string) {
		t.Helper()
		who := []string{"-C", d.p.Root, "-c", "user.name=x", "-c", "user.email=x@x.example"}
		cmd := exec.Command("git", append(who, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	if _, err := Init(d.p.Root, "example", "mark"); err != nil {
		t.Fatal(err)
	}
	git("add", "-A")
	git("commit", "-q", "-m", "x")
	for i, place := range []string{"one", "two"} {
		git("checkout", "-q", "-b", place, "main")
		d.p.Branch = branches[i]
		d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{
			Title: "Of " + place, Text: "As " + place + " has it", By: "agent", Status: "Final",
		}})
		git("commit", "-q", "-a", "-m", place)
	}
	git("merge", "-q", "one", "-m", "both")
	d.p.Branch = "main"
	d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{Title: "Next", Status: "Final"}})
	if got := d.file(decisionFile); !strings.Contains(got, "\n## DEC-003: Next\n") {
		t.Errorf("got\n%s\nwant it to count on from both", got)
	}
	ids := map[string]string{}
	m, err := d.Look(d.p)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Decisions {
		ids[x.ID] = x.Title
		if whole := x.Status == "Final" && x.By == "agent" && strings.HasPrefix(x.Text, "As "); !whole &&
			strings.HasPrefix(x.Title, "Of ") {
			t.Errorf("merged as %+v", x)
		}
	}
	if len(ids) != len(m.Decisions) || !slices.Contains(slices.Collect(maps.Values(ids)), "Of one") ||
		!slices.Contains(slices.Collect(maps.Values(ids)), "Of two") {
		t.Errorf("got %v in\n%s", ids, d.file(decisionFile))
	}
}
