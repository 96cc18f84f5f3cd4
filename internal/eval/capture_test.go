package eval

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"remanence/test/golden"
)

// What is kept of the exam's sessions is what it was. A change of the words, the weights
// or the kinds shows here what it costs.
func TestWhatIsKeptOfTheExamOfCapture(t *testing.T) {
	r, err := Capture()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "sessions %d, statements %d\n", r.Sessions, r.Statements)
	fmt.Fprintf(&b, "kept %d of %d facts, of the right kind %d of %d\n", r.Kept, r.Facts, r.RightKind, r.WithKind)
	for _, who := range []string{"person", "assistant", "any"} {
		fmt.Fprintf(&b, "%s %d of %d\n", who, r.By[who][0], r.By[who][1])
	}
	fmt.Fprintf(&b, "must-nots kept %d of %d\n%s\n", r.Broken, r.MustNot, strings.Join(r.Notes, "\n"))
	golden.Compare(t, filepath.Join("testdata", "capture.golden"), b.String())
}

func TestASessionWithoutLabelsIsRefused(t *testing.T) {
	if _, err := ParseCapture("=== one\n> hello\n"); err == nil {
		t.Error("no error")
	}
}
