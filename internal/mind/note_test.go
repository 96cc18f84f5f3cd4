package mind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/workstate"
)

func TestWhatHappenedIsTrackedOnceHoweverOftenItIsReported(t *testing.T) {
	d := newFixture(t, "forge")
	at := d.now.UTC().Format(time.RFC3339)
	n := workstate.Notes{
		At: d.now, TurnEnded: true, Files: []string{"a.go", "a.go", "b/c.go", ".mind/STATE.md"},
		Agents: []string{"[" + at + "] STARTED: explore (a1)"},
		Tasks:  []string{"[" + at + "] COMPLETED: #3 — Token rotation (by: self)"}, Done: []string{"Token rotation"},
	}
	d.note(n)
	n.At = d.now.Add(20 * time.Second)
	// in another form too
	n.Tasks = []string{"[" + n.At.UTC().Format(time.RFC3339) + "] COMPLETED: #3 — Token rotation (by: self)"}
	d.note(n)
	for name, want := range map[string]string{
		activityFile: n.At.UTC().Format(time.RFC3339) + "\n",
		trackerFile:  "# files changed in this session\na.go\nb/c.go\n",
		agentsFile:   "[" + at + "] STARTED: explore (a1)\n",
		tasksFile:    "[" + at + "] COMPLETED: #3 — Token rotation (by: self)\n",
	} {
		if got := d.file(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := d.file(progressFile); strings.Count(got, "Token rotation") != 1 ||
		!strings.Contains(got, "- [x] Token rotation (access and refresh) (completed ") {
		t.Errorf("got\n%s", got)
	}
}

func TestTrackingFilesAreCutWhenTheyHaveGrown(t *testing.T) {
	d := newFixture(t, "forge")
	for i := range 250 {
		d.note(workstate.Notes{Agents: []string{fmt.Sprintf("line %d", i)}})
	}
	lines := strings.Split(strings.TrimSpace(d.file(agentsFile)), "\n")
	if len(lines) > 200 || lines[len(lines)-1] != "line 249" {
		t.Errorf("got %d lines, the last is %q", len(lines), lines[len(lines)-1])
	}
	if len(lines) != 149 { // 201 were cut to 100, then 49 came
		t.Errorf("got %d lines, want them cut to 100 once", len(lines))
	}
}

func TestATrackingFileOfAnySizeKeepsItsEnd(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(agentsFile, strings.Repeat("an agent of long ago\n", maxTracking/10)+"the last one\n")
	d.note(workstate.Notes{Agents: []string{"a new one"}})
	lines := strings.Split(strings.TrimSpace(d.file(agentsFile)), "\n")
	if len(lines) != 100 || lines[98] != "the last one" || lines[99] != "a new one" {
		t.Errorf("got %d lines, the last are %q", len(lines), lines[max(0, len(lines)-2):])
	}
}

func TestTheLogOfErrorsIsCutWhenItHasGrown(t *testing.T) {
	d := newFixture(t, "forge")
	var all strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&all, "[2026-05-01] error %d: %s\n", i, strings.Repeat("x", 10))
	}
	small := all.String()[:grownErrors-50]
	d.write(errorsFile, small)
	d.note(workstate.Notes{EndReason: "exit"})
	if got := d.file(errorsFile); got != small {
		t.Errorf("%d bytes of %d are left of a log that has not grown", len(got), len(small))
	}
	d.write(errorsFile, all.String())
	d.note(workstate.Notes{EndReason: "exit"})
	lines := strings.Split(strings.TrimSpace(d.file(errorsFile)), "\n")
	if len(lines) != 500 || !strings.Contains(lines[0], "error 2500:") || !strings.Contains(lines[499], "error 2999:") {
		t.Errorf("got %d lines, from %q to %q", len(lines), lines[0], lines[len(lines)-1])
	}
	long := strings.Repeat(strings.Repeat("y", 999)+"\n", 300)
	d.write(errorsFile, long)
	d.note(workstate.Notes{EndReason: "exit"})
	if got := d.file(errorsFile); got != long {
		t.Errorf("%d bytes of %d are left of 300 lines", len(got), len(long))
	}
}

func TestACheckpointHoldsTheStateUnderItsHeadings(t *testing.T) {
	d := newFixture(t, "forge")
	d.note(workstate.Notes{Compaction: "auto"})
	at := d.now.UTC().Format(time.RFC3339)
	got := d.file(latestFile)
	if !strings.HasPrefix(got, "# Pre-Compaction Checkpoint\n## Timestamp: "+at+
		"\n## Trigger: auto\n\n## State at Compaction\n# Project State\n") {
		t.Errorf("got\n%s", got)
	}
	for _, want := range []string{
		"\n\n## In-Progress Work\n- [ ] GET /api/users/:id",
		"- [ ] Container image\n\n## Recovery Instructions\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	stamped := checkpointDir + "/compact-" + strings.ReplaceAll(at, ":", "-") + ".md"
	if d.file(stamped) != got {
		t.Errorf("the stamped copy is another:\n%s", d.file(stamped))
	}
}

func TestCheckpointsAreKeptApartAndNotWithoutEnd(t *testing.T) {
	d := newFixture(t, "forge")
	begun := d.now
	for i := range 14 {
		d.now = begun.Add(time.Duration(i) * 10 * time.Second)
		d.note(workstate.Notes{Compaction: "manual"})
		d.now = d.now.Add(2 * time.Second) // a moment later, again
		d.note(workstate.Notes{Compaction: "manual"})
	}
	list, err := os.ReadDir(d.path(checkpointDir))
	if err != nil || len(list) != 11 { // and the latest
		t.Fatalf("got %d files, %v; want 10 stamped ones", len(list), err)
	}
	oldest := "compact-" + strings.ReplaceAll(begun.Add(40*time.Second).UTC().Format(time.RFC3339), ":", "-") + ".md"
	if list[0].Name() != oldest {
		t.Errorf("the oldest kept is %s, want %s", list[0].Name(), oldest)
	}
	if !strings.Contains(d.file(latestFile), d.now.UTC().Format(time.RFC3339)) {
		t.Error("the latest is not of the last compaction")
	}
}

func TestTheDerivedStateIsSavedWhereStateIsUnreadable(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(stateFile, "bin\x00ary")
	d.note(workstate.Notes{Compaction: "auto", Derived: "- last request: fix the till\n"})
	if got := d.file(latestFile); !strings.Contains(got, "## State at Compaction\n- last request: fix the till\n") {
		t.Errorf("got\n%s", got)
	}
}

// old makes a file look as if it had been written a while ago.
func (d *fixture) old(name string, ago time.Duration) {
	d.t.Helper()
	at := d.now.Add(-ago)
	if err := os.Chtimes(d.path(name), at, at); err != nil {
		d.t.Fatal(err)
	}
}

func TestASessionWithoutAnEntryGetsOne(t *testing.T) {
	d := newFixture(t, "forge")
	before := d.file(logFile)
	d.old(logFile, time.Hour)
	d.old(stateFile, time.Hour)
	var files []string
	for i := range 17 {
		files = append(files, fmt.Sprintf("src/%02d.go", i))
	}
	end := workstate.Notes{At: d.now, EndReason: "prompt_input_exit", Files: files}
	d.note(end)
	day := d.now.UTC().Format(time.DateOnly)
	want := before + "\n## Session 3 — " + day +
		" (auto-captured)\n- **Reason ended:** prompt_input_exit\n- **Files changed:** 17\n  - src/00.go\n"
	if got := d.file(logFile); !strings.HasPrefix(got, want) ||
		!strings.Contains(got, "  - src/14.go\n  - … and 2 more\n- **Note:** written automatically") {
		t.Errorf("got\n%s", got)
	}
	if got := d.file(sessionsFile); got != "Session ended: "+d.now.UTC().Format(time.RFC3339)+
		" (reason: prompt_input_exit)\n" {
		t.Errorf("got %q", got)
	}
	if _, err := os.Stat(d.path(trackerFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the list of files is still there: %v", err)
	}
	if got := d.file(endFile); !strings.HasPrefix(got, "# Session End Checkpoint\n## Timestamp: ") ||
		!strings.Contains(got, "## Reason: prompt_input_exit\n## Note: "+staleNote+"\n\n## State at End\n# Project State\n") {
		t.Errorf("got\n%s", got)
	}
	if !d.Forgotten(d.p) {
		t.Error("it is not reported that the state was left as it was")
	}
	after := d.file(logFile)
	d.note(end) // the job is done again
	if got := d.file(logFile); got != after {
		t.Errorf("written down twice:\n%s", got)
	}
	d.change(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Next: new("x")}})
	d.note(workstate.Notes{EndReason: "clear", Files: []string{"a.go"}})
	if d.Forgotten(d.p) {
		t.Error("the state was brought up to date, and it is injected that it was not")
	}
}

func TestASessionWithAnEntryGetsNoSecondOne(t *testing.T) {
	for name, prepare := range map[string]func(*fixture) workstate.Notes{
		"written just now": func(*fixture) workstate.Notes { return workstate.Notes{Files: []string{"a.go"}} },
		"nothing changed":  func(d *fixture) workstate.Notes { d.old(logFile, time.Hour); return workstate.Notes{} },
	} {
		d := newFixture(t, "forge")
		before := d.file(logFile)
		n := prepare(d)
		n.EndReason = "other"
		d.note(n)
		if got := d.file(logFile); got != before {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
}

func TestSessionsOwnEntryIsNotRepeatedBesideItsSummary(t *testing.T) {
	d := newFixture(t, "forge")
	d.old(logFile, time.Hour)
	d.note(workstate.Notes{EndReason: "other", Files: []string{"okapi.go"}})
	for _, l := range d.look().Log {
		if strings.Contains(l, "okapi") || strings.Contains(l, "auto-captured") {
			t.Errorf("injected: %q", l)
		}
	}
}

func TestCompressionKeepsTheNewestWholeAndACopyOfBefore(t *testing.T) {
	d := newFixture(t, "")
	d.write(stateFile, "# Project State\n\n## Current Phase\nx\n")
	log, decided := "# Session Log\n\nIntro by hand.\n", "# Decision Log\n"
	for i := 1; i <= 8; i++ {
		log += fmt.Sprintf("\n## Session %d — 2026-01-%02d\n- **Summary:** did %d\n", i, i, i)
	}
	for i := 1; i <= 12; i++ {
		decided += fmt.Sprintf("\n## DEC-%03d: title %d\n- **Decision:** do %d\n- **Rationale:** because %d\n- "+
			"**Status:** Final\n", i, i, i, i)
	}
	progress := "# Progress Tracker\n\n### Completed\n- [x] Old (completed 2025-01-01)\n  with a note\n- [x] New " +
		"(completed " + d.now.UTC().Format(time.DateOnly) + ")\n- [x] Undated\n\n### In Progress\n- [ ] Now (2025-01-01)\n"
	d.write(logFile, log)
	d.write(decisionFile, decided)
	d.write(progressFile, progress)
	kept := []string{"a" + backupEnd, "b" + backupEnd, "c" + backupEnd, "d" + backupEnd}
	for _, name := range append(kept, lockName) {
		d.write(name, "of another")
	}
	before := tree(t, d.p.Root)
	ended, end := context.WithCancel(t.Context())
	end() // who would wait for the lock gives up
	dry, err := d.Compress(ended, d.p, true)
	if err != nil || dry.Sessions != 3 || dry.Decisions != 2 || dry.Tasks != 1 || tree(t, d.p.Root) != before {
		t.Fatalf("got %+v, %v", dry, err)
	}
	for _, name := range append(kept, lockName) {
		if err := os.Remove(d.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	done, err := d.Compress(t.Context(), d.p, false)
	if err != nil || len(done.Backups) != 3 || done.After >= done.Before || done.After != dry.After {
		t.Fatalf("got %+v, %v", done, err)
	}
	for name, want := range map[string]string{logFile: log, decisionFile: decided, progressFile: progress} {
		if got := d.file(name + backupEnd); got != want {
			t.Errorf("copy of %s: got\n%s", name, got)
		}
	}
	if got, want := d.file(logFile), "# Session Log\n\nIntro by hand.\n\n## Archived Sessions\n- Session 1 — "+
		"2026-01-01: did 1\n- Session 2 — 2026-01-02: did 2\n- Session 3 — 2026-01-03: did 3\n\n## Session 4 — "+
		"2026-01-04\n"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if got, want := d.file(decisionFile), "# Decision Log\n\n## Archived Decisions\n- DEC-001: title 1: do 1 [Final]\n "+
		" Why: because 1\n- DEC-002"; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s", got)
	}
	if got := d.file(progressFile); got != strings.Replace(progress, "- [x] Old (completed 2025-01-01)\n  with a note\n",
		"", 1) {
		t.Errorf("got\n%s", got)
	}
	archived := d.file(archiveFile)
	if want := "# Archive\n\n## Session 1 — 2026-01-01\n- **Summary:** did 1\n\n## Session 2 — 2026-01-02\n- " +
		"**Summary:** did 2\n\n## Session 3 — 2026-01-03\n- **Summary:** did 3\n\n## DEC-001: title 1\n- **Decision:** do " +
		"1\n- **Rationale:** because 1\n- **Status:** Final\n\n## DEC-002: title 2\n- **Decision:** do 2\n- **Rationale:** " +
		"because 2\n- **Status:** Final\n\n## Completed tasks, archived " + d.now.UTC().Format(time.DateOnly) +
		"\n- [x] Old (completed 2025-01-01)\n  with a note\n"; archived != want {
		t.Errorf("got\n%s", archived)
	}
	d.write(logFile, log) // as if it had been stopped before it wrote the file
	if again, err := d.Compress(t.Context(), d.p, false); err != nil || again.Sessions != 3 ||
		d.file(archiveFile) != archived {
		t.Errorf("once more: %+v, %v\n%s", again, err, d.file(archiveFile))
	}
	d.change(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{
		Title: "t", Text: "d",
		Status: "Final",
	}})
	d.change(workstate.Request{Op: workstate.OpSession, Session: workstate.Session{Summary: "s"}})
	if !strings.Contains(d.file(decisionFile), "## DEC-013: t\n") ||
		!strings.Contains(d.file(logFile), "## Session 9 — ") {
		t.Error("the numbers do not go on")
	}
	again, err := d.Compress(t.Context(), d.p, false)
	if err != nil || again.Sessions != 1 || again.Decisions != 1 ||
		strings.Count(d.file(logFile), "## Archived Sessions") != 1 {
		t.Errorf("again: got %+v, %v\n%s", again, err, d.file(logFile))
	}
}

func TestCompressionTakesNoLineOfAnotherEntry(t *testing.T) {
	d := newFixture(t, "")
	d.write(stateFile, "# Project State\n")
	log, decided := "# Session Log\n", "# Decision Log\n"
	for i := 1; i <= 12; i++ {
		log += fmt.Sprintf("\n## Session %d — 2026-01-%02d\n- **Summary:** did %d.\n", i, i, i)
		decided += fmt.Sprintf("\n## DEC-%03d: title %d\n- **Decision:** do %d.\n", i, i, i)
		if i == 1 {
			log += "\n### Session 1 in detail\nmore\n"
			decided += "\n### Decision 1 in detail\nmore\n"
		}
	}
	d.write(logFile, log)
	d.write(decisionFile, decided)
	if _, err := d.Compress(t.Context(), d.p, false); err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 12; i++ {
		if !strings.Contains(d.file(logFile), fmt.Sprintf("did %d.", i)) ||
			!strings.Contains(d.file(decisionFile), fmt.Sprintf("do %d.", i)) {
			t.Errorf("entry %d is lost:\n%s\n%s", i, d.file(logFile), d.file(decisionFile))
		}
	}
	all := strings.Join([]string{d.file(archiveFile), d.file(logFile), d.file(decisionFile)}, "\n")
	for line := range strings.Lines(log + decided) {
		if !strings.Contains(all, line) {
			t.Errorf("%q is lost:\n%s", line, all)
		}
	}
}

// A file of very many tasks is put together once, not anew for each.
func TestMovingManyTasksCostsWhatTheyAreLong(t *testing.T) {
	before := parse([]byte("# P\n" + strings.Repeat("- [x] a (completed 2020-01-01)\n- [ ] b\n", 4000)))
	var from, to runtime.MemStats
	runtime.ReadMemStats(&from)
	lines, n := before.takeOld(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	runtime.ReadMemStats(&to)
	if n != 4000 || len(lines) != n || before.String() != "# P\n"+strings.Repeat("- [ ] b\n", n) {
		t.Errorf("%d tasks, %d lines", n, len(lines))
	}
	if used := to.TotalAlloc - from.TotalAlloc; used > 50<<20 {
		t.Errorf("%d bytes of memory", used)
	}
}

func TestWhatAKilledWriteLeftIsTakenAwayAtTheEnd(t *testing.T) {
	d := newFixture(t, "forge")
	for name, ago := range map[string]time.Duration{
		".STATE.md.0123456789ab.tmp": 31 * time.Second, checkpointDir + "/.latest.md.0123456789ab.tmp": time.Hour,
		".STATE.md.ba9876543210.tmp": time.Second, ".mine.tmp": time.Hour, "STATE.md.0123456789ab.tmp": time.Hour,
		".tmp": time.Hour,
	} {
		d.write(name, "half")
		d.old(name, ago)
	}
	d.note(workstate.Notes{EndReason: "clear"})
	var left []string
	for _, dir := range []string{"", checkpointDir} {
		found, _ := filepath.Glob(d.path(filepath.Join(dir, "*.tmp")))
		for _, path := range found {
			left = append(left, filepath.Base(path))
		}
	}
	slices.Sort(left)
	if want := []string{
		".STATE.md.ba9876543210.tmp", ".mine.tmp", ".tmp",
		"STATE.md.0123456789ab.tmp",
	}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

func TestEveryTemplateIsWhatIsRead(t *testing.T) {
	for _, name := range Templates() {
		d := newFixture(t, "")
		made, err := Init(d.p.Root, name, "mark")
		if err != nil || len(made) != 6 {
			t.Fatalf("%s: %q, %v", name, made, err)
		}
		m := d.look()
		if len(m.Warnings) > 0 || name != "default" && (m.Phase == "" || m.Next == "" || len(m.Work) == 0) ||
			name == "default" && m.Phase+m.Next != "" {
			t.Errorf("%s: got phase %q, next %q, work %+v, warnings %q", name, m.Phase, m.Next, m.Work, m.Warnings)
		}
		d.write(stateFile, "mine")
		if made, err = Init(d.p.Root, name, "another"); err != nil || len(made) != 0 || Origin(d.p.Root) != "mark" ||
			d.file(stateFile) != "mine" {
			t.Errorf("%s again: %q, %v", name, made, err)
		}
	}
	if _, err := Init(t.TempDir(), "opera", ""); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v", err)
	}
}

func TestAProjectsOwnLimitsCountAndMistakesInThemAreNamed(t *testing.T) {
	d := newFixture(t, "forge")
	conf := filepath.Join(d.p.Root, limitsFile)
	if err := os.WriteFile(conf, []byte(`{"briefingRecentDecisions": 1, "sessionLogTailLines": 2, "keepSessionFull": `+
		`3, "staleWarningSeconds": "soon", "maxCheckpointFiles": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m := d.look()
	if len(m.Decided) != 1 || len(m.Log) != 2 || m.StaleAfter != 30*time.Minute {
		t.Errorf("got %d decisions, %d lines, stale after %v", len(m.Decided), len(m.Log), m.StaleAfter)
	}
	if len(m.Warnings) != 3 || !strings.Contains(m.Warnings[2], `unknown key "keepSessionFull"`) {
		t.Errorf("got %q", m.Warnings)
	}
	if err := os.WriteFile(conf, []byte(`{broken`), 0o600); err != nil {
		t.Fatal(err)
	}
	if m = d.look(); len(m.Decided) != 2 || len(m.Warnings) != 1 {
		t.Errorf("got %d decisions, warnings %q", len(m.Decided), m.Warnings)
	}
}

func TestThePersonsLimitsCountAtOnce(t *testing.T) {
	d := newFixture(t, "forge")
	if n := len(d.look().Decided); n != 2 {
		t.Fatalf("%d decisions", n)
	}
	d.Files.cfg.Limits = func() workstate.Limits { return workstate.Limits{RecentDecisions: 1} }
	if n := len(d.look().Decided); n != 1 {
		t.Errorf("%d decisions, want 1", n)
	}
}

func TestNoLinesIsNoneForEveryFile(t *testing.T) {
	for by, set := range map[string]func(d *fixture){
		"the person": func(d *fixture) {
			l := workstate.DefaultLimits()
			l.RecentDecisions, l.LogTail, l.ProgressLines = 0, 0, 0
			d.Files.cfg.Limits = func() workstate.Limits { return l }
		},
		"the project": func(d *fixture) {
			own := `{"briefingRecentDecisions": 0, "sessionLogTailLines": 0, "briefingMaxProgressLines": 0}`
			if err := os.WriteFile(filepath.Join(d.p.Root, limitsFile), []byte(own), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		d := newFixture(t, "forge")
		if m := d.look(); len(m.Decided) == 0 || len(m.Log) == 0 || len(m.Work) == 0 {
			t.Fatalf("nothing is injected in any case: %+v", m)
		}
		set(d)
		if m := d.look(); len(m.Decided)+len(m.Log)+len(m.Work) > 0 || len(m.Warnings) > 0 {
			t.Errorf("%s: %d decisions, %d lines of the log, %d of progress, warnings %q", by, len(m.Decided), len(m.Log),
				len(m.Work), m.Warnings)
		}
	}
}

func TestUnchangedFilesAreNotReadAgain(t *testing.T) {
	d := newFixture(t, "forge")
	reads := 0
	d.Files.cfg.Redact = func(s string) string { reads++; return s }
	first := d.look()
	n := reads
	if second := d.look(); reads != n || second.Stamp != first.Stamp {
		t.Errorf("read %d times", reads-n)
	}
	d.write(progressFile, "# Progress Tracker\n")
	if third := d.look(); reads == n || third.Stamp == first.Stamp || third.Indexed {
		t.Error("a change was not seen")
	}
	d.note(workstate.Notes{Indexed: d.look().Stamp})
	if !d.look().Indexed {
		t.Error("it was taken in, and is not known to be")
	}
}

func TestPartsAreFoundByFileAndHeading(t *testing.T) {
	m := newFixture(t, "forge").look()
	i := slices.IndexFunc(m.Parts, func(p workstate.Part) bool {
		return p.Key == "DECISIONS.md#DEC-001: PostgreSQL, not SQLite"
	})
	if i < 0 || m.Parts[i].Kind != mem.Decision || m.Parts[i].Title != "PostgreSQL, not SQLite" ||
		!strings.Contains(m.Parts[i].Body, "Several instances") {
		t.Errorf("got %+v", m.Parts)
	}
	if i := slices.IndexFunc(m.Parts, func(p workstate.Part) bool {
		return p.Key == "STATE.md#Team Notes"
	}); i < 0 || m.Parts[i].Title != "Team Notes: Ask Ines before touching the schema." || m.Parts[i].Body != "" {
		t.Errorf("got %+v", m.Parts)
	}
	if i := slices.IndexFunc(m.Parts, func(p workstate.Part) bool {
		return p.Key == "PROGRESS.md#Not Started"
	}); i < 0 || m.Parts[i].Title != "Not Started: OpenAPI document" || m.Parts[i].Body != "- [ ] Container image" {
		t.Errorf("a piece says its first line twice, or as it is marked: %+v", m.Parts)
	}
}

func TestAListedDecisionIsOnePiece(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(decisionFile, "# Decision Log\n\n1. **Use postgres** - it is there\n2. Use tabs\n")
	n := 0
	for _, p := range d.look().Parts {
		if strings.Contains(p.Title+p.Body, "postgres") {
			n++
		}
	}
	if n != 1 {
		t.Errorf("it is %d pieces, want 1", n)
	}
}

func TestWhatWasDecidedAgainstIsNoDecision(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(decisionFile, "# Decision Log\n\n## DEC-001: SQLite\n- **Decision:** one file\n\n### Not taken\n1. "+
		"**Postgres** - a server\n\n## Older\n1. **Tabs** - in code\n")
	var got []string
	for _, s := range d.look().Decisions {
		got = append(got, s.Title)
	}
	if want := []string{"SQLite", "Tabs"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOnlySoManyListedDecisionsArePieces(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(decisionFile, strings.Repeat("# x\n1. **Use tabs** - everywhere\n", 3*maxParts))
	if n := len(d.look().Parts); n > 2*maxParts {
		t.Errorf("they are %d pieces", n)
	}
}
