package extract

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/lang"
)

func TestTablesAreWellFormed(t *testing.T) {
	if _, err := lang.ParseLexicon(lexiconTable, cueNames()); err != nil {
		t.Error(err)
	}
	features := Features()
	for line := range strings.Lines(weightTable) {
		if name := strings.Fields(line)[0]; name != "#" && name != "feature" && !slices.Contains(features, name) {
			t.Errorf("weights.tsv has %q, which is no feature", name)
		}
	}
	for _, r := range (TurnFacts{}).Rate("The cause was `x.go`: it never closed the file.", ModelAssistant) {
		if len(r.Features) != len(features) {
			t.Errorf("%d values of %d features", len(r.Features), len(features))
		}
	}
}

func chosen(answer string) []string {
	var out []string
	for _, p := range (TurnFacts{Request: "why is the export empty"}).Choose(Statements(answer), MaxStatements, 0) {
		out = append(out, p.Text)
	}
	return out
}

func TestWhatOnlyAccompaniesTheWorkIsNotKept(t *testing.T) {
	for _, said := range []string{
		"Perfect! All tests pass and the build is green.",
		"Let me look at `export.go` first.",
		"Would you like me to add a test for `export.go`?",
		"I can also split `export.go` in two if you like.",
		"Committed as `1a2b3c4`.",
		"Отлично, все тесты проходят.",
		"すべて完了しました。",
		"`internal/export/export.go`",
	} {
		if got := chosen(said); len(got) > 0 {
			t.Errorf("%q: kept %q", said, got)
		}
	}
}

func TestWhatIsKeptIsCompletedByItsHeadingOrItsList(t *testing.T) {
	for _, tt := range []struct{ said, want string }{
		{
			"## `pool.go`\n\n- The default of 4 workers is not enough, because each import holds one for a minute.",
			"`pool.go`: The default of 4 workers is not enough, because each import holds one for a minute.",
		},
		{
			"| setting | meaning |\n|---|---|\n| `max_conn` | must stay below 60, otherwise the replica refuses connections |",
			"`max_conn`: must stay below 60, otherwise the replica refuses connections",
		},
		{
			"The header comes from `csv.Writer`. It never flushes, because `Close` returned early.",
			"The header comes from `csv.Writer`. It never flushes, because `Close` returned early.",
		},
	} {
		if got := chosen(tt.said); !slices.Contains(got, tt.want) {
			t.Errorf("got %q\nwant %q", got, tt.want)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	answer := strings.Repeat("The cause was `pool.go`: it never closed the file. Each import held one worker for a "+
		"minute.\n\n"+
		"- I decided to use a semaphore instead of a pool\n- Still open: the nightly job\n\n", 8)
	for b.Loop() {
		(TurnFacts{Request: "why is the export empty"}).Choose(Statements(answer), MaxStatements, 0)
	}
}
