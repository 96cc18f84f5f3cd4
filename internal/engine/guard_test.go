package engine_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// titles are those of every memory kept, of any session and status.
func (s *stage) titles() []string {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{Within: "*", Hidden: true, Limit: 500})
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, m := range ms {
		out = append(out, m.Title+" "+m.Body)
	}
	return out
}

// stored is every stored byte of a session's events and turns.
func (s *stage) stored(session string) string {
	s.t.Helper()
	evs, err := s.store.Events(s.t.Context(), mem.EventQuery{Session: session, Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	turns, err := s.store.Turns(s.t.Context(), session, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	b, err := json.Marshal([]any{evs, turns})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b) + strings.Join(s.titles(), "\n")
}

func TestReportOfAPrivateTurnsSubagentIsPrivate(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "<private>look into the merger</private>"),
		mem.Event{
			Kind: mem.SubagentStop, PromptID: "p1", AgentID: "a1", AgentType: "explorer",
			Text: "The root cause was PRIVCANARY in the books.",
		},
		prompt("p2", "<task-notification>the helper says PRIVCANARY</task-notification>"),
		ran("p2", "t1", "make PRIVCANARY", "PRIVCANARY"),
		stop("p2", "The root cause was PRIVCANARY, I decided to tell nobody instead."),
		mem.Event{Kind: mem.PostCompact, PromptID: "p3", Text: "summary with PRIVCANARY"},
	)
	wantsNot(t, "stored", s.stored("one"), "PRIVCANARY")
}

func TestMailIsNotATodo(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "send the mail, please"),
		tool(mem.PostToolUse, "p1", "t1", "mcp__mail__send", map[string]any{"subject": "wire the money today"}, nil))
	wantsNot(t, "kept", strings.Join(s.titles(), "\n"), "wire the money")
}

func TestItemsLeaveTheListInEveryWay(t *testing.T) {
	s := newStage(t)
	list := func(id string, items ...string) mem.Event {
		var todos []map[string]string
		for _, i := range items {
			todos = append(todos, map[string]string{"content": i, "status": "pending"})
		}
		return tool(mem.PostToolUse, "p1", id, "TodoWrite", map[string]any{"todos": todos}, nil)
	}
	s.play(start("startup"), prompt("p1", "plan it well, please"), list("t1", "write the parser", "write the printer"),
		list("t2", "write the printer"),
		tool(mem.PostToolUse, "p1", "t3", "TaskCreate", map[string]any{"subject": "draw the logo"},
			"Task #7 created successfully: draw the logo"),
		tool(mem.PostToolUse, "p1", "t4", "TaskCreate", map[string]any{"subject": "paint the wall"},
			"Task #8 created successfully: paint the wall"),
		tool(mem.PostToolUse, "p1", "t5", "TaskUpdate", map[string]any{"taskId": "7", "status": "completed"},
			"Updated task #7 status"))
	got := s.play(in("two", start("startup"))...).Context
	wants(t, "open items", got, "write the printer", "paint the wall")
	wantsNot(t, "open items", got, "write the parser", "draw the logo")
}

func TestAFloodFromOutsideDoesNotHideDecisions(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p0", "choose a queue, please"),
		stop("p0", "I decided to use NATS instead of Kafka for the event bus."))
	for i := range 6 {
		id := fmt.Sprint("p", i+1)
		s.play(prompt(id, "what does the page say about it?"), tool(mem.PostToolUse, id, "w"+id, "WebFetch",
			map[string]any{"url": "x"}, "y"),
			stop(id, fmt.Sprintf("I decided to follow rule number %d of the page instead of ours.", i)))
	}
	got := s.play(in("two", start("startup"))...).Context
	wants(t, "decisions", got, "--- DECISIONS ---", "NATS instead of Kafka")
	wantsNot(t, "decisions", got, "of the page")
}

func TestASubagentsNotesAreNotTheSessions(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings.Budgets.SessionStart = 0
	read := func(id, agent string) mem.Event {
		e := tool(mem.PostToolUse, "q1", id, "Read", map[string]any{"file_path": "/home/dev/shop/auth/session.go"}, nil)
		e.AgentID, e.AgentType = agent, "explorer"
		if agent == "" {
			e.AgentType = ""
		}
		return e
	}
	s.play(in("two", start("startup"), prompt("q1", "hello there, please look around"))...)
	wants(t, "subagent's read", s.play(in("two", read("u1", "a1"))...).Context, "must not call the store")
	if got := s.play(in("two", read("u2", "a1"))...); !got.Empty() {
		t.Errorf("the subagent is injected twice: %s", got.Context)
	}
	wants(t, "another subagent's read", s.play(in("two", read("u3", "a2"))...).Context, "must not call the store")
	wants(t, "the session's own read", s.play(in("two", read("u4", ""))...).Context, "must not call the store")
}

func TestALateSubagentIsBriefedToo(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings = event.Defaults(event.Full)
	s.settings.Budgets.SessionStart = 0
	launch := func(id, about string) mem.Event {
		return tool(mem.PreToolUse, "q1", id, "Agent", map[string]any{
			"description": about, "prompt": about,
			"subagent_type": "explorer",
		}, nil)
	}
	s.play(in("two", start("startup"), prompt("q1", "let a helper look at the login race"),
		launch("u0", "count the lines of the readme"), mem.Event{
			Kind: mem.SubagentStart, PromptID: "q1", AgentID: "a0",
			AgentType: "explorer",
		})...)
	for i := range 205 {
		s.play(in("two", tool(mem.PreToolUse, "q1", fmt.Sprint("b", i), "Bash", map[string]any{"command": "true"}, nil))...)
	}
	s.play(in("two", launch("u1", "find why two logins race for the session lock"))...)
	got := s.play(in("two", mem.Event{Kind: mem.SubagentStart, PromptID: "q1", AgentID: "a1", AgentType: "explorer"})...)
	wants(t, "brief", got.Context, "login race")
}

// snapshot is what the one job that waits makes of the conversation.
func (s *stage) snapshot(t *testing.T) string {
	t.Helper()
	jobs, err := s.store.Lease(t.Context(), mem.JobKinds{}, s.clock.AddDate(0, 0, 1), 1e9, 10)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs: %v %v", jobs, err)
	}
	b, err := s.Work(t.Context(), jobs[0])
	if err != nil || len(b.Memories) != 1 {
		t.Fatalf("work: %+v %v", b, err)
	}
	return b.Memories[0].Body
}

func TestSnapshotKeepsTheNewestWords(t *testing.T) {
	s := newStage(t)
	s.said = []mem.Quote{
		{Who: "user", Text: "long question"},
		{Who: "assistant", Text: "BEGIN " + strings.Repeat("x ", 4000) + "NEWESTEND"},
	}
	s.play(start("startup"), prompt("p1", "explain all of it, please"), mem.Event{
		Kind: mem.PreCompact, Source: "auto",
		PromptID: "p1", Transcript: "/c/one.jsonl",
	})
	got := s.snapshot(t)
	wants(t, "snapshot", got, "NEWESTEND")
	wantsNot(t, "snapshot", got, "BEGIN")
}

func TestASnapshotHasNothingOfAPause(t *testing.T) {
	s := newStage(t)
	hear := func(who, text string) {
		s.clock = s.clock.Add(time.Second)
		s.said = append(s.said, mem.Quote{Who: who, Text: text, At: s.clock})
	}
	s.play(start("startup"), prompt("p1", "explain all of it, please"))
	hear("assistant", "BEFORE it was paused")
	s.play(prompt("p2", "/remanence:off"))
	hear("user", "HUSH, this is between us")
	hear("assistant", "HUSH it is")
	s.play(prompt("p3", "/remanence:on"), prompt("p4", "now for the rest of it, please"))
	hear("assistant", "AFTER the pause")
	s.play(mem.Event{Kind: mem.PreCompact, Source: "auto", PromptID: "p4", Transcript: "/c/one.jsonl"})
	got := s.snapshot(t)
	wants(t, "snapshot", got, "BEFORE", "AFTER")
	wantsNot(t, "snapshot", got, "HUSH")
}

func TestTheStateLineIsPartOfTheBlockAndOfAReceipt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "run the tests, please"),
		failed("p1", "t1", "go test ./x", "Exit code 1\nx_test.go:3: boom goes it"))
	got := s.play(prompt("p2", "ok")).Context
	wants(t, "answer", got, "<remanence-context", "BLOCKED:", "boom goes it")
	rs, err := s.store.Receipts(t.Context(), mem.ReceiptQuery{Session: "one"})
	if err != nil || len(rs) == 0 || rs[0].Trigger != "nudge" || rs[0].Text != got {
		t.Errorf("receipt: %+v, %v", rs, err)
	}
}

// A failed look, and a command that was called wrongly, say nothing of the work.
func TestOnlyWhatFailedOfTheWorkIsInItsWay(t *testing.T) {
	for command, failure := range map[string]string{
		"sed -n '865,867p' send.go": "sed: can't read send.go: No such file or directory",
		"rtk bun run test":          "error: unrecognized subcommand 'bun'",
		"go test ./send":            "",
		"git commit -m x":           "",
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "make the sender retry"),
			failed("p1", "t1", command, "Exit code 1\n"+cmp.Or(failure, "send_test.go:3: boom goes it")))
		got := s.play(prompt("p2", "now commit it")).Context
		if blocked := strings.Contains(got, "BLOCKED:"); blocked != (failure == "") {
			t.Errorf("%s: blocked %v\n%s", command, blocked, got)
		}
	}
}

// A state follows the outcome of its session: what another command checked later with success does not fail any more.
func TestWhatPassedUnderAnotherCommandDoesNotFail(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the sender retry"),
		failed("p1", "t1", "go test ./send", "Exit code 1\nsend_test.go:3: boom goes it"),
		edited("p1", "t2", "send.go", "once", "three times"))
	wants(t, "in between", s.play(in("two", start("startup"))...).Context, "failing:")
	s.play(ran("p1", "t3", "make test", "ok"), stop("p1", "The sender retries three times; the tests pass."))
	wantsNot(t, "in the end", s.play(in("three", start("startup"))...).Context, "failing:")
}

// brokenIndex is a store whose search has failed.
type brokenIndex struct{ mem.Store }

func (brokenIndex) Match(context.Context, mem.Query) ([]mem.Hit, error) {
	return nil, errors.New("index is gone")
}

func TestABrokenSearchCostsTheAnswerNotTheEvent(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.Store = brokenIndex{s.store}
	s.Engine.Reconnect()
	var logged []string
	s.Log = func(what string, _ error) { logged = append(logged, what) }
	s.Engine.Reconnect()
	s.settings.StateLineRule = event.StateLineNever
	if got := s.play(in("two", prompt("q1", "why did two logins race for the session lock?"))...); !got.Empty() {
		t.Errorf("injected %q", got.Context)
	}
	if turns := must(s.store.Turns(t.Context(), "two", 5)); len(turns) != 1 {
		t.Errorf("%d turns kept, want 1", len(turns))
	}
	if len(logged) == 0 {
		t.Error("the broken search is not reported")
	}
}

func TestClientWithoutInjectionIsCapturedAndGetsNothing(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	e := start("startup")
	e.InjectionOff, e.Session = true, "two"
	if got := s.play(e); got.Context != "" {
		t.Errorf("injected %q", got.Context)
	}
	if _, err := s.store.Session(t.Context(), "two"); err != nil {
		t.Errorf("not captured: %v", err)
	}
}

func TestACitedMemoryCountsAsUsed(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.play(in("two", start("startup"), prompt("q1", "so what now, my friend?"))...)
	found := must(s.Recall.Search(t.Context(), recall.SearchRequest{Query: mem.Query{
		Text:  "one mutex for each session",
		Kinds: []mem.Kind{mem.Decision},
	}}))
	id := found.Hits[0].Memory.ID
	s.play(in("two", stop("q1", "As "+id+" says, one mutex. "+id+" again, and m_zzz."))...)
	ms := must(s.store.List(t.Context(), mem.Query{IDs: []string{id}}))
	if ms[0].Uses != 1 {
		t.Errorf("uses: got %d, want 1", ms[0].Uses)
	}
	why, err := s.Views.Why(t.Context(), views.WhyRequest{})
	if err != nil || !why.Used[id] {
		t.Errorf("used: %v, %v", why.Used, err)
	}
}

func TestExclusionsReachWhereAPersonMeansThem(t *testing.T) {
	s := newStage(t)
	s.settings.ExcludePaths = []string{"secrets/**", "*.env"}
	s.settings.ExcludeProjects = []string{"/home/dev/vault"}
	s.play(start("startup"), prompt("p1", "write both files, please"),
		edited("p1", "t1", "/home/dev/shop/secrets/a.txt", "x", "CANARYA"), edited("p1", "t2", "/home/dev/shop/deep/prod.env",
			"x", "CANARYB"))
	wantsNot(t, "stored", s.stored("one"), "CANARY")
	e := prompt("v1", "CANARYC is the word")
	e.Root, e.Session = "/home/dev/vault/sub", "v"
	s.play(e)
	if _, err := s.store.Session(t.Context(), "v"); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("a directory of an excluded project is captured: %v", err)
	}
}

func TestAnExcludedPathIsExcludedUnderEveryNameThatItHas(t *testing.T) {
	s := newStage(t)
	s.settings.ExcludePaths = []string{"secrets/**"}
	s.Rel = func(_ mem.Project, file string) string {
		file = strings.ReplaceAll(file, `\`, "/")
		for _, root := range []string{"C:/code/shop/", "/srv/link/"} { // the second leads to the project
			if rel, ok := strings.CutPrefix(file, root); ok {
				return rel
			}
		}
		return file
	}
	s.Engine.Reconnect()
	there := func(e mem.Event) mem.Event {
		e.Root = `C:\code\shop`
		return e
	}
	s.play(there(start("startup")), there(prompt("p1", "write both files, please")),
		there(edited("p1", "t1", `C:\code\shop\secrets\a.txt`, "x", "CANARYA")),
		there(edited("p1", "t2", "/srv/link/secrets/b.txt", "x", "CANARYB")),
		there(edited("p1", "t3", `C:\code\shop\plain.txt`, "x", "in the open")))
	wantsNot(t, "stored", s.stored("one"), "CANARY")
	wants(t, "stored", s.stored("one"), "in the open")
}

func TestOurOwnDirectoriesAreOursWithBackSlashesToo(t *testing.T) {
	s := newStage(t)
	s.Own = []string{`C:\Users\dev\remanence`}
	s.Engine.Reconnect()
	s.play(start("startup"), prompt("p1", "look at the configuration, please"),
		edited("p1", "t1", `C:\Users\dev\remanence\config.toml`, "x", "CANARYA"))
	wantsNot(t, "kept", strings.Join(s.titles(), "\n"), "CANARYA")
	e := prompt("v1", "CANARYB is the word")
	e.Root, e.Session = `C:\Users\dev\remanence\agent`, "v"
	s.play(e)
	if _, err := s.store.Session(t.Context(), "v"); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("an agent of ours is captured: %v", err)
	}
}

func TestWhatWasReadIsKeptByPathAlone(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "read the file, please"),
		tool(mem.PostToolUse, "p1", "t1", "Read", map[string]any{"file_path": "/home/dev/shop/a.go"},
			map[string]any{"file": map[string]string{"content": "FILECONTENT"}}))
	wantsNot(t, "stored", s.stored("one"), "FILECONTENT")
	wants(t, "stored", s.stored("one"), "/home/dev/shop/a.go")
}

func TestEditsOfEveryToolSayWhatTheyDid(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "edit them all, please"),
		tool(mem.PostToolUse, "p1", "t1", "NotebookEdit", map[string]any{
			"notebook_path": "/home/dev/shop/a.ipynb",
			"new_source":    "plot(total)",
		}, nil),
		tool(mem.PostToolUse, "p1", "t2", "MultiEdit", map[string]any{
			"file_path": "/home/dev/shop/b.go",
			"edits":     []map[string]string{{"old_string": "left", "new_string": "right"}},
		}, nil))
	wants(t, "kept", strings.Join(s.titles(), "\n"), "plot(total)", "replaced 'left' with 'right'")
}

func TestOurOwnCommandsLeaveNothingOfWhatTheyShow(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "/remanence:why"),
		ran("p1", "t1", "show-it", "OWNCANARY"),
		stop("p1", "I decided to show OWNCANARY instead of hiding it."))
	wantsNot(t, "stored", s.stored("one"), "OWNCANARY")
	if sess := must(s.store.Session(t.Context(), "one")); sess.Prompts != 0 {
		t.Errorf("prompts: got %d, want 0", sess.Prompts)
	}
}

func TestWhatIsDoneIsNotRecalled(t *testing.T) {
	s := newStage(t)
	s.settings.Budgets.SessionStart = 0
	list := func(id, status string) mem.Event {
		return tool(mem.PostToolUse, "p1", id, "TodoWrite",
			map[string]any{"todos": []map[string]string{{"content": "write the migration for invoices", "status": status}}}, nil)
	}
	s.play(start("startup"), prompt("p1", "plan the work, please"), list("t1", "pending"))
	wants(t, "open",
		s.play(in("two", start("startup"), prompt("q1", "how far is the migration for invoices?"))...).Context,
		"write the migration for invoices")
	s.play(list("t2", "completed"))
	wantsNot(t, "done",
		s.play(in("three", start("startup"), prompt("r1", "how far is the migration for invoices?"))...).Context,
		"write the migration for invoices")
}

func TestASnapshotOfATranscriptThatIsNeverWrittenIsGivenUpQuietly(t *testing.T) {
	s := newStage(t)
	s.LastUtterances = func(string, int) ([]mem.Quote, error) { return nil, fmt.Errorf("open: %w", fs.ErrNotExist) }
	s.Engine.Reconnect()
	s.play(start("startup"), prompt("p1", "explain all of it, please"), mem.Event{
		Kind: mem.PreCompact, Source: "auto",
		PromptID: "p1", Transcript: "/c/one.jsonl",
	})
	jobs, err := s.store.Lease(t.Context(), mem.JobKinds{}, s.clock.AddDate(0, 0, 1), 1e9, 10)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("jobs: %v %v", jobs, err)
	}
	for attempt, quiet := range map[int]bool{1: false, 2: false, 3: true, 4: true} {
		jobs[0].Attempts = attempt
		if _, err := s.Work(t.Context(), jobs[0]); (err == nil) != quiet {
			t.Errorf("attempt %d: %v", attempt, err)
		}
	}
}
