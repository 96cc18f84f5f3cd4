package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/views"
	"remanence/test/golden"
)

// explained are receipts as their reader may meet them. Those without a relevance are of earlier versions.
func explained() map[string]views.WhyResponse {
	at := time.Date(2026, 9, 14, 12, 2, 11, 0, time.UTC)
	injected := mem.Receipt{
		ID: "r_88c1", Session: "0b1c", At: at, Trigger: "prompt", Query: "add retries to the webhook sender",
		Outcome:    mem.Injected,
		Candidates: 41, Floor: 0.34, Budget: 300, Tokens: 212, TookMS: 38,
		Items: []mem.InjectedItem{
			{
				ID: "m_7k2q", Rank: 1, Kind: mem.Decision, Title: "chose jittered backoff", Score: 2.31, Section: "recall",
				Parts: map[string]float64{
					"bm25f": 1, "char4": 0.9, "prox": 0.31, "titlecov": 0.5, "coverage": 0.62, "telling": 3, "rarity": 0.8, "name": 0,
					"path": 1, "recency": 0.97, "strength": 0.49, "scope": 0.35, "trust": 1, "authority": 1.04,
				},
			},
			{
				ID: "m_19fx", Rank: 2, Kind: mem.Gotcha, Title: "gateway sends 429 without Retry-After", Score: 1.1,
				Section: "recall", Stale: mem.FileChanged, Parts: map[string]float64{
					"bm25f": 0.4, "coverage": 0.4, "telling": 2, "recency": 0.5, "scope": 0.35, "authority": 1, "stale": 1,
				},
			},
		},
		LeftOut: []mem.LeftOutItem{
			{
				ID: "m_2aa1", Title: "the webhook page is slow", Score: 0.44, Gate: "below_floor",
				Parts: map[string]float64{"bm25f": 0.3, "coverage": 0.21, "telling": 1},
			},
			{
				ID: "m_51c2", Title: "send.go holds the retry loop", Score: 0.9, Gate: "stale",
				Parts: map[string]float64{"bm25f": 0.8, "stale": 1},
			},
			{
				ID: "m_77aa", Title: "the sender has no time-out", Score: 0.8, Gate: "budget",
				Parts: map[string]float64{"bm25f": 0.7, "coverage": 0.5, "telling": 2},
			},
		},
		Text: "<remanence-context>…</remanence-context>",
	}
	silent := mem.Receipt{
		ID: "r_90d0", Session: "0b1c", At: at, Trigger: "prompt", Query: "what does the page weigh?", Outcome: mem.Abstained,
		Candidates: 2, Floor: 0.34, Budget: 300, TookMS: 9,
		LeftOut: []mem.LeftOutItem{
			{ID: "m_3b", Title: "pages are cached", Score: 1.2, Gate: "below_floor", Parts: map[string]float64{
				"bm25f":    1,
				"coverage": 0.3, "telling": 1,
			}},
			{
				ID: "m_2aa1", Title: "the webhook page is slow", Score: 1.1, Gate: "below_floor",
				Parts: map[string]float64{"bm25f": 0.9, "coverage": 0.36, "telling": 1},
			},
		},
	}
	return map[string]views.WhyResponse{
		"told": {
			Receipt: injected, Short: "s_4d", States: map[string]mem.Status{"m_19fx": mem.Forgotten},
			Used:  map[string]bool{"m_7k2q": true},
			Later: &silent,
		},
		"abstained": {Receipt: silent, Short: "s_4d"},
		"nothing":   {Receipt: mem.Receipt{ID: "r_1", At: at, Trigger: "session_start", Outcome: mem.Nothing, Budget: 1200}},
		"relevance": {Receipt: withRelevance(at), Short: "s_4d"},
		"none_relevant": {Receipt: mem.Receipt{
			ID: "r_91aa", At: at, Trigger: "prompt", Query: "rotate the backup keys", Outcome: mem.Abstained, Candidates: 3,
			Floor: 0.55, Budget: 300, TookMS: 7,
			LeftOut: []mem.LeftOutItem{
				{ID: "m_1", Title: "backups run at night", Score: 1.2, Gate: "below_floor", Parts: map[string]float64{
					"bm25f": 1, "prox": 0.02, "coverage": 0.41, "telling": 1, "rarity": 0.6, "relevance": 0.33,
				}},
				{ID: "m_2", Title: "keys of the staging server", Score: 1.1, Gate: "below_floor", Parts: map[string]float64{
					"bm25f": 0.9, "prox": 0.1, "coverage": 0.48, "telling": 2, "rarity": 0.7, "relevance": 0.5496,
				}},
				{ID: "m_3", Title: "nightly jobs", Score: 0.3, Gate: "below_floor", Parts: map[string]float64{
					"cos": 0.2, "meaning": 0.4, "relevance": 0,
				}},
			},
		}},
		"oldest": {Receipt: mem.Receipt{ // neither relevance nor coverage
			ID: "r_2", At: at, Trigger: "prompt", Query: "add retries", Outcome: mem.Abstained, Candidates: 2, Floor: 0.45,
			Budget: 300, TookMS: 11,
			LeftOut: []mem.LeftOutItem{
				{ID: "m_2aa1", Title: "the webhook page", Score: 0.44, Gate: "below_floor", Parts: map[string]float64{"fts": 0.4}},
				{ID: "m_2aa2", Title: "the webhook list", Score: 0.31, Gate: "below_floor"},
			},
		}},
	}
}

// withRelevance is a receipt of the present version: one item is relevant, one is only near in meaning.
func withRelevance(at time.Time) mem.Receipt {
	return mem.Receipt{
		ID: "r_90ff", At: at, Trigger: "prompt", Query: "why does the gateway throttle us?", Outcome: mem.Injected,
		Candidates: 9, Floor: 0.55, Budget: 300, Tokens: 88, TookMS: 12,
		Items: []mem.InjectedItem{
			{
				ID: "m_19fx", Rank: 1, Kind: mem.Gotcha, Title: "gateway sends 429 without Retry-After", Score: 2.1,
				Section: "recall", Parts: map[string]float64{
					"bm25f": 1, "prox": 0.21, "coverage": 0.58, "telling": 2, "rarity": 0.9, "name": 0, "recency": 0.9,
					"authority": 1, "cos": 0.8, "meaning": 1.1, "relevance": 0.72,
				},
			},
			{
				ID: "m_7k2q", Rank: 2, Kind: mem.Decision, Title: "chose jittered backoff", Score: 1.4, Section: "recall",
				Parts: map[string]float64{
					"cos": 0.71, "meaning": 2.2, "recency": 0.97, "authority": 1, "relevance": 0,
				},
			},
		},
		LeftOut: []mem.LeftOutItem{
			{
				ID: "m_2aa1", Title: "the webhook page is slow", Score: 0.44, Gate: "below_floor",
				Parts: map[string]float64{"bm25f": 0.3, "coverage": 0.21, "telling": 1, "relevance": 0.25},
			},
			{
				ID: "m_77aa", Title: "the sender has no time-out", Score: 0.8, Gate: "budget",
				Parts: map[string]float64{"bm25f": 0.7, "coverage": 0.5, "telling": 2, "relevance": 0.6},
			},
		},
	}
}

func TestWhyReadsAsItDid(t *testing.T) {
	for name, got := range explained() {
		for _, width := range []int{100, 50} {
			v := ui.ReceiptView{WhyResponse: got}
			p, out := testPrinter(width)
			p.Now = func() time.Time { return got.Receipt.At.Add(time.Hour) }
			v.Print(p)
			golden.Compare(t, filepath.Join("testdata", "text", fmt.Sprintf("why_%s_%d.txt", name, width)),
				unweighed(out.String()))
		}
	}
}

func TestHeadAndHintsOfAReceiptFitTheScreen(t *testing.T) {
	asked := strings.Repeat("why does the gate squeak ", 8)
	for _, width := range []int{80, 100} {
		for _, trigger := range []string{"session_start", "prompt", "compaction", "subagent"} {
			v := receiptView(mem.Receipt{
				ID: "r_01234567", At: time.Date(2025, 9, 14, 12, 2, 11, 0, time.UTC), Trigger: trigger, Query: asked,
				Outcome:    mem.Injected,
				Candidates: 1234, Tokens: 12345, Budget: 12300, TookMS: 1234, Items: []mem.InjectedItem{{ID: "m_0123456"}},
			})
			v.Later = &mem.Receipt{ID: "r_89abcdef", Trigger: trigger, Query: asked}
			p, out := testPrinter(width)
			v.Head(p)
			v.Hints(p)
			for line := range strings.Lines(out.String()) {
				if n := ui.Cells(strings.TrimSpace(line)); n > width {
					t.Errorf("%d columns of %d: %s", n, width, line)
				}
			}
		}
	}
}

func TestWhatWasLeftOutFitsTheScreen(t *testing.T) {
	old := map[string]float64{"coverage": 0.75, "telling": 1, "rarity": 0.57}
	for _, s := range rank.Summands(old) {
		old[s.Part] = 0.99
	}
	parts := maps.Clone(old)
	parts["telling"], parts["relevance"] = 12, 0.5499
	long := strings.Repeat("the gate squeaks ", 9)
	for _, width := range []int{80, 100} {
		for _, outcome := range []mem.InjectionOutcome{mem.Injected, mem.Abstained} {
			v := receiptView(mem.Receipt{
				ID: "r_01234567", Trigger: "prompt", Outcome: outcome, Floor: 0.55,
				LeftOut: []mem.LeftOutItem{
					{ID: "m_0123456", Title: long, Score: 2.1, Gate: rank.BelowFloor, Parts: parts},
					{ID: "m_1", Title: long, Gate: "duplicate", Parts: parts},
					{ID: "m_2", Title: long, Gate: rank.BelowFloor, Parts: old},
					{ID: "m_3", Title: long, Gate: rank.BelowFloor, Parts: map[string]float64{"relevance": 0}},
				},
			})
			p, out := testPrinter(width)
			v.Head(p)
			v.LeftOut(p)
			if !strings.Contains(out.String(), "m_0123456") {
				t.Errorf("nothing is said of what was left out: %s", out)
			}
			for line := range strings.Lines(out.String()) {
				if n := ui.Cells(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%d columns of %d: %s", n, width, line)
				}
			}
		}
	}
}

func TestNextReadsAsItDid(t *testing.T) {
	all := explained()
	for name, r := range map[string]mem.Receipt{
		"told":      all["told"].Receipt,
		"abstained": all["abstained"].Receipt,
		"off":       {Outcome: mem.Off, Budget: 300},
		"no_budget": {Outcome: mem.Nothing, Query: "why?"},
		"trivial":   {Outcome: mem.Nothing, Query: "yes", Budget: 300},
		"empty":     {Outcome: mem.Nothing, Budget: 1200},
		"blank":     {Outcome: mem.Nothing, Trigger: "prompt", Budget: 300},
		"short":     {Outcome: mem.Nothing, Trigger: "prompt", Query: "zzz", Budget: 300},
	} {
		p, out := testPrinter(100)
		nextView{r, name == "short"}.Print(p)
		said := out.String() + p.Err.(*strings.Builder).String()
		golden.Compare(t, filepath.Join("testdata", "text", "next_"+name+".txt"), unweighed(said))
	}
}

// unweighed is a text without the weights, which are tuned by others.
func unweighed(s string) string {
	return regexp.MustCompile(`(\d)×-?[\d.]+`).ReplaceAllString(s, "${1}×w")
}

func TestEveryPartIsShownWithItsWeight(t *testing.T) {
	for _, kind := range []map[string]float64{nil, {rank.PartSession: 0}} {
		parts := map[string]float64{}
		for part := range kind {
			parts[part] = 0.5
		}
		for _, s := range rank.Summands(kind) {
			parts[s.Part] = 0.5
		}
		p, out := testPrinter(100)
		ui.ReceiptView{}.Parts(p, parts)
		for _, s := range rank.Summands(kind) {
			want := fmt.Sprintf("%s 0.50×%s", rank.PartName(s.Part), ui.Short(s.Weight))
			if !strings.Contains(out.String(), want) {
				t.Errorf("want %q in\n%s", want, out)
			}
		}
	}
}
