package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/golden"
)

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
	var b strings.Builder
	fmt.Fprintf(&b, "sessions %d\n%s", r.Sessions, r.Stored.Report())
	fmt.Fprintf(&b, "\nprobes answered %d of %d, tokens %.0f\nwith must-nots %d\nunrelated prompts answered %d of %d\n%s\n",
		r.Probes.Answered, r.Probes.Probes, r.Probes.Tokens, r.Probes.MustNot, r.Probes.False, r.Probes.Unrelated,
		strings.Join(r.Probes.Notes, "\n"))
	golden.Compare(t, filepath.Join("testdata", "capture.golden"), b.String())
}
