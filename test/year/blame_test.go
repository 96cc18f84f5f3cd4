package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/gitblame"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/redact"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/views"
)

// history is a repository of git that sessions and a person write, and who wrote each line by construction.
type history struct {
	*testing.T
	engine *engine.Engine
	root   string
	name   string // of the file
	clock  time.Time
	random *rand.Rand
	events int
	lines  []authored
	// session is the number of the running session, from 1; 0 is the person, of whose edits no hook reports.
	session int
}

// authored is a line of the file.
type authored struct {
	text    string
	session int  // that wrote it
	by      bool // a command wrote it, and no edit
}

func newHistory(t *testing.T, seed uint64) *history {
	t.Helper()
	h := &history{
		T: t, root: filepath.Join(t.TempDir(), "shop"), name: "store.go",
		clock: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC), random: rand.New(rand.NewPCG(seed, 2)),
	}
	now := func() time.Time { return h.clock }
	h.engine = engine.New(engine.Config{
		Store: sqlitetest.Open(t, now), Redactor: &redact.Redactor{Key: []byte("k")}, Now: now, Secret: []byte("secret"),
		Slack: time.Minute, Settings: func() event.Settings { return event.Defaults(event.Lean) },
		Project: project.Identify, Rel: project.Rel, Commits: project.Commits,
	})
	if err := os.Mkdir(h.root, 0o700); err != nil {
		t.Fatal(err)
	}
	h.git("init", "-q", "-b", "main")
	h.write(60, false)
	h.commit("begin")
	return h
}

func (h *history) git(args ...string) string {
	h.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.root
	at := h.clock.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@example.org", "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at, "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return string(out)
}

// give gives an event of the running session to the engine.
func (h *history) give(e mem.Event) {
	h.Helper()
	h.events++
	h.clock = h.clock.Add(time.Second)
	if h.session == 0 {
		return
	}
	e.Agent, e.At, e.Root = "claude-code", h.clock, h.root
	e.Session, e.PromptID = fmt.Sprint("session-", h.session), fmt.Sprint("prompt-", h.session)
	e.Identify(fmt.Sprint("event-", h.events))
	if _, err := h.engine.Handle(h.Context(), e); err != nil {
		h.Fatal(err)
	}
}

func (h *history) tool(name string, input map[string]string, response any) {
	h.Helper()
	in, err1 := json.Marshal(input)
	out, err2 := json.Marshal(response)
	if err1 != nil || err2 != nil {
		h.Fatal(err1, err2)
	}
	h.give(mem.Event{
		Kind: mem.PostToolUse, Tool: name, ToolUseID: fmt.Sprint("t", h.events), Input: in, Response: out,
	})
}

// write replaces up to three lines at a random place by so many new ones: by an edit, or by a command that no edit
// explains.
func (h *history) write(n int, byCommand bool) {
	h.Helper()
	at, cut := 0, 0
	if len(h.lines) > 4 {
		at, cut = h.random.IntN(len(h.lines)-4), h.random.IntN(4)
	}
	var added []authored
	for range n {
		text := fmt.Sprintf("\tvalue%d := compute(%d)", h.random.Uint64(), h.random.IntN(40))
		switch h.random.IntN(12) {
		case 0:
			text = "\t}"
		case 1:
			text = "\t\treturn err"
		}
		added = append(added, authored{text, h.session, byCommand})
	}
	before := textOf(h.lines[at : at+cut])
	h.lines = append(h.lines[:at:at], append(added, h.lines[at+cut:]...)...)
	file := filepath.Join(h.root, h.name)
	if err := os.WriteFile(file, []byte(textOf(h.lines)), 0o600); err != nil {
		h.Fatal(err)
	}
	if byCommand {
		h.tool("Bash", map[string]string{"command": "go generate ./..."}, map[string]string{"stdout": ""})
		return
	}
	if h.session%5 == 0 { // the whole file, with what the person typed meanwhile
		patch := []map[string][]string{{"lines": append(signed("-", before), signed("+", textOf(added))...)}}
		h.tool("Write", map[string]string{"file_path": file, "content": textOf(h.lines)},
			map[string]any{"type": "update", "structuredPatch": patch})
		return
	}
	h.tool("Edit", map[string]string{"file_path": file, "old_string": before, "new_string": textOf(added)}, nil)
}

// signed returns the lines of a text with a sign, as a patch has them.
func signed(sign, text string) (out []string) {
	for line := range strings.Lines(text) {
		out = append(out, sign+strings.TrimSuffix(line, "\n"))
	}
	return out
}

func textOf(lines []authored) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// commit commits everything; the session gets git's report.
func (h *history) commit(subject string, args ...string) {
	h.Helper()
	h.clock = h.clock.Add(time.Minute)
	h.git("add", "-A")
	out := h.git(append([]string{"commit", "--allow-empty", "-m", subject}, args...)...)
	h.tool("Bash", map[string]string{"command": "git commit -m '" + subject + "'"}, map[string]string{"stdout": out})
	h.clock = h.clock.Add(time.Hour)
}

// turn plays a session of one turn; by the person if n is 0.
func (h *history) turn(n int, work func()) {
	h.Helper()
	h.session = n
	h.give(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	h.give(mem.Event{Kind: mem.UserPromptSubmit, Text: fmt.Sprint("work on part ", n)})
	work()
	h.give(mem.Event{Kind: mem.Stop, Text: "Done."})
	h.session = 0
}

// Two hundred commits by sessions and by a person, of which some are amended, the file is renamed, the branch rebased
// and its end squashed: at least 98 of 100 lines are traced to the session that wrote them, and those of the person to
// none, also if a session commits them or writes the whole file. Of the lines that only a commit explains, those in the
// squash belong to who made that.
func TestLinesAreTracedToTheirSessionThroughRenameRebaseAmendmentAndSquash(t *testing.T) {
	commits := 200
	if testing.Short() {
		commits = 80
	}
	h := newHistory(t, 1)
	for i := 1; i <= commits; i++ {
		session := i
		if i%12 == 0 {
			session = 0
		}
		if i%10 == 5 || i%12 == 7 { // what the person leaves, a session commits
			h.write(1, false)
		}
		h.turn(session, func() {
			h.write(1+h.random.IntN(5), false)
			if i%4 == 0 {
				h.write(2, true)
			}
			h.commit(fmt.Sprint("change ", i))
			if i%9 == 0 {
				h.write(1, false)
				h.commit(fmt.Sprint("change ", i, " amended"), "--amend")
			}
		})
		switch i {
		case commits * 2 / 5:
			h.git("mv", h.name, "storage.go")
			h.name = "storage.go"
			h.commit("rename")
		case commits * 7 / 10: // rebased onto a commit made meanwhile
			h.git("checkout", "-q", "-b", "other", "HEAD~20")
			if err := os.WriteFile(filepath.Join(h.root, "README"), []byte("x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			h.commit("readme")
			h.git("checkout", "-q", "main")
			h.git("rebase", "-q", "other")
		case commits - commits/20:
			h.turn(commits+1, func() {
				h.git("reset", "-q", "--soft", fmt.Sprint("HEAD~", commits/20))
				h.commit("squashed")
			})
		}
	}
	h.git("reflog", "expire", "--expire=now", "--all")
	h.git("gc", "-q", "--prune=now") // what a rebase replaced is gone
	h.turn(commits+2, func() { h.write(3, false) })
	h.measure()
}

// measure compares what is known of each line with who wrote it.
func (h *history) measure() {
	h.Helper()
	f, err := gitblame.Read(h.Context(), filepath.Join(h.root, h.name), 1, 0)
	if err != nil || len(f.Lines) != len(h.lines) {
		h.Fatalf("%d lines, want %d: %v", len(f.Lines), len(h.lines), err)
	}
	got, err := h.engine.Views.Blame(h.Context(), views.BlameRequest{
		ProjectRef: mem.ProjectRef{Dir: h.root}, File: filepath.Join(h.root, h.name), Top: f.Top, Lines: f.Lines,
	})
	if err != nil {
		h.Fatal(err)
	}
	prompts := make([]string, len(h.lines))
	for _, row := range got.Rows {
		for n := row.From; n <= row.To && row.Origin != nil && row.Origin.Evidence != views.OnlyMade; n++ {
			prompts[n-1] = row.Origin.Prompt
		}
	}
	right, all := map[string]float64{}, map[string]float64{}
	for i, l := range h.lines {
		if strings.Trim(l.text, "\t}") == "" || strings.Contains(l.text, "return") {
			continue // identical lines are what git itself cannot tell apart
		}
		kind, want := "edited", fmt.Sprint("work on part ", l.session)
		switch {
		case l.session == 0:
			kind, want = "by the person", ""
		case l.by:
			kind = "generated"
		}
		for _, k := range []string{kind, "all"} {
			all[k]++
			if prompts[i] == want {
				right[k]++
			}
		}
	}
	for kind, n := range all {
		h.Logf("%s: %.1f %% of %.0f lines", kind, 100*right[kind]/n, n)
	}
	if right["all"] < 0.98*all["all"] || right["edited"] < 0.99*all["edited"] || all["generated"] < 10 ||
		right["by the person"] < 0.98*all["by the person"] {
		h.Error("want 98 % of all lines and of those of the person, and 99 % of those that an edit wrote")
	}
}
