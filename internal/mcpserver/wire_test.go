package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
	"remanence/internal/workstate"
	"remanence/test/golden"
)

// wire is a client's end of a server that is served.
type wire struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	end  *io.PipeReader
	done chan error
	log  bytes.Buffer
}

func dial(t *testing.T, c Config) *wire {
	t.Helper()
	t.Cleanup(func() { goleak.VerifyNone(t) })
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	w := &wire{t: t, in: in, out: bufio.NewReader(out), end: out, done: make(chan error, 1)}
	s := New(c)
	go func() { w.done <- s.Serve(t.Context(), fromClient, toClient) }()
	return w
}

func shop(n *notebook) Config {
	return Config{
		Memory: n.memory(), Version: "1.2.3", Place: mem.ProjectRef{Dir: "/home/dev/shop"}, Session: "one",
		Now: func() time.Time {
			return noon
		},
		Explain: func(err error) Problem {
			if errors.Is(err, mem.ErrNotFound) {
				return Problem{Code: "not_found", What: "no such id", Why: err.Error(), Fix: []string{"remanence search"}}
			}
			return Problem{
				Code: "memory_unavailable", Degraded: true, What: "the daemon cannot be reached", Why: err.Error(),
				Fix: []string{"remanence doctor"},
			}
		},
	}
}

// say sends a line and returns the answer, if one is awaited.
func (w *wire) say(line string, answered bool) string {
	w.t.Helper()
	shown := line
	if len(shown) > 500 {
		shown = shown[:60] + "…"
	}
	w.log.WriteString("> " + shown + "\n")
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatalf("send %s: %v", shown, err)
	}
	if !answered {
		return ""
	}
	got, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatalf("answer to %s: %v", shown, err)
	}
	w.log.WriteString("< " + got)
	return got
}

// leave ends the connection from the client's side and waits for the server.
func (w *wire) leave() {
	w.t.Helper()
	_ = w.in.Close()
	if err := <-w.done; err != nil {
		w.t.Errorf("serve: %v", err)
	}
	_ = w.end.Close()
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

func (w *wire) greet() {
	w.t.Helper()
	w.say(hello, true)
	w.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, false)
}

func call(name, args string) string {
	return `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`
}

func stocked() *notebook {
	n := &notebook{}
	n.keep(
		mem.Memory{
			Kind: mem.Gotcha, Title: "the gateway answers 429 without Retry-After",
			Body: "seen with more than 20 requests a second\nback off by yourself", Scope: mem.ScopeProject, Importance: 0.7,
			Confidence: 0.7, Trust: mem.TrustAssistant, Origin: mem.FromAssistant, Files: []string{"net/client.go"},
			Concepts: []string{"gateway"}, Tags: []string{"net"},
		},
		mem.Memory{
			Kind: mem.Decision, Title: "retries use jittered backoff", Scope: mem.ScopeProject, Importance: 0.8,
			Trust: mem.TrustUser, Origin: mem.FromUserPrompt, Files: []string{"net/client.go", "net/retry.go"},
		},
		mem.Memory{
			Kind: mem.Preference, Title: "tabs, not spaces", Scope: mem.ScopeUser, Importance: 0.8,
			Trust: mem.TrustUser, Origin: mem.FromUserCommand,
		},
		mem.Memory{
			Kind: mem.Fact, Title: "a page said that the gateway limit is 50", Scope: mem.ScopeProject,
			Trust: mem.TrustNone, Origin: mem.FromWeb,
		},
		mem.Memory{
			Kind: mem.Summary, Title: "the retry bug was fixed", Scope: mem.ScopeProject,
			Summary: &mem.SummaryText{Request: "fix the retries", Completed: "backoff with jitter"}, Trust: mem.TrustAssistant,
		},
	)
	n.state = workstate.State{
		Files: ".mind", Phase: "beta", Status: "green", Active: []string{"the payment page"},
		Blockers: []string{"a key for the sandbox"}, Next: "write the test",
		Progress: []workstate.Item{
			{Section: "Completed", Text: "the login", Done: true},
			{Section: "In Progress", Text: "the payment page"},
		},
		Decisions: []workstate.Decision{{
			ID: "DEC-001", Title: "One queue", Text: "Valkey", Rationale: "it is there",
			Date: "2026-01-02", Status: "Final",
		}},
		Sessions: []workstate.Session{{Title: "Session 1", Summary: "set up the project", Next: []string{"the login"}}},
	}
	return n
}

// The transcripts are what clients of today and tomorrow see of us, word by word.
func TestTheWireSaysWhatTheTranscriptsSay(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"` + strings.Repeat("x", 10<<20) + `"}}`
	for name, play := range map[string]func(*wire){
		"handshake": func(w *wire) {
			w.say(`{"jsonrpc":"2.0","id":0,"method":"server/discover"}`, true)
			w.greet()
			w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, true)
			w.say(`{"jsonrpc":"2.0","id":3,"method":"no/such"}`, true)
			w.say(`{"jsonrpc":"2.0","method":"notifications/no-such"}`, false)
			w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`, false)
			w.say(`{"jsonrpc":"2.0","id":4,"method":"ping"}`, true)
		},
		"no-handshake": func(w *wire) {
			w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"x"}}}`, true)
			w.say(`{"jsonrpc":"2.0","id":2,"method":"server/discover",`+
				`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
				`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t",`+
				`"version":"1"}}}}`, true)
			w.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":{"query":"429",`+
				`"limit":1},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
				`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t",`+
				`"version":"1"}}}}`, true)
		},
		"garbage": func(w *wire) {
			w.greet()
			for _, line := range []string{
				"garbage", `{"jsonrpc":"2.0","id":5,"method":"pi`, "[]",
				`[{"jsonrpc":"2.0","id":6,"method":"ping"}]`, `"text"`, `{"jsonrpc":"1.0","id":7,"method":"ping"}`, `{}`, long,
				strings.Repeat("[", 100_000),
			} {
				w.say(line, true)
			}
			w.say("", false)
			w.say(`{"jsonrpc":"2.0","id":8,"method":"ping"}`, true)
		},
		"tools-list": func(w *wire) {
			w.greet()
			w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`, true)
		},
		"reading": func(w *wire) {
			w.greet()
			for _, line := range []string{
				call("search", `{"query":"gateway"}`), call("search", `{"query":"","limit":2}`),
				call("search", `{"query":"","limit":2,"offset":2}`),
				call("search", `{"query":"gateway","explain":true,"kind":"gotcha","tags":"net","after":"3d",`+
					`"before":"2026-03-02","min_importance":0.5,"include_hidden":true,"strategy":"vector","file":"net/client.go",`+
					`"scope":"project","project":"all"}`),
				call("get", `{"ids":["m_1","m_5","m_99"]}`), call("get", `{"ids":"m_2"}`),
				call("timeline", `{"anchor":"m_3","before":1,"after":1}`),
				call("timeline", `{"query":"jittered","before":0,"after":0}`), call("timeline", `{"query":"nothing like it"}`),
				call("state", `{"op":"get"}`), call("state", `{"op":"get","part":"decisions"}`),
			} {
				w.say(line, true)
			}
		},
		"writing": func(w *wire) {
			w.greet()
			for _, line := range []string{
				call("remember", `{"content":"the till is closed at `+
					`ten","kind":"fact","scope":"project","title":"Till","tags":["till"],"files":["till.go"],"importance":0.6,`+
					`"related":[{"name":"Till","type":"place","relationship":"closes"}]}`),
				call("remember", `{"content":"retries use jittered backoff"}`),
				call("remember", `{"content":"retries use jittered backoff","supersedes":"none"}`),
				call("remember", `{"content":"retries use backoff with jitter, 5 times","supersedes":"m_2"}`),
				call("update", `{"id":"m_1","content":"the gateway answers `+
					`429","importance":0.9,"tags":{"add":["http"],"remove":["net"]},"scope":"user","resolved":true,`+
					`"reason":"measured again"}`),
				call("feedback", `{"id":"m_1","verdict":"prevented","note":"a loop of retries"}`),
				call("forget", `{"id":"m_1","reason":"it is over"}`),
				call("state", `{"op":"update","phase":"release","blockers":[],"next_action":"tag it"}`),
				call("state", `{"op":"decision","title":"One queue","decision":"Valkey","rationale":"it is there"}`),
				call("state", `{"op":"progress","task":"the payment page","action":"complete"}`),
				call("state", `{"op":"session","summary":"wired the till","completed":["till"],"next":["lamp"]}`),
				call("state", `{"op":"handoff","text":"go on with the lamp"}`),
			} {
				w.say(line, true)
			}
		},
		"mistakes": func(w *wire) {
			w.greet()
			for _, line := range []string{
				call("search", `{}`), call("search", `{"query":"x","limt":3}`), call("search", `{"query":7}`),
				call("search", `{"query":"x","limit":51}`),
				call("search", `{"query":"x","scope":"world"}`), call("search", `{"query":"x","kind":"idea"}`),
				call("search", `{"query":"x","strategy":"graph"}`),
				call("search", `{"query":"x","after":"soon"}`), call("search", `{"query":"x","min_importance":2}`),
				call("search", `[]`), call("search", `null`),
				call("search", `{"query":"x","tags":[1]}`), call("timeline", `{"before":-1}`),
				call("timeline", `{"anchor":"m_1","file":"a.go"}`), call("timeline", `{"query":"x","file":"a.go"}`),
				call("get", `{"ids":[]}`), call("get", `{"ids":["m_1@x"]}`), call("get", `{"ids":["m_1"],"max_tokens":3}`),
				call("remember", `{"content":" "}`), call("remember", `{"content":"x","kind":"utterance"}`),
				call("remember", `{"content":"x","importance":-1}`),
				call("remember", `{"content":"x","supersedes":"m_99"}`), call("remember", `{"content":"x","related":["a"]}`),
				call("remember", `{"content":"`+strings.Repeat("x", 8001)+`"}`),
				call("update", `{"id":"m_1"}`), call("update", `{"id":"m_1","tags":["a"]}`),
				call("update", `{"id":"","importance":1}`), call("update", `{"id":"m_99","importance":1}`),
				call("update", `{"id":"m_1","content":""}`),
				call("forget", `{}`), call("forget", `{"id":"m_99"}`), call("feedback", `{"id":"m_1","verdict":"great"}`),
				call("feedback", `{"id":"m_1","verdict":"prevented"}`),
				call("state", `{}`), call("state", `{"op":"decision","title":"x"}`), call("state", `{"op":"update"}`),
				call("state", `{"op":"progress"}`), call("state", `{"op":"session"}`),
				call("state", `{"op":"handoff"}`), call("state", `{"op":"get","part":"all"}`), call("no_such", `{}`),
				`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`,
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":7}}`,
			} {
				w.say(line, true)
			}
		},
		"resources": func(w *wire) {
			w.greet()
			w.say(`{"jsonrpc":"2.0","id":2,"method":"resources/list"}`, true)
			w.say(`{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}`, true)
			for _, uri := range []string{
				"status", "session/summary", "project/state", "project/knowledge-graph",
				"user/preferences", "memory/m_1", "memory/m_99", "no/such",
			} {
				w.say(`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"remanence://`+uri+`"}}`, true)
			}
		},
		"prompts": func(w *wire) {
			w.greet()
			w.say(`{"jsonrpc":"2.0","id":2,"method":"prompts/list"}`, true)
			w.say(`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"handoff","arguments":{"focus":"the lamp"}}}`,
				true)
			w.say(`{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"checkpoint"}}`, true)
			w.say(`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"no-such"}}`, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := dial(t, shop(stocked()))
			play(w)
			w.leave()
			golden.Compare(t, filepath.Join("testdata", name+".txt"), w.log.Bytes())
		})
	}
}

func TestAMemoryThatIsNotThereIsAnAnswer(t *testing.T) {
	n := stocked()
	n.fails = errors.New("no worker reached")
	w := dial(t, shop(n))
	w.greet()
	for _, line := range []string{
		call("search", `{"query":"x"}`), call("timeline", `{}`), call("get", `{"ids":["m_1"]}`),
		call("remember", `{"content":"x"}`), call("update", `{"id":"m_1","importance":1}`),
		call("forget", `{"id":"m_1"}`), call("feedback", `{"id":"m_1","verdict":"useful"}`), call("state", `{"op":"get"}`),
		call("state", `{"op":"handoff","text":"x"}`),
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"remanence://status"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"remanence://memory/m_1"}}`,
	} {
		got := w.say(line, true)
		if !strings.Contains(got, `memory_unavailable`) || !strings.Contains(got, `degraded`) ||
			strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error":{"code"`) {
			t.Errorf("%s: got %s", line, got)
		}
	}
	w.leave()
	golden.Compare(t, "testdata/unavailable.txt", w.log.Bytes())
}

func TestAPausedProjectIsNotWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		pause mem.Pause
		kept  bool
		now   string
	}{
		"this session":     {mem.Pause{Target: "one"}, false, ""},
		"the project":      {mem.Pause{Target: "p_1"}, false, ""},
		"all":              {mem.Pause{Target: "all"}, false, ""},
		"another session":  {mem.Pause{Target: "two"}, true, ""},
		"the one after it": {mem.Pause{Target: "two"}, false, "two"},
		"injections only":  {mem.Pause{Target: "all", InjectOnly: true}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := stocked()
			n.pauses, n.now = []mem.Pause{tt.pause}, tt.now
			w := dial(t, shop(n))
			w.greet()
			before := len(n.list)
			got := w.say(call("remember", `{"content":"the lamp is green"}`), true)
			if kept := len(n.list) > before; kept != tt.kept || kept == strings.Contains(got, "paused") {
				t.Errorf("kept %v, want %v: %s", kept, tt.kept, got)
			}
			w.leave()
		})
	}
}

func TestAnAgentChangesOnlyItsProjectAndItsUser(t *testing.T) {
	n := stocked()
	n.list[0].Project = "p_2"
	n.list[2].Project = "p_2" // learned there, and the user's everywhere
	w := dial(t, shop(n))
	w.greet()
	for _, line := range []string{
		call("update", `{"id":"m_1","importance":1}`), call("forget", `{"id":"m_1"}`),
		call("feedback", `{"id":"m_1","verdict":"wrong"}`), call("remember", `{"content":"x","supersedes":"m_1"}`),
	} {
		if got := w.say(line, true); !strings.Contains(got, "other_project") {
			t.Errorf("%s: got %s", line, got)
		}
	}
	if got := w.say(call("update", `{"id":"m_3","importance":1}`), true); strings.Contains(got, "isError") {
		t.Errorf("the user's own: %s", got)
	}
	w.leave()
	if n.list[0].Importance != 0.7 || n.list[0].Status != mem.Active {
		t.Errorf("changed: %+v", n.list[0])
	}
}

func TestWritesAreSlowedDownAndReadsAreNot(t *testing.T) {
	n := stocked()
	c := shop(n)
	now := noon
	c.Now = func() time.Time { return now }
	w := dial(t, c)
	w.greet()
	for i := range burst {
		if got := w.say(call("feedback", `{"id":"m_1","verdict":"useful"}`), true); strings.Contains(got, codeOften) {
			t.Fatalf("write %d: %s", i+1, got)
		}
	}
	got := w.say(call("forget", `{"id":"m_1"}`), true)
	if !strings.Contains(got, codeOften) || !strings.Contains(got, "degraded") || n.list[0].Status != mem.Active {
		t.Errorf("one too many: %s", got)
	}
	if got := w.say(call("search", `{"query":"x"}`), true); strings.Contains(got, codeOften) {
		t.Errorf("a search: %s", got)
	}
	now = now.Add(gap)
	if got := w.say(call("forget", `{"id":"m_1"}`), true); strings.Contains(got, codeOften) {
		t.Errorf("after the gap: %s", got)
	}
	if got := w.say(call("forget", `{"id":"m_1"}`), true); !strings.Contains(got, codeOften) {
		t.Errorf("a second one after the gap: %s", got)
	}
	w.leave()
}

func TestAReaderListsAndDoesNothingThatChanges(t *testing.T) {
	n := stocked()
	c := shop(n)
	c.Reader, c.Tools = true, ToolsAll
	w := dial(t, c)
	w.greet()
	list := w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, true)
	for _, name := range []string{
		"remember", "update", "forget", "feedback", "memory_store", "forget_memory",
		"memory_save_decision", "promote_memory",
	} {
		if strings.Contains(list, `"name":"`+name+`"`) {
			t.Errorf("%s is listed", name)
		}
		if got := w.say(call(name, `{"id":"m_1","content":"x","verdict":"useful","title":"t","decision":"d"}`),
			true); !strings.Contains(got, "unknown tool") {
			t.Errorf("%s is done: %s", name, got)
		}
	}
	for _, op := range []string{"update", "decision", "progress", "session", "handoff"} {
		got := w.say(call("state", `{"op":"`+op+
			`","phase":"x","title":"t","decision":"d","task":"x","summary":"x","text":"x"}`), true)
		if !strings.Contains(got, "only reads") {
			t.Errorf("state %s is done: %s", op, got)
		}
	}
	if got := w.say(call("state", `{"op":"get"}`), true); !strings.Contains(got, "payment page") {
		t.Errorf("state get: %s", got)
	}
	if strings.Contains(list, `"readOnlyHint":false`) {
		t.Errorf("something that writes is listed: %s", list)
	}
	w.leave()
	for _, ask := range n.asked {
		switch ask.(type) {
		case recall.SearchRequest, workstate.Request, event.IDs, views.TimelineRequest, mem.ProjectRef:
		default:
			t.Errorf("asked for %T", ask)
		}
	}
}

func TestTheNamesOfOthersAreTheSameTools(t *testing.T) {
	n := stocked()
	c := shop(n)
	c.Tools = ToolsAll
	w := dial(t, c)
	w.greet()
	w.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, true)
	for _, line := range []string{
		call("memory_search", `{"query":"gateway"}`), call("memory_query", `{"query":"gateway","unheard_of":true}`),
		call("recall_memories", `{"query":"gateway","limit":1}`),
		call("memory_store", `{"content":"the till is closed at ten","scope":"project","tags":["till"]}`),
		call("store_memory", `{"content":"the lamp is green"}`),
		call("memory_status", `{}`), call("get_memory_status", `{}`), call("get_observations", `{"ids":["m_2"]}`),
		call("session_start_context", `{}`),
		call("get_memory_context", `{"task_description":"fix the `+
			`retries","files_in_context":["net/client.go"],"max_tokens":500}`),
		call("search_knowledge_graph", `{"entity":"net/client.go","depth":1,"include_memories":true}`),
		call("search_knowledge_graph", `{"entity":"x","depth":9}`),
		call("search_knowledge_graph", `{"entity":"m_1","direction":"in","relationship_type":"related_to"}`),
		call("search_knowledge_graph", `{"entity":"nobody"}`),
		call("search_knowledge_graph", `{"entity":"x","direction":"up"}`),
		call("reflect_and_consolidate", `{"strategy":"full","dry_run":true}`), call("reflect_and_consolidate", `{}`),
		call("update_memory", `{"id":"m_1","importance":0.2}`), call("promote_memory", `{"id":"m_1"}`),
		call("tag_memory", `{"id":"m_1","add":["http"],"remove":["net"]}`),
		call("forget_memory", `{"id":"m_1"}`), call("memory_update_state", `{"phase":"release"}`),
		call("memory_save_decision", `{"title":"t","decision":"d"}`),
		call("memory_save_progress", `{"task":"x","action":"add"}`), call("memory_save_session", `{"summary":"x"}`),
	} {
		w.say(line, true)
	}
	w.leave()
	golden.Compare(t, "testdata/others.txt", w.log.Bytes())
}

func TestAHalfLineAtTheEndIsNoMessage(t *testing.T) {
	w := dial(t, shop(stocked()))
	w.greet()
	if _, err := io.WriteString(w.in, `{"jsonrpc":"2.0","id":5,"method":"tools/ca`); err != nil {
		t.Fatal(err)
	}
	_ = w.in.Close()
	rest, err := io.ReadAll(w.out)
	if err := errors.Join(err, <-w.done); err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
	if !bytes.Contains(rest, []byte("-32700")) {
		t.Errorf("got %s", rest)
	}
	_ = w.end.Close()
}

func TestCallsThatCameBeforeTheEndAreAnswered(t *testing.T) {
	n := stocked()
	c := shop(n)
	released := make(chan struct{})
	search := c.Memory.Search
	c.Memory.Search = func(ctx context.Context, ask recall.SearchRequest) (recall.SearchResponse, error) {
		<-released
		return search(ctx, ask)
	}
	w := dial(t, c)
	w.greet()
	w.say(call("search", `{"query":"gateway"}`), false)
	_ = w.in.Close()
	close(released)
	if got, err := w.out.ReadString('\n'); err != nil || !strings.Contains(got, "m_1") {
		t.Errorf("got %q, %v", got, err)
	}
	w.leave()
}

func TestAClientThatNeitherReadsNorGoesIsLeft(t *testing.T) {
	for what, end := range map[string]func(stop context.CancelFunc, in *io.PipeWriter){
		"canceled":           func(stop context.CancelFunc, _ *io.PipeWriter) { stop() },
		"nothing more comes": func(_ context.CancelFunc, in *io.PipeWriter) { _ = in.Close() },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				fromClient, in := io.Pipe()
				out, toClient := io.Pipe()
				c := shop(stocked())
				c.Abandon = func() { _ = out.Close() } // what the end of the process does
				done := make(chan error, 1)
				go func() { done <- New(c).Serve(ctx, fromClient, toClient) }()
				if _, err := io.WriteString(in, hello+"\n"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait() // the answer waits to be read
				begun := time.Now()
				end(stop, in)
				late := time.AfterFunc(time.Hour, func() {
					t.Error("it still waits for the answer to be read")
					_ = out.Close()
				})
				if err := <-done; err != nil && !errors.Is(err, io.ErrClosedPipe) {
					t.Errorf("serve: %v", err)
				}
				late.Stop()
				if took := time.Since(begun); took > lastAnswers+2*lastWrite {
					t.Errorf("it took %s", took)
				}
				_ = in.Close()
			})
		})
	}
}

// textOf is the JSON that a tool answered with.
func textOf(t *testing.T, answer string) map[string]any {
	t.Helper()
	var got struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got.Result.Content) != 1 {
		t.Fatalf("no answer: %v in %s", err, answer)
	}
	if err := json.Unmarshal([]byte(got.Result.Content[0].Text), &v); err != nil {
		t.Fatalf("no JSON: %v in %s", err, answer)
	}
	return v
}
