package engine_test

import (
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestWorkThatWaitsInOneProjectIsSeenFromAnother(t *testing.T) {
	s := newStage(t)
	s.play(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p", Text: "what about the till"})
	s.applies(mem.Batch{Jobs: []mem.Job{{Kind: "digest", Key: "k"}}})
	s.clock = s.clock.Add(time.Minute)
	o, err := s.Views.Status(t.Context(), shop)
	if err != nil || o.Project.Key == "" {
		t.Fatalf("status of a project: %+v, %v", o.Project, err)
	}
	if o.Health.QueueDepth != 1 || o.Health.OldestJobS < 60 {
		t.Errorf("got %d jobs, the oldest for %v s, want 1 for a minute", o.Health.QueueDepth, o.Health.OldestJobS)
	}
}
