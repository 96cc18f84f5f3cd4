package engine_test

import (
	"fmt"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/views"
)

// A store that knows nothing of unrelated prompts injects sooner, one that is about them later.
func TestTheFloorIsCalibratedForAProject(t *testing.T) {
	floor := func(s *stage, calibrate bool) float64 {
		t.Helper()
		if calibrate {
			if err := s.Engine.Recall.Calibrate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.Engine.Next(t.Context(), views.NextRequest{
			ProjectRef: mem.ProjectRef{Project: "all"}, Prompt: "how are login sessions locked?",
		})
		if err != nil {
			t.Fatal(err)
		}
		return r.Floor
	}
	s := newStage(t)
	s.play(bugHunt()...)
	s.play(in("two", start("startup"), prompt("q1", "how are login sessions locked?"))...)
	before, after := floor(s, false), floor(s, true)
	if before <= after {
		t.Errorf("floor %v, then %v: want a lower one", before, after)
	}
	for i, text := range []string{
		"Rename the photos of the wedding by the hour at which they were taken",
		"The session cookie is not sent on the subdomain of the help centre",
		"Delete old log files after thirty days and keep the newest ten",
		"Encrypt the export with a key that is derived from a passphrase",
		"Use a worker pool of eight goroutines for resizing pictures",
	} {
		s.note(fmt.Sprintf("%d. %s", i, text))
	}
	s.clock = s.clock.Add(11 * time.Minute) // a small store is calibrated again soon
	if again := floor(s, true); again <= before {
		t.Errorf("floor %v in a store about the prompts, want more than %v", again, before)
	}
}

func TestCalibrationAsksNoEmbeddingServer(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	d := &thesaurus{model: "m"}
	s.sees(d)
	s.play(in("two", start("startup"), prompt("q1", "how are login sessions locked?"))...)
	before := len(d.asked)
	if before == 0 {
		t.Fatal("a prompt asks for no vector")
	}
	if err := s.Engine.Recall.Calibrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := len(d.asked); after != before {
		t.Errorf("the server was asked %d times", after-before)
	}
}
