package config

import (
	"testing"
	"time"
)

func TestLengthsOfTimeAreRead(t *testing.T) {
	for in, want := range map[string]time.Duration{
		"2h": 2 * time.Hour, "30m": 30 * time.Minute, "3d": 72 * time.Hour,
		"1h30m": 90 * time.Minute,
	} {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "0h", "-1h", "2mo", "ever", "20000w"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q: got %v, want an error", in, got)
		}
	}
}
