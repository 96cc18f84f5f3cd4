//go:build fire

// Package crash proves, with the built program, what holds when processes are
// killed, started by the hundred, replaced by another version or left alone:
// nothing acknowledged is lost or kept twice, one worker serves, none is left.
package crash

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/test/world"
)

func TestMain(m *testing.M) { os.Exit(world.Main(m)) }

// newPerson is a person with a directory for temporary files of his own, whose
// path is short enough for a socket.
func newPerson(t *testing.T) *world.Person {
	t.Helper()
	dir, err := os.MkdirTemp("", "rem")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := world.NewPerson(t)
	p.Env = []string{"TMPDIR=" + dir}
	return p
}

// patient is a person whose hooks have all the time they need: what becomes of
// their events does not hang on how busy the machine is.
func patient(t *testing.T) *world.Person {
	t.Helper()
	p := newPerson(t)
	p.Program = world.Unhurried(t)
	return p
}

// mark is a word that is in one event and in no other.
func mark(n int64) string { return fmt.Sprintf("kestrel%08dq", n) }

// split makes a source of random numbers for one goroutine out of another's.
func split(r *rand.Rand) *rand.Rand { return rand.New(rand.NewPCG(r.Uint64(), r.Uint64())) }

// killsAsked is how many kills the environment asks for, or usual.
func killsAsked(t *testing.T, usual int) int {
	t.Helper()
	s := os.Getenv("REMANENCE_KILLS")
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("REMANENCE_KILLS=%s: want a number above 0", s)
	}
	return n
}

// A scene is one event of a session that bears a mark, for a hook and for the
// worker's socket alike.
type scene struct {
	mark    string
	session string
	kind    mem.EventKind
}

// kinds are those that a scene may have: with an id of their own and without,
// with a memory in their train and without, counted by the session and not.
var kinds = []mem.EventKind{
	mem.PostToolUse, mem.PostToolUse, mem.PostToolUse, mem.UserPromptSubmit, mem.Stop,
	mem.PostToolUseFailure, mem.Notification,
}

// payload is the scene as the client reports it.
func (s scene) payload(p *world.Person) []byte {
	set := map[string]any{"session_id": s.session, "prompt_id": "prompt-" + s.mark}
	switch s.kind {
	case mem.PostToolUse:
		set["tool_use_id"], set["tool_input"] = "toolu_"+s.mark, map[string]any{
			"file_path":  p.Project + "/" + s.mark + ".go",
			"old_string": "a", "new_string": "b",
		}
		return p.Payload("PostToolUse.Edit", set)
	case mem.PostToolUseFailure:
		set["tool_use_id"], set["error"] = "toolu_"+s.mark, "Exit code 1\n"+s.mark+" failed"
		return p.Payload("PostToolUseFailure", set)
	case mem.UserPromptSubmit:
		set["prompt"] = "We always test the till with " + s.mark
		return p.Payload("UserPromptSubmit", set)
	case mem.Notification:
		set["message"] = "waiting for " + s.mark
		return p.Payload("Notification.idle_prompt", set)
	default:
		set["last_assistant_message"] = "We decided to keep " + s.mark + " because it is faster than the rest."
		return p.Payload("Stop", set)
	}
}

// event is the scene as a hook hands it over.
func (s scene) event(p *world.Person) mem.Event {
	e := mem.Event{
		Agent: "claude-code", Kind: s.kind, At: time.Now().UTC(), Session: s.session, PromptID: "prompt-" + s.mark,
		Root: p.Project, Cwd: p.Project,
	}
	switch s.kind {
	case mem.PostToolUse:
		e.Tool, e.ToolUseID = "Edit", "toolu_"+s.mark
		e.Input = fmt.Appendf(nil, `{"file_path":%q,"old_string":"a","new_string":"b"}`, p.Project+"/"+s.mark+".go")
	case mem.PostToolUseFailure:
		e.Tool, e.ToolUseID, e.Error = "Bash", "toolu_"+s.mark, "Exit code 1\n"+s.mark+" failed"
		e.Input = []byte(`{"command":"make till"}`)
	case mem.UserPromptSubmit:
		e.Text = "We always test the till with " + s.mark
	case mem.Notification:
		e.Source, e.Text = "idle_prompt", "waiting for "+s.mark
	default:
		e.Text = "We decided to keep " + s.mark + " because it is faster than the rest."
	}
	e.Identify(s.mark)
	return e
}
