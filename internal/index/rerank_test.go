package index

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestRerankPrefers(t *testing.T) {
	old := noon.Add(-200 * 24 * time.Hour)
	for _, tt := range []struct {
		name  string
		ask   rank.Ask
		first mem.Memory
		other mem.Memory
	}{
		{
			"more of the question",
			rank.Ask{Terms: rank.Terms("login race")},
			mem.Memory{Title: "the login has a race"},
			mem.Memory{Title: "the login is slow"},
		},
		{
			"words side by side",
			rank.Ask{Terms: rank.Terms("session lock")},
			mem.Memory{Title: "x", Body: "take the session lock before reading state"},
			mem.Memory{
				Title: "x",
				Body:  "session expires in one hour unless refreshed by clients holding some other kind of lock",
			},
		},
		{
			"a title that says it",
			rank.Ask{Terms: rank.Terms("session lock")},
			mem.Memory{Title: "session lock", Body: "a b c"},
			mem.Memory{Title: "notes of monday", Body: "session lock"},
		},
		{
			"a compound whole",
			rank.Ask{Terms: rank.Terms("retry.go")},
			mem.Memory{Title: "bug in retry.go found"},
			mem.Memory{Title: "go and retry the build"},
		},
		{
			"the file at hand",
			rank.Ask{Terms: rank.Terms("timeout"), Files: []string{"net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"db/pool.go"}},
		},
		{
			"the directory at hand",
			rank.Ask{Terms: rank.Terms("timeout"), Files: []string{"/home/x/app/net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"net/server.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"db/pool.go"}},
		},
		{
			"the newer",
			rank.Ask{Terms: rank.Terms("timeout"), Now: noon},
			mem.Memory{Title: "timeout is 3 s", Created: noon.Add(-time.Hour)},
			mem.Memory{Title: "timeout is 5 s", Created: old},
		},
		{
			"the important",
			rank.Ask{Terms: rank.Terms("timeout"), Now: noon},
			mem.Memory{Title: "timeout is 3 s", Created: noon, Importance: 0.9, Confidence: 0.9},
			mem.Memory{Title: "timeout is 5 s", Created: noon, Importance: 0.1, Confidence: 0.9},
		},
		{
			"the used",
			rank.Ask{Terms: rank.Terms("timeout"), Now: noon},
			mem.Memory{Title: "timeout is 3 s", Created: noon, Uses: 20, LastUsed: noon},
			mem.Memory{Title: "timeout is 5 s", Created: noon},
		},
		{
			"the branch at hand",
			rank.Ask{Terms: rank.Terms("timeout"), Branch: "main"},
			mem.Memory{Title: "timeout is 3 s", Branch: "main"},
			mem.Memory{Title: "timeout is 5 s", Branch: "dev"},
		},
		{
			"the scope of the profile",
			rank.Ask{Terms: rank.Terms("timeout"), Profile: rank.Preferences},
			mem.Memory{Title: "timeout is 3 s", Scope: mem.ScopeUser},
			mem.Memory{Title: "timeout is 5 s", Scope: mem.ScopeProject},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.first.ID, tt.other.ID = "m_first", "m_other"
			hits := []mem.Hit{{Memory: tt.other, Score: 1}, {Memory: tt.first, Score: 1}}
			got := order(Rerank(tt.ask, hits))
			if diff := cmp.Diff([]string{"m_first", "m_other"}, got); diff != "" {
				t.Errorf("order (-want +got):\n%s\n%v", diff, Rerank(tt.ask, hits))
			}
		})
	}
}

func TestRelevanceBeatsEveryPrior(t *testing.T) {
	related := mem.Memory{
		ID: "m_related", Title: "login race fixed by the session lock", Scope: mem.ScopeUser,
		Created: noon.Add(-900 * 24 * time.Hour),
	}
	favoured := mem.Memory{
		ID: "m_favoured", Title: "login page has a new logo", Scope: mem.ScopeSession, Created: noon, Importance: 1,
		Confidence: 1,
		Trust:      mem.TrustUser, Branch: "main",
	}
	q := rank.Ask{Terms: rank.Terms("why did the login race happen without a session lock"), Now: noon, Branch: "main"}
	got := order(Rerank(q, []mem.Hit{{Memory: related, Score: 8}, {Memory: favoured, Score: 2}}))
	if got[0] != "m_related" {
		t.Errorf("got %v, want m_related first", got)
	}
}

func TestSearchOnPurposeUsesRelevanceAlone(t *testing.T) {
	m := mem.Memory{
		ID: "m_1", Title: "timeout", Importance: 1, Confidence: 1, Created: noon, Scope: mem.ScopeUser,
		Trust: mem.TrustUser, Uses: 5,
	}
	got := Rerank(rank.Ask{Terms: []string{"timeout"}, Now: noon, Search: true}, []mem.Hit{{Memory: m, Score: 3}})
	for _, prior := range []string{"strength", "authority", "scope", "trust", "branch"} {
		if v, ok := got[0].Parts[prior]; ok {
			t.Errorf("part %s is %v, want none", prior, v)
		}
	}
}

func TestWhatOthersCiteStandsHigher(t *testing.T) {
	hash := "3f2a91c07d5be8146a90c2f1d4e7b6a583901234"
	for name, cited := range map[string]mem.Memory{
		"by id":   {ID: "m_7k2q", Title: "timeout of the pool"},
		"by key":  {ID: "m_x", Title: "timeout of the pool", Key: "issue:4711"},
		"by hash": {ID: "m_x", Title: "timeout of the pool", Key: hash},
	} {
		said := map[string]string{"by id": "as m_7k2q says", "by key": "since #4711", "by hash": "reverts 3f2a91c07"}[name]
		hits := []mem.Hit{
			{Memory: mem.Memory{ID: "m_other", Title: "timeout of the pool"}, Score: 1},
			{Memory: cited, Score: 1},
			{Memory: mem.Memory{ID: "m_citing", Title: "timeout", Body: said + ", the timeout of the pool"}, Score: 1},
		}
		got := Rerank(rank.Ask{Terms: rank.Terms("timeout of the pool")}, hits)
		for _, h := range got {
			if want := h.Memory.ID == cited.ID; (h.Parts[rank.PartVotes] > 0) != want {
				t.Errorf("%s: %s has %v votes", name, h.Memory.ID, h.Parts[rank.PartVotes])
			}
		}
	}
}

func TestNoMemoryVotesForItself(t *testing.T) {
	got := Rerank(rank.Ask{Terms: []string{"timeout"}},
		[]mem.Hit{{Memory: mem.Memory{ID: "m_7k2q", Title: "timeout", Body: "m_7k2q is this one"}, Score: 1}})
	if v := got[0].Parts[rank.PartVotes]; v != 0 {
		t.Errorf("got %v votes, want none", v)
	}
}

func TestEqualHitsStandNewestFirst(t *testing.T) {
	hits := []mem.Hit{
		{Memory: mem.Memory{ID: "m_old", Title: "timeout", Created: noon.Add(-time.Hour)}, Score: 1},
		{Memory: mem.Memory{ID: "m_new", Title: "timeout", Created: noon}, Score: 1},
	}
	got := order(Rerank(rank.Ask{Terms: []string{"timeout"}}, hits))
	if diff := cmp.Diff([]string{"m_new", "m_old"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestRerankIsSteadyAndBounded(t *testing.T) {
	word := rapid.SampledFrom([]string{
		"login", "race", "retry.go", "数据库", "sessionLock", "the", "x", "", "\x00",
		"timeout",
	})
	text := rapid.Custom(func(t *rapid.T) string {
		s := ""
		for _, w := range rapid.SliceOfN(word, 0, 6).Draw(t, "words") {
			s += w + " "
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		var hits []mem.Hit
		for range rapid.IntRange(0, 8).Draw(t, "hits") {
			hits = append(hits, mem.Hit{
				Memory: mem.Memory{
					ID: text.Draw(t, "id"), Title: text.Draw(t, "title"), Body: text.Draw(t, "body"),
					Importance: rapid.Float64().Draw(t, "importance"),
				},
				Score: rapid.SampledFrom([]float64{0, 1, 2.5, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e300}).Draw(t, "score"),
			})
		}
		q := rank.Ask{
			Terms: rank.Terms(text.Draw(t, "prompt")), Now: noon,
			Corpus: mem.Corpus{Size: rapid.IntRange(-1, 1000).Draw(t, "size")},
		}
		if rapid.Bool().Draw(t, "counted") {
			q.Corpus.DocFreq = rapid.SliceOfN(rapid.IntRange(-1, 1000), len(q.Terms), len(q.Terms)).Draw(t, "holding")
		}
		got := Rerank(q, hits)
		if len(got) != len(hits) {
			t.Fatalf("%d hits, want %d", len(got), len(hits))
		}
		for i, h := range got {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || i > 0 && h.Score > got[i-1].Score {
				t.Fatalf("score %v at %d is no number or out of order", h.Score, i)
			}
			if c := h.Parts[rank.PartCoverage]; c < 0 || c > 1+1e-9 {
				t.Fatalf("coverage %v, want 0 to 1", c)
			}
		}
		if diff := cmp.Diff(got, Rerank(q, hits)); diff != "" {
			t.Fatalf("the second time differs:\n%s", diff)
		}
	})
}

func order(hits []mem.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

func FuzzRerank(f *testing.F) {
	f.Add("don't --no-daemon c++ 数据库 กิน")
	f.Fuzz(func(_ *testing.T, text string) {
		q := rank.Ask{Terms: rank.Terms(text)}
		m := mem.Memory{ID: "m_1", Title: text, Body: text, Files: []string{text}}
		rank.Floor(q, Rerank(q, []mem.Hit{{Memory: m, Score: 1}}), rank.LeastRelevance, nil)
	})
}
