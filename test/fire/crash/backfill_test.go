//go:build fire

package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/test/tier"
	"remanence/test/world"
)

// pastTurns is how many turns each session has that is read in while daemons are killed.
const pastTurns = 25

// pastSessions is how many sessions there are: so many that the last kills still interrupt the reading.
func pastSessions() int { return tier.Runs(12, 120) }

// writePast leaves transcripts of sessions from before. Each turn has a prompt, a command and an answer, each with a
// mark.
func writePast(t *testing.T, p *world.Person) {
	t.Helper()
	n := int64(0)
	for i := range pastSessions() {
		var b strings.Builder
		id, at := fmt.Sprintf("past-%d", i), time.Now().Add(-time.Duration(20*24+8*i)*time.Hour) // not too old to be quoted
		put := func(kind, prompt string, message, result any) {
			at = at.Add(time.Second)
			line, err := json.Marshal(map[string]any{
				"type": kind, "sessionId": id, "cwd": p.Home, "uuid": fmt.Sprint(id, at.Unix()), "promptId": prompt,
				"timestamp": at.UTC().Format(time.RFC3339Nano), "message": message, "toolUseResult": result,
			})
			if err != nil {
				t.Fatal(err)
			}
			b.Write(append(line, '\n'))
		}
		say := func(stop string, block map[string]any) {
			put("assistant", "", map[string]any{
				"id": fmt.Sprint("msg", at.UnixNano()), "stop_reason": stop,
				"content": []any{block},
			}, nil)
		}
		for turn := range pastTurns {
			prompt, tool := fmt.Sprintf("p%d-%d", i, turn), fmt.Sprintf("toolu_%d_%d", i, turn)
			put("user", prompt, map[string]any{"content": "We decided to use queue " + mark(n) + " for the shop."}, nil)
			say("tool_use", map[string]any{
				"type": "tool_use", "id": tool, "name": "Bash",
				"input": map[string]any{"command": "make " + mark(n+1)},
			})
			put("user", prompt, map[string]any{"content": []any{map[string]any{
				"type": "tool_result", "tool_use_id": tool, "content": "ok",
			}}}, map[string]any{"stdout": "ok"})
			say("end_turn", map[string]any{"type": "text", "text": "The cause was a stale token " + mark(n+2) + "."})
			n += 3
		}
		dir := filepath.Join(p.Home, ".claude", "projects", "-home")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAKilledBackfillLosesNothingAndStoresNothingTwice(t *testing.T) {
	r := tier.Rand(t)
	kills := tier.Runs(4, 50)
	p := newPerson(t)
	writePast(t, p)
	killed := 0
	for killed < kills {
		cmd := p.Command("backfill", "--quiet")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(1500)) * time.Millisecond) //nolint:forbidigo // the moment is to be random
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		for _, pid := range p.Workers() {
			if syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
	p.Run("backfill")
	p.StopWorker()
	db := openDatabase(t, p)
	checkWhole(t, db)
	marks := stored(t, db)
	all := int64(3 * pastSessions() * pastTurns)
	for n := range all {
		if marks[mark(n)] != 1 {
			t.Errorf("%s is stored %d times, want once", mark(n), marks[mark(n)])
		}
	}
	said := marked(t, db, "SELECT title || ' ' || body FROM memory WHERE kind = 'utterance'")
	for n := int64(0); n < all; n += 3 {
		if said[mark(n)] != 1 || said[mark(n+2)] != 1 {
			t.Errorf("turn %d: its prompt is indexed %d times, its answer %d times, want once", n/3, said[mark(n)],
				said[mark(n+2)])
		}
	}
	t.Logf("%d kills, %d sessions with %d events", killed, pastSessions(), len(marks))
}
