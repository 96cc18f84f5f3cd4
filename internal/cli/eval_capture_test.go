package cli

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"remanence/test/golden"
)

// standing is what an injected line says before its text besides the kind: it changes with each memory and weight.
var standing = regexp.MustCompile(`m_\w+ (\w+), \d+ d, [^:]*: `)

// Sessions played to the engine are kept, and later prompts get of them, what the golden
// file says. A change of capture, search or injection shows here what it costs.
func TestPlayedSessionsAreKeptAndInjected(t *testing.T) {
	if racing {
		t.Skip("a thousand events take minutes under the race detector: the numbers are checked without")
	}
	t.Parallel()
	r, err := captureExam(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// A tenth below what was reached, and an answer to one unrelated prompt in fifty. A run with -update does not get
	// past these.
	stored, probes := r.Stored, r.Probes
	for _, b := range []struct {
		what             string
		got, least, most int
	}{
		{"sessions", r.Sessions, 61, math.MaxInt},
		{"facts", stored.Facts, 165, math.MaxInt},
		{"must-nots", stored.MustNot, 123, math.MaxInt},
		{"facts kept", stored.Kept, 116, stored.Facts},
		{"facts of the person kept", stored.By["person"][0], 32, stored.By["person"][1]},
		{"facts of the assistant kept", stored.By["assistant"][0], 63, stored.By["assistant"][1]},
		{"facts of the right kind", stored.RightKind, 72, stored.WithKind},
		{"statements", stored.Statements, stored.Kept, 205},
		{"must-nots kept", stored.Broken, 0, 23},
		{"probes", probes.Probes, 71, math.MaxInt},
		{"probes answered", probes.Answered, 46, probes.Probes},
		{"probes with must-nots", probes.MustNot, 0, 9},
		{"unrelated prompts", probes.Unrelated, 61, math.MaxInt},
		{"unrelated prompts answered", probes.False, 0, 1},
	} {
		if b.got < b.least || b.got > b.most {
			t.Errorf("%s: %d, want %d to %d", b.what, b.got, b.least, b.most)
		}
	}
	if t.Failed() {
		t.Fatal("the golden file is not compared, and not written")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "sessions %d\n%s", r.Sessions, r.Stored.Report())
	fmt.Fprintf(&b, "\nprobes answered %d of %d, tokens %.0f\nwith must-nots %d\nunrelated prompts answered %d of "+
		"%d\n%s\n",
		r.Probes.Answered, r.Probes.Probes, r.Probes.Tokens, r.Probes.MustNot, r.Probes.False, r.Probes.Unrelated,
		standing.ReplaceAllString(strings.Join(r.Probes.Notes, "\n"), "$1: "))
	golden.Compare(t, filepath.Join("testdata", "capture.golden"), b.String())
}
