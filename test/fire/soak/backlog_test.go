//go:build fire

package soak

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/test/tier"
	"remanence/test/world"
)

// leave spools events as hooks do while no worker answers, sessions of 100.
func leave(t *testing.T, p *world.Person, n int) {
	t.Helper()
	r, sp := tier.Rand(t), p.Spool()
	begun, i := time.Now().Add(-24*time.Hour), 0
	for s := 0; i < n; s++ {
		session(r, fmt.Sprintf("left-%05d", s), min(100, n-i), func(pl payload) {
			pl["cwd"] = p.Project
			b, err := json.Marshal(pl)
			if err != nil {
				t.Fatal(err)
			}
			e, err := agent.Claude{}.Decode(b, agent.Env{ProjectDir: p.Project})
			if err != nil {
				t.Fatal(err)
			}
			if len(e.Response) > 4<<10 {
				e.Response = nil // the spool has a cap
			}
			i++
			e.At = begun.Add(time.Duration(i) * time.Second / 2)
			e.Identify(fmt.Sprint(i))
			if _, err := sp.Handle(t.Context(), e); err != nil {
				t.Fatalf("event %d: %v", i, err)
			}
		})
	}
}

// A worker that finds a long backlog at its start answers hooks meanwhile, and
// leaves most of the processor to others.
func TestABacklogIsDrainedWhileHooksAreServed(t *testing.T) {
	p := world.NewPerson(t)
	n := tier.Runs(10_000, 100_000)
	leave(t, p, n)
	before, err := p.Spool().Stat()
	if err != nil || before.Records < n*9/10 {
		t.Fatalf("%d records in the spool, %v, want about %d", before.Records, err, n)
	}
	rt := p.StartWorker()
	database := filepath.Join(p.Data(), "remanence.db")
	first := look(t, rt.PID, database)

	// A person works all the while.
	say := func(event string, more payload) world.Answer {
		pl := payload{
			"hook_event_name": event, "session_id": "live", "cwd": p.Project,
			"transcript_path": filepath.Join(p.Home, "none.jsonl"),
		}
		maps.Copy(pl, more)
		b, err := json.Marshal(pl)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hook(b)
	}
	say("SessionStart", payload{"source": "startup"})
	p.Run("add", "the gateway of the till needs jittered backoff") // too late for the briefing
	prompts, injected, slowest := 0, 0, time.Duration(0)
	// A prompt that got no answer in time makes hooks not wait for some seconds.
	for ; injected == 0 && prompts < 60; prompts++ {
		i := prompts
		a := say("UserPromptSubmit", payload{
			"prompt_id": fmt.Sprint("p", i),
			"prompt":    fmt.Sprintf("does the gateway need jittered backoff, try %d", i),
		})
		if a.Status != 0 || len(a.Stderr) > 0 || a.Took > world.Stretched(3*time.Second) {
			t.Errorf("prompt %d: status %d, %v, stderr %q", i, a.Status, a.Took, a.Stderr)
		}
		if strings.Contains(string(a.Stdout), "jittered") {
			injected++
		}
		slowest = max(slowest, a.Took)
		time.Sleep(500 * time.Millisecond)
	}
	left, err := p.Spool().Stat()
	if err != nil {
		t.Fatal(err)
	}
	s := look(t, rt.PID, database)
	t.Logf("while %d of %d waited: prompt %d recalled, slowest hook %v", left.Records, before.Records, prompts, slowest)
	t.Logf("the worker used %v of CPU in %v: %.0f %%; rss %.1f MB", s.cpu-first.cpu, s.at.Sub(first.at),
		100*(s.cpu-first.cpu).Seconds()/s.at.Sub(first.at).Seconds(), mb(s.rss))
	if left.Records == 0 {
		t.Error("the backlog was gone before the person worked: nothing was proved")
	}
	if injected == 0 {
		t.Error("no prompt was answered while the backlog was worked off")
	}
	if share := (s.cpu - first.cpu).Seconds() / s.at.Sub(first.at).Seconds(); share > 0.6 {
		t.Errorf("the worker used %.2f of a core, want about a quarter and what the hooks cost", share)
	}
	newestFirst(t, rt, n)
	drained(t, p, left.Records)
}

// newestFirst checks that the session left behind last is in, and the first is not.
func newestFirst(t *testing.T, rt api.Runtime, n int) {
	t.Helper()
	for id, want := range map[string]bool{fmt.Sprintf("left-%05d", (n-1)/100): true, "left-00000": false} {
		got, err := api.Search.Call(t.Context(), rt.Client(""),
			recall.SearchRequest{ProjectRef: mem.ProjectRef{Project: "all"}, Query: mem.Query{Session: id}})
		if err != nil {
			t.Fatal(err)
		}
		if in := len(got.Hits) > 0; in != want {
			t.Errorf("session %s: %d memories, want some: %v", id, len(got.Hits), want)
		}
	}
}

// drained waits for the end of the backlog, as long as it shrinks.
func drained(t *testing.T, p *world.Person, from int) {
	t.Helper()
	for begun, last := time.Now(), from; ; {
		time.Sleep(5 * time.Second)
		st, err := p.Spool().Stat()
		if err != nil {
			t.Fatal(err)
		}
		if st.Records == 0 {
			t.Logf("%d more were worked off in %v", from, time.Since(begun).Round(time.Second))
			return
		}
		if st.Records >= last {
			t.Fatalf("%d records wait and no fewer than before", st.Records)
		}
		if last = st.Records; !tier.IsLong() {
			t.Logf("%d of %d are left; the rest is for the long run", last, from)
			return
		}
	}
}
