//go:build fire

package privacy

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/worker"
	"remanence/test/tier"
	"remanence/test/world"
)

// What is to be erased, as a sentence and as its rarest word.
const (
	doomed = "Decision: the launch code of the till is swordfish4711 and nothing else."
	rarest = "swordfish4711"
)

// saidSession is a session that contains the sentence in every way.
type saidSession struct {
	*world.Person
	session string
	times   int // how often it was played
}

// play plays the session through the hooks.
func (s *saidSession) play() {
	s.T.Helper()
	s.times++
	of := func(more map[string]any) map[string]any {
		set := map[string]any{"session_id": s.session, "prompt_id": s.session + "-p1", "transcript_path": s.transcript()}
		maps.Copy(set, more)
		return set
	}
	for _, e := range []struct {
		name string
		set  map[string]any
	}{
		{"SessionStart.startup", nil},
		{"UserPromptSubmit", map[string]any{"prompt": "please note: " + doomed}},
		{"PreToolUse.Bash", map[string]any{"tool_use_id": "t1", "tool_input": map[string]any{"command": "echo " + rarest}}},
		{"PostToolUse.Bash", map[string]any{
			"tool_use_id": "t1", "tool_input": map[string]any{"command": "echo " + rarest},
			"tool_response": map[string]any{"stdout": doomed},
		}},
		{"PostToolUseFailure", map[string]any{
			"tool_use_id": "t2", "tool_input": map[string]any{"command": "make " + rarest},
			"error": "Exit code 2\n" + doomed,
		}},
		{"PostToolUse.Write", map[string]any{"tool_use_id": "t3", "tool_input": map[string]any{"file_path": s.Project + "/" +
			rarest + ".go", "content": doomed}}},
		{"Notification.idle_prompt", map[string]any{"message": doomed}},
		{"SubagentStop", map[string]any{"agent_id": "a1", "last_assistant_message": doomed}},
		{"PreCompact.manual", map[string]any{"custom_instructions": doomed}},
		{"PostCompact", map[string]any{"compact_summary": "<summary>" + doomed + "</summary>"}},
		{"SessionStart.compact", nil},
		{"Stop", map[string]any{"last_assistant_message": doomed + " It is settled."}},
		{"SessionEnd.other", nil},
	} {
		if a := s.Hook(s.Payload(e.name, of(e.set))); a.Status != 0 {
			s.T.Errorf("%s: exit %d", e.name, a.Status)
		}
	}
}

// compact has the agent's own record read for the words before a compaction.
func (s *saidSession) compact() {
	s.Hook(s.Payload("PreCompact.auto", map[string]any{
		"session_id": s.session, "prompt_id": "later",
		"transcript_path": s.transcript(),
	}))
}

// transcript is the agent's own record of the session, which no purge reaches.
func (s *saidSession) transcript() string { return filepath.Join(s.Project, s.session+".jsonl") }

func (s *saidSession) record() {
	s.T.Helper()
	at := time.Now().Add(-time.Minute).UTC().Format(time.RFC3339Nano)
	lines := ""
	for _, r := range []map[string]any{
		{"type": "user", "message": map[string]any{"role": "user", "content": "please note: " + doomed}},
		{"type": "assistant", "message": map[string]any{
			"role": "assistant", "id": "msg_1", "model": "m",
			"content": []any{map[string]any{"type": "text", "text": doomed}},
		}},
	} {
		r["timestamp"], r["sessionId"], r["uuid"], r["promptId"] = at, s.session, "u"+fmt.Sprint(len(lines)), s.session+"-p1"
		b, err := json.Marshal(r)
		if err != nil {
			s.T.Fatal(err)
		}
		lines += string(b) + "\n"
	}
	if err := os.WriteFile(s.transcript(), []byte(lines), 0o600); err != nil {
		s.T.Fatal(err)
	}
}

// settle waits until the worker has nothing left to do.
func (s *saidSession) settle() {
	s.T.Helper()
	idle := func() bool {
		state := s.Run("status", "--json")
		if strings.Contains(state, `"queue":{"depth":0,`) && strings.Contains(state, `"spooled_records":0`) {
			return true
		}
		time.Sleep(200 * time.Millisecond) // a command each time: others want to run meanwhile
		return false
	}
	if !s.Eventually(idle) {
		s.T.Errorf("work is left: %s", s.Run("status", "--json"))
	}
}

// playedSession has played the session once, with another session beside it
// into which the sentence was injected.
func playedSession(t *testing.T) *saidSession {
	t.Helper()
	p := person(t)
	p.Env = append(p.Env, "REMANENCE_LOG_LEVEL=debug")
	s := &saidSession{Person: p, session: "5e551077-0000-4000-8000-000000000001"}
	s.record()
	p.StartWorker()
	s.play()
	s.settle()
	other := map[string]any{
		"session_id": "0ther", "prompt_id": "0ther-p1",
		"prompt": "what is the launch code of the till?",
	}
	p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "0ther"}))
	p.Hook(p.Payload("UserPromptSubmit", other))
	p.Hook(p.Payload("PreCompact.auto", map[string]any{"session_id": "0ther"}))
	s.settle()
	if len(remains(t, p.Home, rarest)) == 0 {
		t.Fatal("nothing was kept: this proves nothing")
	}
	return s
}

var numbered = regexp.MustCompile(`m_[0-9a-z]+`)

// memories are the ids of all memories that hold the word, hidden ones too.
func (s *saidSession) memories() []string { return s.found(rarest) }

// found are the ids of the memories whose JSON contains a text.
func (s *saidSession) found(text string) []string {
	var ids []string
	for _, line := range strings.Split(s.Run("search", "launch code till", "--jsonl"), "\n") {
		if strings.Contains(line, text) {
			ids = append(ids, numbered.FindString(line))
		}
	}
	return ids
}

// purge erases and returns how long that took.
func (s *saidSession) purge(ids ...string) time.Duration {
	s.T.Helper()
	begun := time.Now()
	s.Run(append(append([]string{"purge"}, ids...), "--yes")...)
	return time.Since(begun)
}

func (s *saidSession) gone(when string) {
	s.T.Helper()
	for _, f := range remains(s.T.(*testing.T), s.Home, rarest) {
		s.T.Errorf("%s: left in %s", when, f)
	}
}

// erasedWithin is how long erasing may take, on an idle machine.
const erasedWithin = 10 * time.Second

func TestAPurgedSessionIsNotCapturedAgain(t *testing.T) {
	s := playedSession(t)
	db := filepath.Join(s.Data(), "remanence.db")
	b, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(db+".schema0", b, 0o600); err != nil { // the copy before a migration
		t.Fatal(err)
	}
	if took := s.purge(s.session); took > time.Duration(float64(erasedWithin)*max(1, world.Crowd())) {
		t.Errorf("took %v", took)
	}
	for _, id := range s.memories() { // of the other session, which got it injected
		s.purge(id)
	}
	s.gone("erased")

	s.play() // the agent reports it all once more
	s.compact()
	s.settle()
	s.gone("reported again")

	s.StopWorker()
	lock, err := worker.Acquire(s.Data(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.play()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	s.settle()
	s.gone("from the spool")
}

// What waits in the spool while something is erased belongs to it.
func TestPurgeErasesSpooledEvents(t *testing.T) {
	p := person(t)
	s := &saidSession{Person: p, session: "5e551077-0000-4000-8000-000000000002"}
	p.Run("add", "a note beside")
	p.StopWorker()
	lock, err := worker.Acquire(p.Data(), 0)
	if err != nil {
		t.Fatal(err)
	}
	s.play()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if p.Spool().Empty() {
		t.Fatal("nothing was spooled: this proves nothing")
	}
	s.purge(s.session)
	s.gone("erased")
}

// One memory goes, with all that contains its words; the session stays.
func TestPurgeErasesTheWordsOfAMemoryEverywhere(t *testing.T) {
	s := playedSession(t)
	ids := s.found(fmt.Sprintf("%q:%q", "title", doomed)) // others say it among other words
	if len(ids) == 0 {
		t.Fatal("no memory was made")
	}
	var would struct {
		Memories []struct {
			ID    string `json:"id"`
			Named bool   `json:"named"`
		} `json:"memories"`
	}
	if err := json.Unmarshal([]byte(s.Run("purge", ids[0], "--dry-run", "--json")), &would); err != nil {
		t.Fatal(err)
	}
	if len(would.Memories) < 2 {
		t.Errorf("the rehearsal names %v, want what goes with it too", would.Memories)
	}
	s.purge(ids[0])
	for _, m := range would.Memories {
		if err := s.Command("show", m.ID).Run(); err == nil {
			t.Errorf("%s was to go and is still there", m.ID)
		}
	}
	if strings.Contains(s.Run("search", "launch code till", "--json"), doomed[10:40]) {
		t.Error("the sentence is still found")
	}
}

func TestAKilledPurgeIsCompleted(t *testing.T) {
	r := tier.Rand(t)
	for i := range tier.Runs(4, 100) {
		after := time.Duration(r.IntN(60)) * time.Millisecond
		t.Run(fmt.Sprint(i), func(t *testing.T) { killedPurge(t, after) })
	}
}

// killedPurge kills the worker so long after the request to erase.
func killedPurge(t *testing.T, after time.Duration) {
	s := playedSession(t)
	worker := s.Workers()
	if len(worker) != 1 {
		t.Fatalf("workers: %v", worker)
	}
	cmd := s.Command("purge", s.session, "--yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = syscall.Kill(worker[0], syscall.SIGKILL)
	_ = cmd.Wait() // it may have come through, or not
	if out, err := s.Command("purge", s.session, "--yes").CombinedOutput(); err != nil &&
		!strings.Contains(string(out), "REM-U002") {
		t.Errorf("purge again: %v\n%s", err, out)
	}
	for _, id := range s.memories() {
		s.purge(id)
	}
	s.gone("after a kill")
}
