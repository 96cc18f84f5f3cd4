package config

import (
	"strings"
	"testing"
)

func TestBuildsAreOrderedByVersionThenByTime(t *testing.T) {
	rising := []string{
		"", "0.0.0-dev+zz.1", "0.0.0-dev+aaa.1", "0.0.1+zzzzzzzz.1", "0.1.0+1.1", "0.1.0+2.1", "0.9.0+1.1", "0.10.0+1.1",
		"1.0.0+1.1",
	}
	for i, a := range rising {
		for j, b := range rising {
			if got := Older(a, b); got != (i < j) {
				t.Errorf("%q is older than %q: %v, want %v", a, b, got, i < j)
			}
		}
	}
}

func TestASourceIsDescribedHonestly(t *testing.T) {
	for _, c := range []struct {
		from Source
		want string
	}{
		{Source{}, "an unknown commit"},
		{Source{Commit: "1a2b3c4d5e6f7a8b", Date: "2026-11-25T10:00:00Z"}, "commit 1a2b3c4d5e6f 2026-11-25"},
		{Source{Commit: "1a2b3c4d5e6f7a8b", Modified: true}, "commit 1a2b3c4d5e6f, modified"},
	} {
		if got := c.from.String(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.from, got, c.want)
		}
	}
	if got := BuiltFrom(); got.Commit != "" && !strings.Contains(got.Date, "T") {
		t.Errorf("built from %+v", got)
	}
}
