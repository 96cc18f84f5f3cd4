package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestSmoke(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, Config{Path: filepath.Join(t.TempDir(), "a?b #1", "m.db")})
	if err != nil {
		t.Fatal(err)
	}
	e := mem.Event{Agent: "claude-code", Kind: mem.UserPromptSubmit, At: time.Now().UTC(), Session: "abc", PromptID: "p1", Text: "fix the \"retries\""}
	e.Identify("n")
	r, err := s.Apply(ctx, mem.Batch{Event: &e, Project: &mem.Project{Key: "p_1", Name: "x"}, Session: &mem.SessionChange{Project: "p_1", Status: mem.Running},
		Turn: &mem.TurnChange{Person: true, Text: e.Text}, Memories: []mem.Memory{{Scope: "project", Project: "p_1", Session: "abc", Title: "handle retries of the queue", Files: []string{"a/b.go"}, Tags: []string{"x"}, Source: mem.Source{PromptID: "p1"}}},
		Checkpoints: []mem.Checkpoint{{Session: "abc"}}, Receipts: []mem.Receipt{{ID: "r_1", Session: "abc", Items: []mem.Told{{ID: "m_1", Title: "handle retries"}}}}, Jobs: []mem.Job{{Kind: "transcript", Session: "abc"}}})
	t.Log(r, err)
	h, err := s.Match(ctx, mem.Query{Terms: []string{"retry", "\"", "!!"}})
	t.Log(h, err)
	ss, err := s.Session(ctx, "s_1")
	t.Log(ss, err)
	t.Log(s.Turns(ctx, "abc", 0))
	t.Log(s.Events(ctx, mem.EventQuery{Around: e.ID}))
	t.Log(s.Checkpoints(ctx, mem.CheckpointQuery{ID: "c_1"}))
	t.Log(s.Receipts(ctx, mem.ReceiptQuery{Memory: "m_1"}))
	t.Log(s.Projects(ctx, "x"))
	t.Log(s.Lease(ctx, time.Now(), time.Minute, 4))
	t.Log(s.Stats(ctx, "", time.Time{}))
	t.Log(s.List(ctx, mem.Query{File: "a/"}))
	t.Log(s.Purge(ctx, "m_1"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ctx := context.Background()
			s, err := Open(ctx, Config{Path: filepath.Join(b.TempDir(), "m.db")})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.ResetTimer()
			var wg sync.WaitGroup
			for c := range n {
				wg.Add(1)
				go func() {
					defer wg.Done()
					for i := range b.N / n {
						e := mem.Event{ID: fmt.Sprint("e_", c, ".", i), Agent: "claude-code", Kind: mem.PostToolUse, At: time.Now().UTC(), Session: fmt.Sprint("s", c), PromptID: "p1", Input: []byte(`{"command":"go test ./..."}`)}
						if _, err := s.Apply(ctx, mem.Batch{Event: &e, Session: &mem.SessionChange{Status: mem.Running}}); err != nil {
							b.Error(err)
						}
					}
				}()
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
