package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/mem"
)

// Retention runs in several steps: the worker calls again as long as there is more.
func TestWhatIsTooOldIsLetGoOf(t *testing.T) {
	getenv := environment(map[string]string{"HOME": t.TempDir(), "REMANENCE_PRIVACY_HIDE_DAYS": "3"})
	p, err := config.FindPaths(getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	h, err := New(t.Context(), config.System{Getenv: getenv, Now: func() time.Time {
		return clock
	}, Slack: time.Minute}, p, discard(), Extension{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Store.Close()
	const words = "swordfish-4711 opens the drawer"
	event := mem.Event{ID: "e_1", Kind: mem.PostToolUse, Session: "s", At: clock, Text: "the till is a swordfish-0815"}
	m := mem.Memory{Scope: mem.ScopeUser, Kind: mem.Fact, Title: words, Status: mem.Forgotten, Hidden: clock}
	job := mem.Job{Kind: "digest", Created: clock, Dead: true, Error: "no such model"}
	if _, err := h.Store.Apply(t.Context(), mem.Batch{Event: &event}, mem.Batch{
		Memories: []mem.Memory{m},
		Jobs:     []mem.Job{job},
	}); err != nil {
		t.Fatal(err)
	}
	forgotten := mem.Forgotten
	if _, err := h.Store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{{ID: "m_1", Status: &forgotten}}}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		left  []string
		jobs  int
	}{
		{2 * retentionInterval, []string{"4711", "0815"}, 1},
		{4 * retentionInterval, []string{"0815"}, 1},
		{91 * retentionInterval, nil, 0},
	} {
		clock = event.At.Add(step.after)
		for range 10 {
			if rest := h.applyRetention(t.Context()); rest > 0 {
				break
			}
		}
		var left []string
		for _, word := range []string{"4711", "0815"} {
			if held(t, h, word) {
				left = append(left, word)
			}
		}
		if strings.Join(left, " ") != strings.Join(step.left, " ") {
			t.Errorf("after %v: %v is there, want %v", step.after, left, step.left)
		}
		if st, err := h.Store.Waiting(t.Context()); err != nil || st.DeadJobs != step.jobs {
			t.Errorf("after %v: %d jobs that were given up, %v, want %d", step.after, st.DeadJobs, err, step.jobs)
		}
	}
	if rest := h.applyRetention(t.Context()); rest != retentionInterval {
		t.Errorf("with nothing to do it rests %v, want %v", rest, retentionInterval)
	}
}

// held reports whether a memory or an event can be read that holds a word.
func held(t *testing.T, h *Daemon, word string) bool {
	t.Helper()
	ms, err := h.Store.List(t.Context(), mem.Query{Hidden: true, Within: "*"})
	if err != nil {
		t.Fatal(err)
	}
	events, err := h.Store.Events(t.Context(), mem.EventQuery{})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range ms {
		found = found || strings.Contains(m.Title+m.Body, word)
	}
	for _, e := range events {
		found = found || strings.Contains(e.Text, word)
	}
	return found
}
