package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/test/tier"
)

// player is a talker whose reports may get lost on their way.
type player struct {
	*talker
	lose  func(mem.Event) bool // nil loses nothing
	lost  []string             // by mark
	calls int
}

func newPlayer(t *testing.T) *player { return &player{talker: newTalker(t)} }

// happens reports an event, unless it gets lost.
func (p *player) happens(e mem.Event) {
	p.t.Helper()
	if p.lose != nil && p.lose(e) {
		p.clock = p.clock.Add(time.Second)
		p.lost = append(p.lost, markOf(e.Kind, e.PromptID, e.ToolUseID))
		return
	}
	p.reports(e)
}

func markOf(k mem.EventKind, prompt, tool string) string {
	return string(k) + " " + prompt + " " + tool
}

func (p *player) asks(text string) {
	p.t.Helper()
	p.n++
	id := fmt.Sprint("p", p.n)
	p.clock = p.clock.Add(time.Second)
	p.writes(map[string]any{
		"type": "user", "sessionId": "one", "uuid": "u" + id, "promptId": id,
		"message": map[string]any{"content": text},
	})
	redacted := p.Redactor.Prompt(text)
	p.happens(mem.Event{Kind: mem.UserPromptSubmit, PromptID: id, Text: redacted, Private: redacted == ""})
}

// runs a command of the shell; one with a failure ends with it.
func (p *player) runs(command, output, failure string) {
	p.t.Helper()
	p.calls++
	id, prompt := fmt.Sprint("toolu_", p.calls), fmt.Sprint("p", p.n)
	input := map[string]any{"command": command}
	p.writes(map[string]any{"type": "assistant", "sessionId": "one", "uuid": "c" + id, "message": map[string]any{
		"id": "msg" + id, "stop_reason": "tool_use",
		"content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": input}},
	}})
	e := mem.Event{Kind: mem.PostToolUse, PromptID: prompt, Tool: "Bash", ToolUseID: id}
	e.Input, _ = json.Marshal(input)
	result := map[string]any{"type": "tool_result", "tool_use_id": id, "content": output}
	line := map[string]any{
		"type": "user", "sessionId": "one", "uuid": "r" + id, "promptId": prompt,
		"message": map[string]any{"content": []any{result}},
	}
	if failure == "" {
		e.Response, _ = json.Marshal(map[string]any{"stdout": output})
		line["toolUseResult"] = map[string]any{"stdout": output}
	} else {
		e.Kind, e.Error = mem.PostToolUseFailure, failure
		result["content"], result["is_error"], line["toolUseResult"] = failure, true, "Error: "+failure
	}
	p.clock = p.clock.Add(time.Second)
	p.writes(line)
	p.happens(e)
}

func (p *player) answers(text string) {
	p.t.Helper()
	id := fmt.Sprint("p", p.n)
	p.clock = p.clock.Add(time.Second)
	p.writes(map[string]any{"type": "assistant", "sessionId": "one", "uuid": "a" + id, "message": map[string]any{
		"id": "m" + id, "stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": text}},
	}})
	p.happens(mem.Event{Kind: mem.Stop, PromptID: id, Text: p.Redactor.Text(text)})
}

// stored returns the events that are stored of the session, one line each.
func (p *player) stored() []string {
	p.t.Helper()
	list, err := p.Store.EventHeaders(p.t.Context(), "one")
	if err != nil {
		p.t.Fatal(err)
	}
	var out []string
	for _, h := range list {
		switch h.Kind {
		case mem.UserPromptSubmit, mem.PostToolUse, mem.PostToolUseFailure, mem.Stop:
			out = append(out, markOf(h.Kind, h.PromptID, h.ToolUseID))
		}
	}
	slices.Sort(out)
	return out
}

// silent lets the session be, until its record is looked at.
func (p *player) silent() {
	p.t.Helper()
	if err := p.works(p.t.Context(), time.Hour); err != nil {
		p.t.Fatal(err)
	}
}

// story plays a session of some turns, of which some are private, some are our
// own commands, and some take place in a pause. What is not to be kept says so.
func (p *player) story(r *rand.Rand, turns int) {
	p.t.Helper()
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	for i := range turns {
		secret, paused := fmt.Sprint("walrus", i), false
		switch r.IntN(8) {
		case 0:
			p.asks("<private>the codename is " + secret + "</private>")
		case 1:
			p.asks("/remanence:recall the codename")
		case 2:
			paused = true
			p.pauses(mem.Pause{Target: "one"})
			p.clock = p.clock.Add(5 * time.Second)
			p.asks("what about " + secret)
		case 3:
			secret = fmt.Sprint("open", i)
			p.asks("fix " + secret + " <private>walrus too</private>")
		default:
			secret = fmt.Sprint("open", i)
			p.asks("fix the build of package " + secret)
		}
		for n := range r.IntN(5) {
			if r.IntN(3) == 0 {
				p.runs(fmt.Sprintf("make %s%d", secret, n), "", "Exit code 2\nundefined: "+secret)
			} else {
				p.runs(fmt.Sprintf("go test ./%s/%d", secret, n), "ok "+secret, "")
			}
		}
		p.answers("We decided to keep " + secret + " in its own package because it is simpler.")
		if paused {
			p.clock = p.clock.Add(5 * time.Second)
			p.pauses(mem.Pause{Target: "one", Lift: true})
			p.clock = p.clock.Add(5 * time.Second)
		}
	}
	p.reports(mem.Event{Kind: mem.SessionEnd, Source: "other"})
}

func (p *player) pauses(x mem.Pause) {
	p.t.Helper()
	if _, err := p.Store.Apply(p.t.Context(), mem.Batch{Pauses: []mem.Pause{x}}); err != nil {
		p.t.Fatal(err)
	}
}

func TestWhatNoHookDeliveredComesBackFromTheRecord(t *testing.T) {
	r := tier.Rand(t)
	lost := 0
	for range tier.Runs(3, 60) {
		seed := r.Uint64()
		whole := newPlayer(t)
		whole.story(rand.New(rand.NewPCG(seed, 1)), 30)
		whole.silent()

		holes, dice := newPlayer(t), rand.New(rand.NewPCG(seed, 2))
		private := map[string]bool{}
		holes.lose = func(e mem.Event) bool {
			// A private prompt, or one to us, is stored: the rest of its turn is private too.
			if e.Kind == mem.UserPromptSubmit && (e.Private || strings.HasPrefix(e.Text, "/remanence:")) || private[e.PromptID] {
				private[e.PromptID] = true
				return false
			}
			return dice.IntN(20) == 0
		}
		holes.story(rand.New(rand.NewPCG(seed, 1)), 30)
		before := holes.stored()
		holes.silent()
		if got, want := holes.stored(), whole.stored(); !slices.Equal(got, want) {
			t.Errorf("seed %d: %d lost; kept with holes %d, found again %d, without holes %d\ngot  %q\nwant %q", seed,
				len(holes.lost), len(before), len(got)-len(before), len(want), got, want)
		}
		lost += len(whole.stored()) - len(before)
		if b := holes.bytes(); strings.Contains(b, "walrus") {
			at := strings.Index(b, "walrus")
			t.Errorf("seed %d: kept: %q", seed, b[max(0, at-200):at+100])
		}
		again := holes.stored()
		holes.engineAgain()
		if got := holes.stored(); !slices.Equal(got, again) {
			t.Errorf("seed %d: twice found %d, once %d", seed, len(got), len(again))
		}
	}
	if lost == 0 {
		t.Error("nothing was lost, so nothing was proven")
	}
	t.Logf("%d lost reports were found again", lost)
}

func TestWhatWasErasedDoesNotComeBackFromTheRecord(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("the walrus is the mascot of the project, is it not")
	p.runs("grep -rn walrus .", "walrus.go", "")
	p.lose = func(mem.Event) bool { return true }
	p.runs("cat walrus.go", "package walrus", "")
	p.answers("We decided that the walrus is the mascot because it is large.")
	p.lose = nil
	p.asks("and something else")
	p.answers("Something else it is.")
	p.clock = p.clock.Add(time.Second)
	if _, err := p.Daemon.purge(t.Context(), event.PurgeRequest{IDs: []string{"one"}}); err != nil {
		t.Fatal(err)
	}
	p.asks("what is left to do for the gate")
	p.lose = func(e mem.Event) bool { return e.Kind == mem.PostToolUse }
	p.runs("ls gate", "gate.go", "")
	p.lose = nil
	p.answers("The gate is done.")
	p.silent()
	p.engineAgain()
	if got, want := p.stored(), []string{"PostToolUse p3 toolu_3", "Stop p3 ", "UserPromptSubmit p3 "}; !slices.Equal(got,
		want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if b := p.bytes(); strings.Contains(b, "walrus") {
		t.Error("what was erased is there again")
	}
}

func TestWhatIsFromBeforeSomethingWasErasedDoesNotComeBack(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("what is the mascot of the project")
	p.lose = func(e mem.Event) bool { return e.Kind == mem.PostToolUse }
	p.runs("cat walrus.go", "package walrus", "")
	p.lose = nil
	p.answers("We decided that the walrus is the mascot because it is large.")
	ms, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Decision}})
	if err != nil || len(ms) != 1 {
		t.Fatalf("%d decisions, %v", len(ms), err)
	}
	p.clock = p.clock.Add(time.Second)
	if _, err := p.Daemon.purge(t.Context(), event.PurgeRequest{IDs: []string{ms[0].ID}}); err != nil {
		t.Fatal(err)
	}
	p.silent()
	p.engineAgain()
	if b := p.bytes(); strings.Contains(b, "walrus") {
		t.Error("what was erased is there again")
	}
}

// Nothing is known of such a turn but what the record says.
func TestATurnInPrivateThatGotLostStaysLost(t *testing.T) {
	for _, prompt := range []string{
		"<private>the codename is walrus</private>", "/remanence:recall walrus",
		"<command-message>remanence:recall</command-message>\n<command-name>/remanence:recall</command-name>",
	} {
		p := newPlayer(t)
		p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
		p.asks("look at the gate")
		p.answers("The gate is done.")
		p.lose = func(mem.Event) bool { return true }
		p.asks(prompt)
		p.runs("cat walrus.go", "package walrus", "")
		p.answers("We decided that the walrus stays.")
		p.lose = nil
		p.asks("back to the gate")
		p.answers("The gate is open.")
		p.silent()
		if got := p.stored(); len(got) != 4 {
			t.Errorf("%s: kept %q", prompt, got)
		}
		if b := p.bytes(); strings.Contains(b, "walrus") {
			t.Errorf("%s: kept", prompt)
		}
	}
}

// Events of a session that was started without Remanence are not stored.
func TestWhatHappenedWithoutUsIsNotFound(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("look at the gate")
	p.answers("The gate is done.")
	p.lose = func(mem.Event) bool { return true }
	p.asks("now about the walrus")
	p.runs("cat walrus.go", "package walrus", "")
	p.answers("We decided that the walrus stays.")
	p.lose = nil
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "resume"})
	p.asks("back to the gate")
	p.answers("The gate is open.")
	p.silent()
	if b := p.bytes(); strings.Contains(b, "walrus") {
		t.Error("what happened without us is kept")
	}
}

func TestWhatIsExcludedIsNotFoundInTheRecord(t *testing.T) {
	p := newPlayer(t)
	if err := os.MkdirAll(filepath.Dir(p.paths.Config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.paths.Config, []byte("[privacy]\nexclude_tools = [\"Bash\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("look at the gate")
	p.runs("cat walrus.go", "package walrus", "")
	p.answers("The gate is done.")
	p.silent()
	if b := p.bytes(); strings.Contains(b, "walrus") {
		t.Error("an excluded call is kept")
	}
}

// A failure whose event was lost is not open if the same command succeeded afterwards.
func TestALostFailureThatWasFixedIsNotOpen(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("make the build work again")
	p.lose = func(e mem.Event) bool { return e.Kind == mem.PostToolUseFailure }
	p.runs("make gate", "", "Exit code 2\nundefined: gate")
	p.runs("make fence", "", "Exit code 2\nundefined: fence")
	p.lose = nil
	p.runs("make gate", "ok", "")
	p.answers("The gate builds.")
	p.silent()
	open, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Command}, Open: true, Within: "*"})
	if err != nil || len(open) != 1 || open[0].Command != "make fence" {
		t.Errorf("open: %+v, %v, want make fence alone", open, err)
	}
}

// subagentRuns puts a command into the record of a subagent of the newest turn.
func (p *player) subagentRuns(id, command string) {
	p.t.Helper()
	p.clock = p.clock.Add(time.Second)
	dir := filepath.Join(p.dir, "one", "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
	at, call := p.clock.Format(time.RFC3339Nano), "toolu_"+id
	text := fmt.Sprintf(`{"type":"assistant","isSidechain":true,"agentId":%q,"sessionId":"one","timestamp":%q,`+
		`"message":{"id":"m","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}}
{"type":"user","isSidechain":true,"agentId":%q,"sessionId":"one","promptId":"p%d","timestamp":%q,`+
		`"toolUseResult":{"stdout":"x"},"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"x"}]}}
`, id, at, call, command, id, p.n, at, call)
	file := filepath.Join(dir, "agent-"+id+".jsonl")
	if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, p.clock, p.clock)); err != nil {
		p.t.Fatal(err)
	}
}

func TestASubagentsLostCallIsFoundUnlessItsTurnIsPrivate(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("have somebody build the gate")
	p.subagentRuns("a0", "make fence")
	p.reports(mem.Event{
		Kind: mem.PostToolUse, PromptID: "p1", Tool: "Bash", ToolUseID: "toolu_a0", AgentID: "a0",
		Input: []byte(`{"command":"make fence"}`), Response: []byte(`{"stdout":"x"}`),
	})
	p.subagentRuns("a1", "make gate")
	p.answers("The gate is built.")
	p.asks("<private>have somebody feed the walrus</private>")
	p.subagentRuns("a2", "feed walrus")
	p.answers("It is fed.")
	p.silent()
	want := []string{
		"PostToolUse p1 toolu_a0", "PostToolUse p1 toolu_a1", "Stop p1 ", "Stop p2 ", "UserPromptSubmit p1 ",
		"UserPromptSubmit p2 ",
	}
	if got := p.stored(); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if b := p.bytes(); strings.Contains(b, "walrus") {
		t.Error("what a private turn's subagent did is kept")
	}
	ev, err := p.Store.Events(t.Context(), mem.EventQuery{Session: "one", Kinds: []mem.EventKind{mem.PostToolUse}})
	if err != nil || len(ev) != 2 || ev[0].AgentID != "a1" || !ev[0].Recovered || ev[1].Recovered {
		t.Errorf("got %+v, %v, want the one that was lost and the one that was reported", ev, err)
	}
}

// The agent was killed: no end of a turn, no end of the session.
func TestASessionThatBrokeOffIsLookedAtWhenTheNextOneStarts(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("fix the build of the gate")
	p.lose = func(mem.Event) bool { return true }
	p.runs("make gate", "", "Exit code 2\nundefined: gate")
	p.answers("We decided to move the gate into its own package because it is simpler.")
	p.lose = nil
	p.clock = p.clock.Add(time.Hour)
	e := mem.Event{
		Agent: "claude-code", Kind: mem.SessionStart, Source: "startup", Session: "two", Root: p.dir,
		At: p.clock, Transcript: filepath.Join(p.dir, "two.jsonl"),
	}
	e.Identify("two")
	if _, err := p.Engine.Handle(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if err := p.works(t.Context(), 2*time.Second); err != nil {
		t.Fatal(err)
	}
	if got := p.stored(); len(got) != 3 {
		t.Errorf("kept %q, want the prompt, the call and the end", got)
	}
	ms, err := p.Store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.Decision}})
	if err != nil || len(ms) != 1 {
		t.Errorf("%d decisions, %v, want the one of the answer", len(ms), err)
	}
}

// engineAgain has the record looked at from its beginning once more.
func (p *player) engineAgain() {
	p.t.Helper()
	if _, err := p.Store.Apply(p.t.Context(),
		mem.Batch{TranscriptPositions: []mem.TranscriptPosition{{Session: "one"}}}); err != nil {
		p.t.Fatal(err)
	}
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "resume"})
	p.silent()
}

// says adds a message to the transcript that does not end the turn.
func (p *player) says(text string) {
	p.t.Helper()
	p.clock = p.clock.Add(time.Second)
	p.writes(map[string]any{"type": "assistant", "sessionId": "one", "uuid": "s" + text, "message": map[string]any{
		"id": "s" + text, "stop_reason": "tool_use", "content": []any{map[string]any{"type": "text", "text": text}},
	}})
}

// Another session starts while a turn seems interrupted. The turn goes on, and the event of
// its end is lost.
func TestTheEndOfATurnTakenAsInterruptedIsRecovered(t *testing.T) {
	p := newPlayer(t)
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "startup"})
	p.asks("fix the build of the gate")
	p.says("The cause is that gate.go compares the limit as text.")
	p.clock = p.clock.Add(time.Minute)
	other := mem.Event{
		Agent: "claude-code", Kind: mem.SessionStart, Source: "startup", Session: "two", Root: p.dir,
		At: p.clock, Transcript: filepath.Join(p.dir, "two.jsonl"),
	}
	other.Identify("two")
	if _, err := p.Engine.Handle(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	stops := func() (texts []string) {
		events, err := p.Store.Events(t.Context(), mem.EventQuery{Session: "one", Kinds: []mem.EventKind{mem.Stop}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			texts = append(texts, e.Source+": "+e.Text)
		}
		slices.Sort(texts)
		return texts
	}
	interrupted := "interrupted: The cause is that gate.go compares the limit as text."
	if got, want := stops(), []string{interrupted}; !slices.Equal(got, want) {
		t.Fatalf("when the other session started: %q, want %q", got, want)
	}
	p.lose = func(mem.Event) bool { return true }
	p.answers("We decided to move the gate into its own package because it is simpler.")
	p.lose = nil
	p.reports(mem.Event{Kind: mem.SessionStart, Source: "resume"})
	p.silent()
	want := []string{": We decided to move the gate into its own package because it is simpler.", interrupted}
	if got := stops(); !slices.Equal(got, want) {
		t.Errorf("at the end: %q, want %q", got, want)
	}
}
