package lang_test

import (
	"os"
	"strings"
	"testing"

	"remanence/internal/lang"
)

// rows are the lines of a table of three columns.
func rows(t *testing.T, file string) (out [][]string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			t.Fatalf("line %q has %d fields, want 3", line, len(f))
		}
		out = append(out, f)
	}
	return out
}

func TestPairsOfStatementsAreJudged(t *testing.T) {
	for _, f := range rows(t, "testdata/pairs.tsv") {
		want := lang.Relation(f[0])
		for _, p := range [][2]string{{f[1], f[2]}, {f[2], f[1]}} {
			if got := lang.Compare(p[0], p[1]); got.Relation != want {
				t.Errorf("%q and %q: got %s (%s), want %s", p[0], p[1], got.Relation, got.Reason, want)
			}
		}
	}
}

// Where the words leave it open, statements are apart: whether they are said to
// differ or to be opposite does not matter.
func TestOnlyStatementsThatAgreeMayBeMerged(t *testing.T) {
	for _, f := range rows(t, "testdata/further.tsv") {
		for _, p := range [][2]string{{f[1], f[2]}, {f[2], f[1]}} {
			if got := lang.Compare(p[0], p[1]); got.Agrees() != (f[0] == "agrees") {
				t.Errorf("%q and %q: got %s (%s), want %s", p[0], p[1], got.Relation, got.Reason, f[0])
			}
		}
	}
}

func TestTheReasonSaysByWhatStatementsDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want lang.Reason
	}{
		{"Five retries", "Three retries", lang.ByNumber},
		{"Port 9443", "port 8443", lang.ByNumber},
		{"Indent with spaces, not tabs", "Indent with tabs", lang.ByNegation},
		{"Caching is enabled", "Caching is disabled", lang.ByAntonym},
		{"Edit config.yaml", "Edit config.toml", lang.ByName},
		{"Mirrors are rebuilt", "Mirrors are rebuilt only on Mondays", lang.ByCondition},
		{"The api calls the worker", "The worker calls the api", lang.ByOrder},
		{"Supports mysql and postgres", "Supports postgres and mysql", lang.ByList},
		{"Indent with spaces", "Indent with tabs", lang.ByWord},
		{"Indent with spaces", "Indent with spaces", ""},
	} {
		if got := lang.Compare(c.a, c.b); got.Reason != c.want {
			t.Errorf("%q and %q: got %q (%s), want %q", c.a, c.b, got.Reason, got.Relation, c.want)
		}
	}
}

func FuzzCompareIsSymmetricAndNeverPanics(f *testing.F) {
	f.Add("The api calls the worker", "the worker's api isn't called -> 5s")
	f.Add("`a b` \"c", "从a到b,don't -x")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := lang.Compare(a, b), lang.Compare(b, a)
		if x.Agrees() != y.Agrees() {
			t.Errorf("%q and %q: got %v one way and %v the other", a, b, x, y)
		}
		if j := lang.Compare(a, a); j.Relation != lang.Same {
			t.Errorf("%q and itself: got %v", a, j)
		}
	})
}

func BenchmarkCompare(b *testing.B) {
	short := "The billing service retries three times with jittered backoff before it gives up"
	long := strings.Repeat(short+", and the importer skips rows that are broken. ", 60)
	for name, p := range map[string][2]string{
		"equal":   {short, short + " for good"},
		"swapped": {"The sync job reads from postgres, writes to kafka", "The sync job reads from kafka, writes to postgres"},
		"long":    {long, "In short: " + long + " So it is."},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				lang.Compare(p[0], p[1])
			}
		})
	}
}
