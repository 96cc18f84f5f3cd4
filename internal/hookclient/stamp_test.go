//go:build unix

package hookclient

import (
	"os"
	"testing"
	"time"

	"remanence/internal/config"
)

// An older build could not start a worker, or waited for one in vain. A later one
// is not held off by that; one of the same build is, and an older one by a later.
func TestAnOlderBuildsFailureHoldsNoLaterOneOff(t *testing.T) {
	for _, c := range []struct {
		by   string
		want bool
	}{
		{"0.0.0-dev+1.1", false}, // of the same version, built earlier
		{config.BuildID(), true},
		{"99.0.0+1.1", true},
		{"", false}, // of a build from before stamps named theirs
	} {
		t.Run(c.by, func(t *testing.T) {
			s := newStation(t)
			for _, stamp := range []string{s.reach.holdStamp(), s.reach.captureHold(), s.reach.startStamp()} {
				if err := os.WriteFile(stamp, []byte(c.by+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				if got := s.reach.inForce(stamp, time.Minute); got != c.want {
					t.Errorf("%s: held off %v, want %v", stamp, got, c.want)
				}
			}
			s.answers(t)
			if err := s.capture(time.Minute); (err != nil) != c.want {
				t.Errorf("got %v, want it held off: %v", err, c.want)
			}
		})
	}
}

func TestAWorkerThatHasComeIsAskedAtOnce(t *testing.T) {
	s := newStation(t)
	for _, stamp := range []string{s.reach.holdStamp(), s.reach.captureHold(), s.reach.slowStamp()} {
		touch(stamp)
	}
	s.answers(t)
	if err := s.capture(time.Minute); err == nil {
		t.Error("nothing held the hook off before")
	}
	ClearHolds(s.paths)
	if err := s.capture(time.Minute); err != nil {
		t.Errorf("got %v, want an answer", err)
	}
}
