package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"remanence/internal/agent"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

func TestMain(m *testing.M) {
	if scene := os.Getenv("HOOK_TEST_SCENE"); scene != "" {
		runScenario(scene)
		return
	}
	// The runtime's signal loop must not belong to one test's bubble.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, os.Interrupt)
	signal.Stop(caught)
	goleak.VerifyTestMain(m)
}

const promptPayload = `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt_id":"p","cwd":"/project",` +
	`"prompt":"fix the parser"}`

const startPayload = `{"hook_event_name":"SessionStart","session_id":"s","source":"startup"}`

// redactPayload reads one object and redacts nothing.
func redactPayload(r io.Reader) (hook.Payload, error) {
	var raw json.RawMessage
	if err := json.NewDecoder(r).Decode(&raw); err != nil {
		return hook.Payload{}, err
	}
	return hook.Payload{JSON: raw, Size: int64(len(raw))}, nil
}

type handler func(context.Context, mem.Event) (mem.Reply, error)

func (h handler) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) { return h(ctx, e) }

func alwaysHasText(r mem.Reply) handler {
	return func(context.Context, mem.Event) (mem.Reply, error) { return r, nil }
}

func fails(context.Context, mem.Event) (mem.Reply, error) {
	return mem.Reply{}, errors.New("no worker")
}

func panics(context.Context, mem.Event) (mem.Reply, error) { panic("secret words of the payload") }

// hangs heeds no context. It is let go when the test ends.
func hangs(t *testing.T) handler {
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	return func(context.Context, mem.Event) (mem.Reply, error) {
		<-never
		return mem.Reply{}, errors.New("late")
	}
}

// kept is a handler that remembers.
type kept struct {
	mu     sync.Mutex
	events []mem.Event
}

func (k *kept) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, e)
	return mem.Reply{Context: "never injected: a spool only keeps"}, ctx.Err()
}

// busy is what calls have on top of their limits in tests that are not about
// those: the machine may have other things to do.
const busy = time.Minute

// stage is a hook call in a test and what became of it.
type fixture struct {
	hook.Config
	out     bytes.Buffer
	lines   []string
	dropped []string
	exits   []int
}

func newFixture(payload string, h mem.Handler) *fixture {
	s := &fixture{}
	s.Config = hook.Config{
		Dialect:     agent.Claude{},
		Stdin:       strings.NewReader(payload),
		Stdout:      &s.out,
		Getenv:      func(string) string { return "" },
		ReadPayload: redactPayload,
		Handler:     h,
		Now:         func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) },
		Nonce:       "n",
		Slack:       busy,
		Log:         func(l hook.Line) { s.lines = append(s.lines, l.String()) },
		Dropped:     func(reason string) { s.dropped = append(s.dropped, reason) },
		Exit:        func(code int) { s.exits = append(s.exits, code) },
	}
	return s
}

func TestAnswerIsPrintedOnce(t *testing.T) {
	var got mem.Event
	s := newFixture(promptPayload+" trailing", handler(func(_ context.Context, e mem.Event) (mem.Reply, error) {
		got = e
		return mem.Reply{Context: "the parser is in parse.go"}, nil
	}))
	hook.Run(s.Config)
	if want := `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"the parser is in ` +
		`parse.go"}}`; s.out.String() != want {
		t.Errorf("printed %s, want %s", &s.out, want)
	}
	if got.Text != "fix the parser" || !strings.HasPrefix(got.ID, "e_") || got.At.IsZero() ||
		got.Size != int64(len(promptPayload)) {
		t.Errorf("handled %+v", got)
	}
	if len(s.exits)+len(s.dropped) != 0 {
		t.Errorf("exits %v, dropped %v; want none", s.exits, s.dropped)
	}
}

func TestShownIsCalledAfterTheReplyIsWritten(t *testing.T) {
	for name, c := range map[string]struct {
		reply mem.Reply
		fail  bool
		want  int
	}{
		"written":       {mem.Reply{Context: "c"}, false, 1},
		"silence":       {mem.Reply{}, false, 0},
		"not delivered": {mem.Reply{Context: "c"}, true, 0},
	} {
		s, shown := newFixture(promptPayload, alwaysHasText(c.reply)), 0
		s.ReplyWritten = func() {
			if shown++; s.out.Len() == 0 && !c.fail {
				t.Errorf("%s: shown before it was written", name)
			}
		}
		if c.fail {
			r, w := io.Pipe()
			_ = r.Close()
			s.Stdout = w
		}
		hook.Run(s.Config)
		if shown != c.want {
			t.Errorf("%s: shown %d times, want %d", name, shown, c.want)
		}
	}
}

func TestInputIsNotReadBeyondTheObject(t *testing.T) {
	r, w := io.Pipe() // never closed, as some clients do
	go func() { _, _ = io.WriteString(w, promptPayload) }()
	s := newFixture("", alwaysHasText(mem.Reply{Context: "c"}))
	s.Stdin = r
	hook.Run(s.Config)
	if s.out.Len() == 0 || len(s.exits) != 0 {
		t.Errorf("printed %q, exits %v; want an answer in time", &s.out, s.exits)
	}
}

func TestUnacknowledgedEventGoesToTheSpool(t *testing.T) {
	for name, worker := range map[string]func(*testing.T) mem.Handler{
		"fails":        func(*testing.T) mem.Handler { return handler(fails) },
		"panics":       func(*testing.T) mem.Handler { return handler(panics) },
		"hangs":        func(t *testing.T) mem.Handler { return hangs(t) },
		"is not there": func(*testing.T) mem.Handler { return nil },
	} {
		synctest.Test(t, func(t *testing.T) {
			var spool kept
			s := newFixture(promptPayload, hook.FirstOf(worker(t), &spool, busy))
			hook.Run(s.Config)
			if len(spool.events) != 1 || spool.events[0].Text != "fix the parser" {
				t.Errorf("%s: spool got %+v, want the prompt", name, spool.events)
			}
			if s.out.Len() != 0 || len(s.dropped)+len(s.exits) != 0 {
				t.Errorf("%s: printed %q, dropped %v, exits %v; want silence", name, &s.out, s.dropped, s.exits)
			}
		})
	}
}

func TestAcknowledgedEventDoesNotGoToTheSpool(t *testing.T) {
	var spool kept
	s := newFixture(promptPayload, hook.FirstOf(alwaysHasText(mem.Reply{}), &spool, busy))
	hook.Run(s.Config)
	if len(spool.events) != 0 {
		t.Errorf("spool got %+v", spool.events)
	}
}

func TestUndeliverableEventIsDroppedAndCounted(t *testing.T) {
	for name, h := range map[string]mem.Handler{
		"no handler at all": nil,
		"neither is there":  hook.FirstOf(nil, nil, busy),
		"both fail":         hook.FirstOf(handler(fails), handler(fails), busy),
		"both panic":        hook.FirstOf(handler(panics), handler(panics), busy),
	} {
		s := newFixture(promptPayload, h)
		hook.Run(s.Config)
		if !slices.Equal(s.dropped, []string{hook.DroppedHandler}) || s.out.Len() != 0 {
			t.Errorf("%s: dropped %v, printed %q; want one drop and silence", name, s.dropped, &s.out)
		}
	}
}

type refusal struct{}

func (refusal) Error() string { return "full" }
func (refusal) Counted() bool { return true }

func TestRefusedEventIsCountedOnce(t *testing.T) {
	full := func(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, refusal{} }
	s := newFixture(promptPayload, hook.FirstOf(handler(fails), handler(full), busy))
	hook.Run(s.Config)
	if len(s.dropped) != 0 || len(s.lines) != 1 {
		t.Errorf("dropped %v, logged %q; the spool has counted it", s.dropped, s.lines)
	}
}

func TestUnusualInputGivesNoOutput(t *testing.T) {
	for _, c := range []struct {
		name, in string
		dropped  []string
	}{
		{"empty", "", nil},
		{"half an object", promptPayload[:40], []string{hook.DroppedInput}},
		{"no JSON", "hello", []string{hook.DroppedInput}},
		{"a list", "[1,2]", []string{hook.DroppedInput}},
		{"no session", `{"hook_event_name":"Stop"}`, []string{hook.DroppedInput}},
		{"an event of another program", `{"hook_event_name":"WorktreeCreate","session_id":"s"}`, nil},
	} {
		s := newFixture(c.in, alwaysHasText(mem.Reply{Context: "c"}))
		hook.Run(s.Config)
		if s.out.Len() != 0 || !slices.Equal(s.dropped, c.dropped) || len(s.lines) != 1 {
			t.Errorf("%s: printed %q, dropped %v, logged %q; want silence, %v and one line", c.name, &s.out, s.dropped, s.lines,
				c.dropped)
		}
	}
}

// A hook of a plugin that several agents run answers each in its own form.
func TestAHookOfNoCertainAgentAnswersTheOneThatCalls(t *testing.T) {
	for _, c := range []struct {
		name, in string
		env      map[string]string
		want     string
	}{
		{
			"claude-code", promptPayload, nil,
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}`,
		},
		{"copilot", promptPayload, map[string]string{"COPILOT_CLI": "1"}, `{"additionalContext":"c"}`},
		{
			"codex", strings.Replace(promptPayload, "{", `{"turn_id":"t-1",`, 1), nil,
			`{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"c"}}`,
		},
	} {
		agents := []string{}
		s := newFixture(c.in, handler(func(_ context.Context, e mem.Event) (mem.Reply, error) {
			agents = append(agents, e.Agent)
			return mem.Reply{Context: "c"}, nil
		}))
		s.Dialect, s.Getenv = nil, func(name string) string { return c.env[name] }
		hook.Run(s.Config)
		if s.out.String() != c.want || !slices.Equal(agents, []string{c.name}) {
			t.Errorf("%s: printed %s for %v, want %s", c.name, &s.out, agents, c.want)
		}
	}
}

func TestPanicGivesNoOutput(t *testing.T) {
	boom := func() { panic("secret words of the payload") }
	for name, breakIt := range map[string]func(*fixture){
		"redactor": func(s *fixture) {
			s.ReadPayload = func(io.Reader) (hook.Payload, error) { boom(); return hook.Payload{}, nil }
		},
		"clock":   func(s *fixture) { s.Now = func() time.Time { boom(); return time.Time{} } },
		"ignore":  func(s *fixture) { s.Ignore = func(mem.Event) bool { boom(); return false } },
		"handler": func(s *fixture) { s.Handler = handler(panics) },
		"getenv":  func(s *fixture) { s.Getenv = func(string) string { boom(); return "" } },
		"counter": func(s *fixture) { s.Handler = nil; s.Dropped = func(string) { boom() } },
	} {
		s := newFixture(promptPayload, alwaysHasText(mem.Reply{Context: "c"}))
		breakIt(s)
		hook.Run(s.Config)
		if s.out.Len() != 0 || len(s.exits) != 0 {
			t.Errorf("%s: printed %q, exits %v; want silence", name, &s.out, s.exits)
		}
		if name != "counter" && !slices.Equal(s.dropped, []string{hook.DroppedPanic}) {
			t.Errorf("%s: dropped %v, want one %s", name, s.dropped, hook.DroppedPanic)
		}
		if all := strings.Join(s.lines, "\n"); strings.Contains(all, "secret") {
			t.Errorf("%s: the log quotes the payload: %s", name, all)
		}
	}
	s := newFixture(promptPayload, alwaysHasText(mem.Reply{Context: "c"}))
	s.Log = func(hook.Line) { boom() }
	hook.Run(s.Config)
	if s.out.Len() == 0 || len(s.dropped) != 0 {
		t.Errorf("a log that panics: printed %q, dropped %v; want the answer", &s.out, s.dropped)
	}
}

func TestPrepareRunsInsideTheHardLimit(t *testing.T) {
	prepared := newFixture(promptPayload, alwaysHasText(mem.Reply{Context: "c"}))
	hook.Run(hook.Config{
		Dialect: prepared.Dialect, Stdin: prepared.Stdin, Stdout: prepared.Stdout, Getenv: prepared.Getenv,
		Now: prepared.Now, Exit: prepared.Exit,
		Prepare: func(hook.Config) hook.Config { return prepared.Config },
	})
	if prepared.out.Len() == 0 || len(prepared.lines) != 1 {
		t.Errorf("printed %q, logged %q; want an answer and one line", &prepared.out, prepared.lines)
	}

	s := newFixture(promptPayload, alwaysHasText(mem.Reply{Context: "c"}))
	s.Prepare = func(hook.Config) hook.Config { panic("bad file") }
	hook.Run(s.Config)
	if s.out.Len() != 0 || !slices.Equal(s.dropped, []string{hook.DroppedPanic}) {
		t.Errorf("a panic there: printed %q, dropped %v; want silence and a count", &s.out, s.dropped)
	}

	synctest.Test(t, func(t *testing.T) {
		s := newFixture(promptPayload, nil)
		s.Slack = 0
		never := make(chan struct{})
		s.Prepare = func(c hook.Config) hook.Config { <-never; return c }
		ended := make(chan time.Duration, 1)
		begun := time.Now()
		s.Exit = func(int) { ended <- time.Since(begun) }
		go hook.Run(s.Config)
		if got := <-ended; got != 250*time.Millisecond || !slices.Equal(s.dropped, []string{hook.DroppedTime}) {
			t.Errorf("ended after %v, dropped %v", got, s.dropped)
		}
		close(never)
	})
}

func TestDisabledGivesNoOutput(t *testing.T) {
	for env, silent := range map[string]bool{
		"REMANENCE_DISABLED=1": true, "REMANENCE_DISABLED=true": true, "REMANENCE_DISABLED=0": false,
		"REMANENCE_DEPTH=1": true, "REMANENCE_DEPTH=7": true, "REMANENCE_DEPTH=0": false, "REMANENCE_DEPTH=x": true,
	} {
		name, value, _ := strings.Cut(env, "=")
		var k kept
		s := newFixture(promptPayload, &k)
		s.Getenv = func(n string) string {
			if n == name {
				return value
			}
			return ""
		}
		hook.Run(s.Config)
		if (len(k.events) == 0) != silent || silent && len(s.lines)+len(s.dropped)+s.out.Len() > 0 {
			t.Errorf("%s: handled %d, logged %v, dropped %v; want silent %t", env, len(k.events), s.lines, s.dropped, silent)
		}
	}
}

func TestIgnoredEventIsNotHandled(t *testing.T) {
	var k kept
	s := newFixture(promptPayload, &k)
	s.Ignore = func(e mem.Event) bool { return e.Root == "/project" }
	hook.Run(s.Config)
	if len(k.events) != 0 || len(s.dropped) != 0 || s.out.Len() != 0 {
		t.Errorf("handled %v, dropped %v, printed %q", k.events, s.dropped, &s.out)
	}
	if len(s.lines) != 0 {
		t.Errorf("logged %q: a pause of weeks would fill the log", s.lines)
	}
}

func TestFullyPrivatePromptIsMarked(t *testing.T) {
	for _, c := range []struct {
		payload string
		private bool // a private span was redacted
		want    bool
	}{
		{`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":" "}`, true, true},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"rest"}`, true, false},
		{`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":""}`, false, false},
		{`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash"}`, true, false},
	} {
		var k kept
		s := newFixture(c.payload, &k)
		s.ReadPayload = func(r io.Reader) (hook.Payload, error) {
			p, err := redactPayload(r)
			p.Private, p.Truncated = c.private, true
			return p, err
		}
		hook.Run(s.Config)
		if len(k.events) != 1 || k.events[0].Private != c.want || !k.events[0].Truncated {
			t.Errorf("%s with span %t: got %+v, want private %t", c.payload, c.private, k.events, c.want)
		}
	}
}

func TestLogNamesToolsAndNoText(t *testing.T) {
	for command, want := range map[string]string{
		"git commit -m hunter2":      "HOOK PostToolUse Bash(git…)",
		"/usr/bin/git status":        "HOOK PostToolUse Bash(git…)",
		"API_KEY=hunter2 run":        "HOOK PostToolUse Bash(…)",
		"hunter2HUNTER2hunter2 x":    "HOOK PostToolUse Bash(…)",
		"cat<<EOF":                   "HOOK PostToolUse Bash(…)",
		strings.Repeat("hunter2", 9): "HOOK PostToolUse Bash(…)",
		"":                           "HOOK PostToolUse Bash",
	} {
		in, _ := json.Marshal(map[string]string{"command": command})
		s := newFixture(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_input":`+string(in)+`}`,
			alwaysHasText(mem.Reply{}))
		hook.Run(s.Config)
		if !slices.Equal(s.lines, []string{want}) {
			t.Errorf("%q: logged %q, want %q", command, s.lines, want)
		}
	}
}
