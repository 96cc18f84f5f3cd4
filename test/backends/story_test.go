//go:build backends && linux

package backends

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/test/world"
)

// writePast leaves the transcript of a session from before Remanence was there.
func writePast(t *testing.T, p *world.Person) {
	t.Helper()
	at := time.Now().Add(-48 * time.Hour).UTC()
	var b strings.Builder
	put := func(kind, prompt string, message, result any) {
		at = at.Add(10 * time.Second)
		line, err := json.Marshal(map[string]any{
			"type": kind, "sessionId": "past", "cwd": p.Project, "uuid": at.String(), "promptId": prompt,
			"timestamp": at.Format(time.RFC3339Nano), "message": message, "toolUseResult": result,
		})
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	say := func(id, stop string, block map[string]any) {
		put("assistant", "", map[string]any{"id": id, "stop_reason": stop, "content": []any{block}}, nil)
	}
	put("user", "p-past", map[string]any{
		"role": "user", "content": "The worker lease expires too early. We decided to keep the lease at twelve minutes.",
	}, nil)
	say("m1", "tool_use", map[string]any{
		"type": "tool_use", "id": "toolu_past", "name": "Bash", "input": map[string]any{"command": "go test ./lease"},
	})
	put("user", "p-past", map[string]any{"role": "user", "content": []any{map[string]any{
		"type": "tool_result", "tool_use_id": "toolu_past", "content": "ok",
	}}}, map[string]any{"stdout": "ok"})
	say("m2", "end_turn", map[string]any{
		"type": "text", "text": "The cause of the expired worker lease was a clock that jumped; fixed by reading the " +
			"monotonic clock.",
	})
	dir := filepath.Join(p.Home, ".claude/projects/past")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "past.jsonl"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The past is read in, a person and an agent go on, and what was learned is found, injected, erased and taken back: on
// each store alike.
func TestTheStoryOfAMemoryIsTheSameOnEachStore(t *testing.T) {
	t.Parallel()
	for _, store := range []string{"file", "server"} {
		t.Run(store, func(t *testing.T) {
			p, server := newPerson(t)
			if store == "file" {
				p.Run("config", "unset", "store.dsn")
			}
			tellStory(t, p)
			n, err := server.Query("remanence", "SELECT count(*) FROM pg_tables WHERE schemaname = 'remanence'")
			if err != nil || (n == "0") != (store == "file") {
				t.Errorf("%s tables are on the server, %v", n, err)
			}
		})
	}
}

func TestTheStoryOfAMemoryIsTheSameOnSurrealDB(t *testing.T) {
	t.Parallel()
	p, server := onSurreal(t)
	p.Run("config", "set", "store.dsn", server.DSN("team", "memory"))
	tellStory(t, p)
	if out, err := server.SQL("team", "memory", "RETURN array::len((SELECT VALUE id FROM memory))"); err != nil ||
		strings.Contains(out, `"result":0,`) {
		t.Errorf("the server has %s memories, %v", out, err)
	}
}

func tellStory(t *testing.T, p *world.Person) {
	t.Helper()
	shows := func(want string, args ...string) {
		t.Helper()
		if out := p.Run(args...); !strings.Contains(out, want) {
			t.Errorf("%v: %s, want %q", args, out, want)
		}
	}
	lacks := func(text string, args ...string) {
		t.Helper()
		if out := p.Run(args...); strings.Contains(out, text) {
			t.Errorf("%v: %s, want no %q", args, out, text)
		}
	}
	writePast(t, p)
	shows("1 session", "backfill", "--dry-run")
	lacks("fixed by", "search", "monotonic clock")
	shows("Read in 1 session", "backfill")
	shows("1 session left out: read in before", "backfill")
	shows("fixed by reading the monotonic clock", "search", "monotonic clock")
	live(t, p)
	p.StartWorker()
	shows("five cents", "search", "till five cents")
	lacks("swordfish", "export", "--format", "jsonl") // it was purged
	prompt := map[string]any{
		"session_id": "next", "prompt_id": "p1", "prompt": "why did the worker lease expire, was it the monotonic clock?",
	}
	if a := p.Hook(p.Payload("UserPromptSubmit", prompt)); !strings.Contains(string(a.Stdout), "monotonic clock") {
		t.Errorf("a prompt about the past: %s %s", a.Stdout, a.Stderr)
	}
	if a := p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "later"})); !strings.Contains(
		string(a.Stdout), "five cents") {
		t.Errorf("the briefing lacks what was taught: %s %s", a.Stdout, a.Stderr)
	}
	shows("memories that were read in", "backfill", "--undo")
	lacks("fixed by", "search", "monotonic clock")
	shows("five cents", "search", "till five cents")
}
