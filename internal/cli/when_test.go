package cli

import (
	"testing"
	"time"
)

func TestATimelineIsOfTheDayThatAMomentIsOnHere(t *testing.T) {
	zone := time.Local
	time.Local = time.UTC
	defer func() { time.Local = zone }()
	for in, want := range map[string]string{
		"2026-03-14T23:30:00-08:00": "2026-03-15",
		"2026-03-15T01:00:00+09:00": "2026-03-14", "2026-03-15": "2026-03-15", "Makefile": "Makefile",
	} {
		if got := anchor(in, time.Now()); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
