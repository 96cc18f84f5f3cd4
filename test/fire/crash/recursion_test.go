//go:build fire

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/world"
)

func TestTheHookOfAnAgentStartedByADigestDoesNothing(t *testing.T) {
	for depth, kept := range map[string]int{"": 1, "0": 1, "1": 0, "2": 0, "deep": 0} {
		p := patient(t)
		cmd := p.HookCommand(scene{mark: mark(1), session: "s", kind: kinds[0]}.payload(p))
		cmd.Env = append(cmd.Env, "REMANENCE_DEPTH="+depth)
		if a := p.Await(cmd); a.Status != 0 || len(a.Stdout) > 0 {
			t.Errorf("depth %q: status %d, stdout %q", depth, a.Status, a.Stdout)
		}
		st, err := p.Spool().Stat()
		if err != nil {
			t.Fatal(err)
		}
		got := st.Records
		if len(p.Workers()) > 0 {
			p.StartWorker()
			drained(p)
			p.StopWorker()
			got = stored(t, openDatabase(t, p))[mark(1)]
		}
		if got != kept {
			t.Errorf("depth %q: kept %d events, want %d", depth, got, kept)
		}
	}
}

// agentCLI is an agent's command that reports to our hook whenever it is called,
// as the real one does.
const agentCLI = `#!/bin/sh
echo called >> "$HOME/calls"
"%s" hook claude-code < "%s"
`

func TestSessionStartsNoAgent(t *testing.T) {
	p := newPerson(t)
	bin := filepath.Join(p.Home, "bin")
	payload := filepath.Join(p.Home, "payload.json")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		payload:                      string(scene{mark: mark(1), session: "s", kind: kinds[0]}.payload(p)),
		filepath.Join(bin, "claude"): fmt.Sprintf(agentCLI, world.Binary, payload),
	} {
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.Env = append(p.Env, "PATH="+bin+":"+os.Getenv("PATH"))
	for _, name := range []string{
		"SessionStart.startup", "UserPromptSubmit", "PreToolUse.Bash", "PostToolUse.Bash", "PostToolUse.Edit",
		"PostToolUseFailure",
		"SubagentStart", "SubagentStop", "TaskCompleted", "Notification.idle_prompt", "Stop", "PreCompact.auto",
		"PostCompact.auto", "SessionEnd.other",
	} {
		p.Hook(p.Payload(name, nil))
	}
	p.StartWorker() // if no hook brought one
	drained(p)
	p.StopWorker() // its jobs are done or cut off
	if calls, err := os.ReadFile(filepath.Join(p.Home, "calls")); err == nil {
		t.Errorf("the agent was called %d times", bytes.Count(calls, []byte("\n")))
	}

	cmd := p.Command()
	cmd.Path, cmd.Args = filepath.Join(bin, "claude"), []string{"claude"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("call the agent: %v\n%s", err, out)
	}
	if calls, _ := os.ReadFile(filepath.Join(p.Home, "calls")); bytes.Count(calls, []byte("\n")) != 1 {
		t.Errorf("the agent was called again by its own hook: %q", calls)
	}
	p.StartWorker() // or wait for the one on its way: it has to be up to be ended
}

// injected returns what a hook added to the agent's context.
func injected(t *testing.T, a world.Answer) string {
	t.Helper()
	if len(a.Stdout) == 0 {
		return ""
	}
	var v struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal(a.Stdout, &v); err != nil {
		t.Fatalf("%v: %s", err, a.Stdout)
	}
	return v.HookSpecificOutput.AdditionalContext
}

// nests is how often what was injected comes back before it is looked at.
const nests = 100

func TestInjectedTextIsNotCapturedAgain(t *testing.T) {
	p := patient(t)
	p.StartWorker()
	secret := mark(7)
	p.Run("add", "The till rounds half cents up, said "+secret)
	block := injected(t, p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "first"})))
	if !strings.Contains(block, secret) {
		t.Fatalf("nothing was injected at first: %q", block)
	}
	nested := block
	for n := range nests {
		nested = echo(t, p, fmt.Sprint("echo-", n), block, nested)
	}
	drained(p)
	p.StopWorker()

	db := openDatabase(t, p)
	if n := marked(t, db, "SELECT title || ' ' || body || ' ' || facts FROM memory")[secret]; n != 1 {
		t.Errorf("%d memories hold the injected one, want that one", n)
	}
	for _, query := range []string{"SELECT payload FROM event", "SELECT text FROM turn"} {
		if n := marked(t, db, query)[secret]; n != 0 {
			t.Errorf("%s: %d rows hold injected text, want none", query, n)
		}
	}
	for _, query := range []string{
		"SELECT count(*) FROM event WHERE payload LIKE '%remanence-context%'",
		"SELECT count(*) FROM memory WHERE title || body || facts LIKE '%remanence-context%'",
		"SELECT count(*) FROM turn WHERE text LIKE '%remanence-context%'",
	} {
		if n := number(t, db, query); n != 0 {
			t.Errorf("%s: %d, want none", query, n)
		}
	}
}

// echo lets what was injected come back in a session on every way there is, plain
// and put into itself once more, and returns the latter.
func echo(t *testing.T, p *world.Person, session, block, nested string) string {
	t.Helper()
	open, rest, _ := strings.Cut(nested, "\n")
	nested = open + "\n" + block + "\n" + rest
	if len(nested) > 60_000 { // what a hook takes in one piece; the depth stays
		nested = strings.Repeat(open+"\n", nests) + block + strings.Repeat("\n</remanence-context>", nests)
	}
	text := "again: " + nested + " and " + block
	for name, set := range map[string]map[string]any{
		"UserPromptSubmit": {"prompt": "what about the till? " + text, "prompt_id": session},
		"PostToolUse.Bash": {"tool_use_id": session, "tool_response": map[string]any{"stdout": text}},
		"Stop":             {"last_assistant_message": "We decided this. " + text, "prompt_id": session},
		"PostCompact":      {"compact_summary": text},
	} {
		set["session_id"] = session
		p.Hook(p.Payload(name, set))
	}
	return nested
}
