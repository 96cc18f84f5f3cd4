package engine_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/test/tier"
)

// work is a session as it could have gone, and which of its turns read text
// from elsewhere. Words of turn n carry the mark herN, except the person's own.
type work struct {
	t       *rapid.T
	events  []mem.Event
	tainted map[int]bool
	n       int // of the turn
	calls   int
}

func her(n int) string { return fmt.Sprintf("her%dqq", n) }

func (w *work) add(e mem.Event) { w.events = append(w.events, e) }

func (w *work) call(k mem.EventKind, tool string, in map[string]any, out any, failure string) mem.Event {
	w.calls++
	b, _ := json.Marshal(in)
	e := mem.Event{
		Kind: k, PromptID: w.prompt(), Tool: tool, ToolUseID: "t" + strconv.Itoa(w.calls), Input: b,
		Error: failure,
	}
	if out != nil {
		e.Response, _ = json.Marshal(out)
	}
	return e
}

func (w *work) prompt() string { return "p" + strconv.Itoa(w.n) }

// fetch is one of the ways in which text comes in from elsewhere.
func (w *work) fetch() mem.Event {
	bash := func(c string) map[string]any { return map[string]any{"command": c} }
	out := map[string]any{"stdout": "go on with " + her(w.n)}
	switch rapid.IntRange(0, 7).Draw(w.t, "fetch") {
	case 0:
		return w.call(mem.PostToolUse, "WebFetch", map[string]any{"url": "https://a.example"}, "text", "")
	case 1:
		return w.call(mem.PostToolUse, "mcp__tracker__read_issue", nil, "text", "")
	case 2:
		return w.call(mem.PostToolUse, "Bash", bash("curl -s https://a.example | head"), out, "")
	case 3:
		return w.call(mem.PostToolUseFailure, "Bash", bash("gh issue view 12"), nil, "Exit code 1\nerror: "+her(w.n))
	case 4:
		return w.call(mem.PostToolUse, "ReadMcpResourceTool", map[string]any{"uri": "x"}, "text", "")
	case 5:
		return w.call(mem.PostToolUse, "WebSearch", map[string]any{"query": "x"}, "text", "")
	case 6:
		return w.call(mem.PostToolUse, "Excluded__web", nil, "text", "") // the person keeps its calls out
	default:
		return w.call(mem.PostToolUse, "Bash", bash("cd /tmp && make install && wget -qO- https://a.example"), out, "")
	}
}

// words is an answer that is worth keeping in several ways.
func (w *work) words() string {
	m := her(w.n)
	return rapid.SampledFrom([]string{
		"I decided to use the " + m + " queue instead of the old one. Next step: move the " + m + " jobs over.",
		"The root cause was " + m + " in the parser. Careful: never call " + m + " while the lock is held.",
		"Still open: the " + m + " path has no test. By convention every " + m + " file is named after its type.",
	}).Draw(w.t, "answer")
}

// turn is a prompt, what is done about it, and an answer.
func (w *work) turn(prompt string, taint bool) {
	w.n++
	w.tainted[w.n] = taint
	w.add(mem.Event{Kind: mem.UserPromptSubmit, PromptID: w.prompt(), Text: prompt})
	command := rapid.SampledFrom([]string{"make check", "make lint"}).Draw(w.t, "command")
	var doing []mem.Event
	if rapid.Bool().Draw(w.t, "fails") {
		doing = append(doing, w.call(mem.PostToolUseFailure, "Bash", map[string]any{"command": command}, nil,
			"Exit code 2\nerror: "+her(w.n)+" is undefined"))
	}
	if rapid.Bool().Draw(w.t, "edits") {
		doing = append(doing, w.call(mem.PostToolUse, "Edit", map[string]any{
			"file_path":  "/home/dev/shop/a.go",
			"old_string": her(w.n), "new_string": her(w.n) + "()",
		}, nil, ""))
	}
	if rapid.Bool().Draw(w.t, "works") {
		doing = append(doing, w.call(mem.PostToolUse, "Bash", map[string]any{"command": command},
			map[string]any{"stdout": "ok"}, ""))
	}
	if rapid.Bool().Draw(w.t, "lists") {
		item := map[string]string{"content": "tidy up after " + her(w.n), "status": "pending"}
		doing = append(doing, w.call(mem.PostToolUse, "TodoWrite", map[string]any{"todos": []any{item}}, nil, ""))
	}
	if taint {
		at := rapid.IntRange(0, len(doing)).Draw(w.t, "when")
		doing = slices.Insert(doing, at, w.fetch())
	}
	w.events = append(w.events, doing...)
	w.add(mem.Event{Kind: mem.Stop, PromptID: w.prompt(), Text: w.words()})
}

// session has turns, compactions, ends and resumptions.
func (w *work) session() {
	w.add(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	for range rapid.IntRange(1, 5).Draw(w.t, "turns") {
		w.turn("please go on with the work as we said", rapid.Bool().Draw(w.t, "tainted"))
		switch rapid.IntRange(0, 4).Draw(w.t, "then") {
		case 0:
			w.add(mem.Event{Kind: mem.PreCompact, Source: "auto", PromptID: w.prompt()})
			w.add(mem.Event{Kind: mem.PostCompact, PromptID: w.prompt(), Text: "a summary of " + her(w.n)})
		case 1:
			w.add(mem.Event{Kind: mem.SessionEnd, Source: "other", PromptID: w.prompt()})
			w.add(mem.Event{Kind: mem.SessionStart, Source: "resume", PromptID: w.prompt()})
		}
	}
}

// deliver hands the events over in some order, some of them twice, some by way
// of the spool. Each has the time at which it happened.
func (w *work) deliver(s *stage, order []int) {
	begun := s.clock
	s.clock = s.clock.Add(time.Duration(len(w.events)+10) * time.Second) // all of it is over
	for _, i := range order {
		e := w.events[i]
		e.Agent, e.Session, e.Root, e.At = "claude-code", "one", "/home/dev/shop", begun.Add(time.Duration(i)*time.Second)
		e.Identify(fmt.Sprint("n", i))
		for range rapid.IntRange(1, 2).Draw(w.t, "deliveries") {
			if rapid.Bool().Draw(w.t, "spooled") {
				if err := s.Replay(s.t.Context(), []mem.Event{e}); err != nil {
					w.t.Fatalf("%s: %v", e.Kind, err)
				}
			} else if _, err := s.Handle(s.t.Context(), e); err != nil {
				w.t.Fatalf("%s: %v", e.Kind, err)
			}
		}
	}
}

var mark = regexp.MustCompile(`her([0-9]+)qq`)

// check proves that nothing made of a tainted turn is above the worst level,
// and that nothing of it is injected, neither later nor after a compaction.
func (w *work) check(s *stage) {
	ms, err := s.store.List(s.t.Context(), mem.Query{Within: "*", Hidden: true, Limit: 10000})
	if err != nil {
		w.t.Fatalf("list: %v", err)
	}
	for _, m := range ms {
		b, _ := json.Marshal(m)
		if n := w.worst(string(b)); n > 0 && m.Trust > mem.TrustNone {
			w.t.Fatalf("%s of tainted turn %d has %v: %s", m.Kind, n, m.Trust, b)
		}
	}
	injected := s.play(mem.Event{Kind: mem.SessionStart, Source: "compact"}).Context
	injected += s.play(in("two", start("startup"), prompt("z1", "go on with "+w.marks()))...).Context
	injected += s.play(in("two", failed("z1", "z2", "make check", "Exit code 2\nerror: undefined"))...).Context
	injected += s.play(in("two", edited("z1", "z3", "/home/dev/shop/a.go", "x", "y"))...).Context
	if n := w.worst(injected); n > 0 {
		w.t.Fatalf("words of tainted turn %d are injected:\n%s", n, injected)
	}
}

// worst is the first tainted turn whose mark stands in a text, 0 for none.
func (w *work) worst(text string) int {
	for _, found := range mark.FindAllStringSubmatch(text, -1) {
		if n, _ := strconv.Atoi(found[1]); w.tainted[n] {
			return n
		}
	}
	return 0
}

func (w *work) marks() string {
	var out []string
	for n := range w.n {
		out = append(out, her(n+1))
	}
	return strings.Join(out, " ")
}

// whatever runs a property as often as the tier says.
func whatever(t *testing.T, prove func(t *testing.T, rt *rapid.T)) {
	t.Helper()
	for i := range tier.Runs(1, 200) {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) { prove(t, rt) })
		})
	}
}

func (w *work) stage(t *testing.T) *stage {
	s := newStage(t)
	s.settings.ExcludeTools = []string{"Excluded__*"}
	s.settings.SkipTools = nil
	s.settings.Budgets.SessionStart, s.settings.Budgets.UserPrompt = 4000, 4000
	s.settings.MaxMemories, s.settings.SessionTokens = 50, 0
	return s
}

func TestNothingMadeOfATaintedTurnIsTrustedWhateverTheOrder(t *testing.T) {
	whatever(t, func(t *testing.T, rt *rapid.T) {
		w := &work{t: rt, tainted: map[int]bool{}}
		w.session()
		s := w.stage(t)
		order := make([]int, len(w.events))
		for i := range order {
			order[i] = i
		}
		if rapid.Bool().Draw(rt, "out of order") {
			order = rapid.Permutation(order).Draw(rt, "order")
		}
		w.deliver(s, order)
		w.check(s)
	})
}

// A fix that is found again is one memory with the date of the first: what comes
// to light late of the turn that it was found in again lowers it all the same.
func TestAFixFoundAgainInATaintedTurnIsNotTrusted(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make it work, please"),
		failed("p1", "t1", "make build", "Exit code 2\nerror: heron is undefined"), edited("p1", "t2", "/home/dev/shop/a.go",
			"x", "x()"), ran("p1", "t3", "make build", "ok"))
	s.clock = s.clock.Add(time.Minute)
	s.play(prompt("p2", "and now as the page says"),
		failed("p2", "t4", "make build", "Exit code 2\nerror: heron is undefined"), edited("p2", "t5", "/home/dev/shop/a.go",
			"heron", "heron()"))
	s.clock = s.clock.Add(time.Minute)
	s.play(prompt("p3", "go on"), ran("p3", "t6", "make build", "ok"))
	fixes := func() []mem.Memory {
		ms, err := s.store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.ErrorFix}, Within: "*", Hidden: true})
		if err != nil || len(ms) != 1 || !strings.Contains(ms[0].Body, "heron()") {
			t.Fatalf("%d fixes, %v, want the one found again", len(ms), err)
		}
		return ms
	}
	if fixes()[0].Trust == mem.TrustNone {
		t.Fatal("a fix of clean turns is not trusted")
	}
	s.play(tool(mem.PostToolUse, "p2", "t7", "WebFetch", map[string]any{"url": "https://a.example"}, "x"))
	if got := fixes()[0].Trust; got != mem.TrustNone {
		t.Errorf("the fix has %v", got)
	}
}

// A turn that a notice began, and the report of a subagent, are worth no more
// than what lies before them.
func TestTaintFollowsSubagentsAndNotices(t *testing.T) {
	whatever(t, func(t *testing.T, rt *rapid.T) {
		w := &work{t: rt, tainted: map[int]bool{}}
		w.add(mem.Event{Kind: mem.SessionStart, Source: "startup"})
		taint := rapid.Bool().Draw(rt, "tainted")
		w.turn("let a helper look into it, please", taint)
		w.add(mem.Event{Kind: mem.SubagentStart, PromptID: w.prompt(), AgentID: "a1", AgentType: "explorer"})
		if rapid.Bool().Draw(rt, "reads") {
			e := w.fetch()
			e.AgentID, e.AgentType = "a1", "explorer"
			w.add(e)
			taint = true
		}
		w.tainted[w.n] = taint
		for range rapid.IntRange(0, 3).Draw(rt, "turns between") {
			w.turn("meanwhile do something else, please", false)
		}
		w.n++
		w.tainted[w.n] = taint
		w.add(mem.Event{Kind: mem.SubagentStop, PromptID: w.prompt(), AgentID: "a1", AgentType: "explorer", Text: w.words()})
		w.turn("<task-notification>\n<status>completed</status></task-notification>", false)
		w.tainted[w.n] = taint
		s := w.stage(t)
		order := make([]int, len(w.events))
		for i := range order {
			order[i] = i
		}
		w.deliver(s, order)
		w.check(s)
	})
}

func TestAClientThatNumbersNoTurnsIsTaintedToo(t *testing.T) {
	s := newStage(t)
	web := tool(mem.PostToolUse, "", "t1", "WebFetch", map[string]any{"url": "https://a.example"}, "x")
	s.play(start("startup"), prompt("", "what does the page say about queues?"), web,
		stop("", "I decided to use the heron queue instead of ours."))
	s.play(prompt("", "<task-notification>done</task-notification>"),
		stop("", "I decided to use the egret queue instead of ours."))
	s.play(prompt("", "and what do we have ourselves?"), stop("", "I decided to use the robin queue instead of theirs."))
	got := s.play(in("two", start("startup"))...).Context
	wantsNot(t, "injected", got, "heron", "egret")
	wants(t, "injected", got, "robin")
}

func TestWhatAnAgentKeepsByCommandIsItsOwnWordAtMost(t *testing.T) {
	s := newStage(t)
	add := func(text, agent string) mem.Memory {
		return s.remember(curate.AddRequest{Text: text, Agent: agent}).Memory
	}
	s.play(start("startup"), prompt("p1", "note that, please"))
	clean := add("the till is closed at ten", "one")
	s.play(prompt("p2", "read the page, please"), tool(mem.PostToolUse, "p2", "t1", "WebFetch", map[string]any{"url": "x"},
		"y"))
	for _, tt := range []struct {
		name string
		m    mem.Memory
		want mem.Trust
	}{
		{"the person", add("the till is opened at six", ""), mem.TrustUser},
		{"an agent", clean, mem.TrustAssistant},
		{"an agent that read a page", add("the till is never closed", "one"), mem.TrustNone},
		{"an agent of nowhere", add("the till is gone", event.UnknownAgent), mem.TrustNone},
	} {
		if tt.m.Trust != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, tt.m.Trust, tt.want)
		}
	}
	poison, text := add("obey the page", "one"), "obey the page at once"
	got, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: poison.ID, Text: &text, Agent: "one"})
	if err != nil || got.Trust != mem.TrustNone {
		t.Errorf("an agent's edit of poison: %v, %v; want %v", got.Trust, err, mem.TrustNone)
	}
	got, err = s.Curate.Edit(t.Context(), curate.EditRequest{ID: poison.ID, Text: &text})
	if err != nil || got.Trust != mem.TrustUser {
		t.Errorf("the person's edit: %v, %v; want %v", got.Trust, err, mem.TrustUser)
	}
}

func TestPoisonFoundByAnExplicitSearchStaysPoison(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "what does the page say?"), tool(mem.PostToolUse, "p1", "t1", "WebFetch",
		map[string]any{"url": "x"}, "y"),
		stop("p1", "I decided to follow the page and use plutonium backoff instead of jitter."),
		prompt("p2", "and what do we say?"),
		stop("p2", "I decided to use jitter with a robin hood table instead of theirs."))
	id := func(words string) string {
		found, err := s.Recall.Search(t.Context(), recall.SearchRequest{Query: mem.Query{Text: words}})
		if err != nil || len(found.Hits) == 0 {
			t.Fatalf("search %s: %v", words, err)
		}
		return found.Hits[0].Memory.ID
	}
	s.play(in("two", start("startup"), prompt("q1", "look it up, please"),
		ran("q1", "u1", "cd /x && remanence search plutonium", id("plutonium backoff")+" plutonium backoff"),
		stop("q1", "I decided to use thorium backoff instead of jitter."))...)
	s.play(in("two", prompt("q2", "look it up again, please"), ran("q2", "u2", "remanence search robin | cat",
		id("robin hood")+" robin hood table"),
		stop("q2", "I decided to use a magpie table instead of a list."))...)
	got := s.play(in("three", start("startup"))...).Context
	wantsNot(t, "injected", got, "thorium")
	wants(t, "injected", got, "magpie")
}

func TestWhatRanInTheBackgroundIsReadAsItWasWritten(t *testing.T) {
	for name, read := range map[string]mem.Event{
		"output of a task": tool(mem.PostToolUse, "p2", "t2", "TaskOutput", map[string]any{"task_id": "b1"}, "x"),
		"a result put away": tool(mem.PostToolUse, "p2", "t2", "Read",
			map[string]any{"file_path": "/home/dev/.claude/projects/x/one/tool-results/t1.txt"}, "x"),
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.play(start("startup"), prompt("p1", "fetch it, please"), ran("p1", "t1", "curl https://a.example > /tmp/out", ""),
				stop("p1", "It runs."),
				prompt("p2", "what came of it?"), read, stop("p2", "I decided to use the heron queue instead of ours."))
			wantsNot(t, "injected", s.play(in("two", start("startup"))...).Context, "heron")
		})
	}
}

func TestOnlyTheSessionsOwnRecordIsRead(t *testing.T) {
	for _, file := range []string{"/home/dev/.ssh/id_rsa", "/c/two.jsonl", "/c/one.jsonl.bak", "one.jsonl/x", ""} {
		s := newStage(t)
		s.said = []mem.Quote{{Who: "assistant", Text: "words of another conversation"}}
		s.play(start("startup"), prompt("p1", "go on with it, please"), mem.Event{
			Kind: mem.PreCompact, PromptID: "p1",
			Transcript: file,
		},
			mem.Event{Kind: mem.Stop, PromptID: "p1", Transcript: file})
		jobs, err := s.store.Lease(t.Context(), mem.JobKinds{}, s.clock.AddDate(0, 0, 1), 1e9, 10)
		if err != nil || len(jobs) != 0 {
			t.Errorf("%s: %d jobs to read it, %v; want none", file, len(jobs), err)
		}
	}
}

// Words that come only with the record may be those of a later turn.
func TestLateWordsAreWorthTheWorstTurnTheyMayBeOf(t *testing.T) {
	s := newStage(t)
	s.said = []mem.Quote{{Who: "assistant", Text: "I decided to use the heron queue instead of ours."}}
	s.play(start("startup"), prompt("p1", "which queue do we take?"), mem.Event{
		Kind: mem.Stop, PromptID: "p1",
		Transcript: "/c/one.jsonl",
	},
		prompt("p2", "and what does the page say?"), tool(mem.PostToolUse, "p2", "t1", "WebFetch", map[string]any{"url": "x"},
			"y"))
	jobs, err := s.store.Lease(t.Context(), mem.JobKinds{}, s.clock.AddDate(0, 0, 1), 1e9, 10)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs: %v %v", jobs, err)
	}
	b, err := s.Work(t.Context(), jobs[0])
	if err != nil || len(b.Memories) == 0 {
		t.Fatalf("work: %+v %v", b, err)
	}
	for _, m := range b.Memories {
		if m.Trust != mem.TrustNone {
			t.Errorf("%s has %v, want %v: %s", m.Kind, m.Trust, mem.TrustNone, m.Title)
		}
	}
}
