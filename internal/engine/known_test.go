package engine_test

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

// repository answers for every directory with a key that a test can change, as
// a new remote changes it.
func (s *stage) repository(key string) (rename func(string)) {
	s.Project = func(dir string) (mem.Project, error) {
		return mem.Project{Key: key, Name: "shop", Root: dir, Common: dir + "/.git"}, nil
	}
	s.Engine.Reconnect()
	return func(to string) { key = to }
}

// decide keeps a decision from a session that began in dir.
func (s *stage) decide(session, dir, key, title string) {
	s.t.Helper()
	s.give(mem.Event{Kind: mem.SessionStart, Source: "startup", Session: session, Root: dir})
	_, err := s.store.Apply(s.t.Context(), mem.Batch{Memories: []mem.Memory{{
		Scope: mem.ScopeProject, Project: key, Session: session, Kind: mem.Decision, Title: title,
		Importance: 0.9, Trust: mem.TrustUser, Origin: mem.FromUserCommand, Source: mem.Source{Agent: "claude-code"},
	}}})
	if err != nil {
		s.t.Fatal(err)
	}
}

const (
	whereJobsRun = "the invoice worker retries with exponential backoff"
	askOfJobs    = "how does the invoice worker retry with backoff?"
)

func TestARepositoryThatGainsARemoteInTheMiddleOfASessionKeepsItsMemories(t *testing.T) {
	s := newStage(t)
	rename := s.repository("p_path")
	s.decide("before", "/home/dev/shop", "p_path", whereJobsRun)
	s.play(prompt("p1", "hello there, let us begin with the work")) // a briefing would contain it already
	rename("p_remote")
	if got := s.play(prompt("p2", askOfJobs)); !strings.Contains(got.Context, "exponential backoff") {
		t.Errorf("injected %q, want the decision", got.Context)
	}
}

func TestASessionThatMovesToAnotherCloneHasItsMemories(t *testing.T) {
	s := newStage(t)
	rename := s.repository("p_path")
	s.decide("before", "/home/dev/clone", "p_path", whereJobsRun)
	rename("p_remote")
	s.play(start("startup"), prompt("p1", "hello there, let us begin with the work"))
	e := prompt("p2", askOfJobs)
	e.Root = "/home/dev/clone"
	if got := s.play(e); !strings.Contains(got.Context, "exponential backoff") {
		t.Errorf("injected %q, want the decision", got.Context)
	}
}

func TestAMovedRepositoryKeepsItsMemories(t *testing.T) {
	s := newStage(t)
	s.Project = func(dir string) (mem.Project, error) {
		return mem.Project{Key: "p_" + dir, Name: "shop", Root: dir, Common: dir + "/.git"}, nil
	}
	s.Engine.Reconnect()
	s.Moved = func(p mem.Project, known []mem.Project) string {
		for _, o := range known {
			if o.Root == "/home/dev/shop" && p.Root == "/home/dev/store" {
				return o.Key
			}
		}
		return ""
	}
	s.Engine.Reconnect()
	s.decide("before", "/home/dev/shop", "p_/home/dev/shop", whereJobsRun)
	moved := func(session string, e mem.Event) mem.Event {
		e.Session, e.Root = session, "/home/dev/store"
		return e
	}
	for _, session := range []string{"one", "two"} {
		s.play(moved(session, prompt("p1", "hello there, let us begin with the work")))
		if got := s.play(moved(session, prompt("p2", askOfJobs))); !strings.Contains(got.Context, "exponential backoff") {
			t.Errorf("session %s was injected %q, want the decision", session, got.Context)
		}
		s.Moved = nil
		s.Engine.Reconnect() // from then on it is known
	}
	elsewhere := prompt("p3", askOfJobs)
	elsewhere.Session, elsewhere.Root = "three", "/home/dev/bakery"
	if got := s.play(elsewhere); strings.Contains(got.Context, "exponential backoff") {
		t.Errorf("another project was injected %q", got.Context)
	}
}
