//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The routine as an agent does it that reads the skill.
func TestTheCheckpointRoutineCompletes(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	vault := filepath.Join(u.home, ".local/share/remanence/vault")
	if err := os.MkdirAll(vault, 0o700); err != nil {
		t.Fatal(err)
	}
	u.run(session{hooks: plugin, bare: true, script: "learn.json", prompts: []string{"make the check pass"}})
	u.run(session{
		hooks: plugin, bare: true,
		script: script(
			says("Retries are bounded now."),
			bash("remanence mark $(remanence search --ids -k decision jittered backoff | head -1) prevented --note 'would "+
				"have retried without a pause'").given("Do all steps yourself"),
			bash("remanence add --if-new -k gotcha 'the gateway drops a batch of more than 40, because its buffer is small'").
				given("marked prevented"),
			bash("remanence checkpoint drift").given("added  m_"),
			bash("remanence lint"),
			bash("remanence checkpoint log 'retries' --happened 'Retries are bounded' --decision 'at most 40, because the "+
				"buffer is small' --cited m_5"),
			bash("remanence checkpoint save --index").given("LOG.md"),
			says("[checkpoint] OK").given("[checkpoint] OK c_"),
		),
		prompts: []string{"bound the retries", "/remanence:checkpoint"},
	})
	log := u.read(filepath.Join(vault, "LOG.md"))
	wants(t, "LOG.md", log, " — retries", "**Decisions made:**", "at most 40", "m_5")
	u.keeps("the gateway drops a batch of more than 40")
	wants(t, "what was said", u.remanence("search", "-k", "utterance", "bounded retries"), "bounded now")
	wants(t, "evidence", u.remanence("show", u.finds("jittered backoff")[0].ID), "would have retried without a pause")
	if said := u.remanence("search", "-k", "utterance", "steps yourself"); strings.Contains(said, "m_") {
		t.Errorf("the skill's own words are kept: %s", said)
	}
}

func TestAHandoffByTheAgentIsInjectedIntoTheNextSession(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	plugin := u.plugin()
	u.run(session{
		hooks: plugin, bare: true,
		script: script(
			says("Retries are bounded now."),
			bash("remanence checkpoint save --handoff <<'HANDOFF'\nNext: mend the jitter in retry.conf.\nWaiting for the "+
				"gateway team.\nHANDOFF").given("at most 4,000 characters"),
			says("[checkpoint] OK").given("[checkpoint] OK c_", "handoff of"),
		),
		prompts: []string{"bound the retries", "/remanence:handoff"},
	})
	u.run(session{
		hooks: plugin, bare: true, script: script(says("I know.").given("mend the jitter in retry.conf")),
		prompts: []string{"go on"},
	})
}

// The agent ends without a word in the middle of its work, and of what it did
// last no hook reported. When the next session starts it is found in the transcript.
func TestAnInterruptedSessionIsCompletedFromItsTranscript(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	settings := u.hooksBut("PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
	u.run(session{
		hooks: settings, bare: true, prompts: []string{"make the check pass"},
		script: script(bash("sh check.sh"), says("We decided to keep the limit at 40 because the buffer is small.")),
	})
	if found := u.remanence("search", "-k", "decision", "limit at 40"); strings.Contains(found, "m_") {
		t.Fatalf("known already: %s", found)
	}
	u.findsLost(2) // the call and the end of the turn
	u.keeps("limit at 40", "-k", "decision")
	wants(t, "once more", u.remanence("checkpoint", "save", "--index"), "0 missing events found")
}

// findsLost waits until so many missing events were found. What is younger than a
// minute may be on its way still.
func (u *user) findsLost(want int) {
	u.t.Helper()
	found := 0
	for end := time.Now().Add(2 * time.Minute); found < want && time.Now().Before(end); time.Sleep(2 * time.Second) {
		var saved struct{ Recovered int }
		u.asks(&saved, "checkpoint", "save", "--index")
		found += saved.Recovered
	}
	if found != want {
		u.t.Fatalf("%d missing events found, want %d", found, want)
	}
}

// A subagent's calls stand in a record of its own.
func TestSubagentWorkIsReadFromItsTranscript(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{
		hooks: u.hooksBut("PostToolUse", "PostToolUseFailure"), bare: true, prompts: []string{"let somebody look into it"},
		script: scene(subagent(bash("sh check.sh"), says(subFinding)), launches(subTask, false), says("It has answered.")),
	})
	if found := u.remanence("search", "sh check.sh"); strings.Contains(found, "m_") {
		t.Fatalf("known already: %s", found)
	}
	u.findsLost(2) // the subagent's call, and the one that launched it
	if m := u.keeps("sh check.sh"); m.Kind != "command" {
		t.Errorf("kept as %+v", m)
	}
	wants(t, "once more", u.remanence("checkpoint", "save", "--index"), "0 missing events found")
}

// hooksBut are the hooks that the product registers, without some.
func (u *user) hooksBut(events ...string) string {
	u.t.Helper()
	var all struct {
		Hooks map[string]any `json:"hooks"`
	}
	if err := json.Unmarshal([]byte(u.read("../client/settings.under-test.json")), &all); err != nil {
		u.t.Fatal(err)
	}
	for _, e := range events {
		delete(all.Hooks, e)
	}
	b, err := json.Marshal(all)
	if err != nil {
		u.t.Fatal(err)
	}
	file := filepath.Join(u.dir, "some-hooks.json")
	u.write(file, string(b))
	return file
}
