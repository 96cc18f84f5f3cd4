package cli

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/eval"
	"remanence/internal/eval/evalstore"
	"remanence/test/golden"
)

// recallStats holds how good recall was when it was last looked at.
const recallStats = "testdata/recall_stats"

// recallSets are where the sets with golden numbers lie. The first is the
// project's own. The development sets are not part of the project: their
// licences allow to measure with them, not to hand them on.
func recallSets() map[string]string {
	beside := filepath.Join("..", "..", "..", "shared", "data")
	return map[string]string{
		"ferry":       filepath.Join("testdata", "recall", "ferry"),
		"godoc-even":  filepath.Join(beside, "godoc-even"),
		"locomo-even": filepath.Join(beside, "locomo-even"),
		"restic-even": filepath.Join(beside, "restic-even"),
	}
}

// What is found of each set, through the product's own store and search, is
// what it was. A change for the better is a change too: look at the numbers and
// write them anew with -update.
func TestRecallIsWhatItWas(t *testing.T) {
	want := readStats(t)
	var mu sync.Mutex
	got := map[string]string{}
	t.Run("sets", func(t *testing.T) {
		for name, path := range recallSets() {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if _, err := os.Stat(path); err != nil && name != "ferry" {
					t.Skipf("the development set %s was not found at %s: its numbers are not checked", name, path)
				}
				if racing && name != "ferry" {
					t.Skipf("the development set %s takes minutes under the race detector: its numbers are checked without", name)
				}
				line := statsOf(examOf(t, path))
				mu.Lock()
				got[name] = line
				mu.Unlock()
				if line != want[name] && !golden.Updating() {
					t.Errorf("R@1 R@5 R@10 MRR nDCG@10:\ngot  %s\nwant %s", line, want[name])
				}
			})
		}
	})
	if golden.Updating() {
		maps.Copy(want, got)
		writeStats(t, want)
	}
}

// examOf runs a suite as the command does.
func examOf(t *testing.T, path string) eval.Result {
	t.Helper()
	s, err := eval.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	x, err := evalstore.Open(t.Context(), time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Run(t.Context(), s, x, eval.Options{})
	if cerr := x.Close(); err != nil || cerr != nil {
		t.Fatal(err, cerr)
	}
	if _, err := os.Stat(x.Dir()); !os.IsNotExist(err) {
		t.Errorf("%s is left", x.Dir())
	}
	return r
}

func statsOf(r eval.Result) string {
	return fmt.Sprintf("%s %s %s %s %s", ui.Percent(r.Recall["1"]), ui.Percent(r.Recall["5"]), ui.Percent(r.Recall["10"]),
		ui.Percent(*r.MRR), ui.Percent(*r.NDCG))
}

const statsHead = `# How much of each set is found, in percent: R@1 R@5 R@10 MRR nDCG@10.
# Written by: go test ./internal/cli -run TestRecallIsWhatItWas -update
`

func readStats(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(recallStats)
	if err != nil && !golden.Updating() {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, values, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && name != "#" {
			out[name] = strings.Join(strings.Fields(values), " ")
		}
	}
	return out
}

func writeStats(t *testing.T, stats map[string]string) {
	t.Helper()
	text := statsHead
	for _, name := range slices.Sorted(maps.Keys(stats)) {
		text += ui.Pad(name, 12)
		for _, v := range strings.Fields(stats[name]) {
			text += fmt.Sprintf("%6s", v)
		}
		text += "\n"
	}
	if err := os.WriteFile(recallStats, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
