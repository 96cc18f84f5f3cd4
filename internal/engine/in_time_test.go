package engine_test

import (
	"context"
	"testing"
	"time"

	"remanence/internal/index"
	"remanence/internal/mem"
)

// endless is a store in which a search never ends by itself.
type endless struct{ *index.Store }

func (endless) Match(ctx context.Context, _ mem.Query) ([]mem.Hit, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (endless) Search(ctx context.Context, _ index.Query) (index.Result, bool) {
	<-ctx.Done()
	return index.Result{}, false
}

func TestAPromptIsKeptInTimeHoweverLongItsRecallTakes(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "remember: the parser retries three times"), stop("p1", "Noted."))
	var without []string
	s.Log = func(what string, _ error) { without = append(without, what) }
	s.Engine.Reconnect()
	s.Store, s.Slack = endless{s.store}, time.Second
	s.Engine.Reconnect()
	if got := s.play(prompt("p2", "how often does the parser retry?")); got.Context != "" {
		t.Errorf("injected %q by a search that never ended", got.Context)
	}
	turns, err := s.store.Turns(t.Context(), "one", 10)
	if err != nil || len(turns) != 2 || turns[0].Number != 2 {
		t.Errorf("turns %+v, %v, want the second prompt kept", turns, err)
	}
	if len(without) != 1 || without[0] != "recall" {
		t.Errorf("answered without %q, want without recall", without)
	}
}
