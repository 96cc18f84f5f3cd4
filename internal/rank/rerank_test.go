package rank

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"remanence/internal/mem"
)

func order(hits []mem.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

func TestRerankPrefers(t *testing.T) {
	old := now.Add(-200 * 24 * time.Hour)
	for _, tt := range []struct {
		name  string
		ask   Ask
		first mem.Memory
		other mem.Memory
	}{
		{
			"more of the question",
			Ask{Terms: Terms("login race")},
			mem.Memory{Title: "the login has a race"},
			mem.Memory{Title: "the login is slow"},
		},
		{
			"words side by side",
			Ask{Terms: Terms("session lock")},
			mem.Memory{Title: "x", Body: "take the session lock before reading state"},
			mem.Memory{
				Title: "x",
				Body:  "session expires in one hour unless refreshed by clients holding some other kind of lock",
			},
		},
		{
			"a title that says it",
			Ask{Terms: Terms("session lock")},
			mem.Memory{Title: "session lock", Body: "a b c"},
			mem.Memory{Title: "notes of monday", Body: "session lock"},
		},
		{
			"a compound whole",
			Ask{Terms: Terms("retry.go")},
			mem.Memory{Title: "bug in retry.go found"},
			mem.Memory{Title: "go and retry the build"},
		},
		{
			"the file at hand",
			Ask{Terms: Terms("timeout"), Files: []string{"net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"db/pool.go"}},
		},
		{
			"the directory at hand",
			Ask{Terms: Terms("timeout"), Files: []string{"/home/x/app/net/client.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"net/server.go"}},
			mem.Memory{Title: "timeout is short", Files: []string{"db/pool.go"}},
		},
		{
			"the newer",
			Ask{Terms: Terms("timeout"), Now: now},
			mem.Memory{Title: "timeout is 3 s", Created: now.Add(-time.Hour)},
			mem.Memory{Title: "timeout is 5 s", Created: old},
		},
		{
			"the important",
			Ask{Terms: Terms("timeout"), Now: now},
			mem.Memory{Title: "timeout is 3 s", Created: now, Importance: 0.9, Confidence: 0.9},
			mem.Memory{Title: "timeout is 5 s", Created: now, Importance: 0.1, Confidence: 0.9},
		},
		{
			"the used",
			Ask{Terms: Terms("timeout"), Now: now},
			mem.Memory{Title: "timeout is 3 s", Created: now, Uses: 20, LastUsed: now},
			mem.Memory{Title: "timeout is 5 s", Created: now},
		},
		{
			"the branch at hand",
			Ask{Terms: Terms("timeout"), Branch: "main"},
			mem.Memory{Title: "timeout is 3 s", Branch: "main"},
			mem.Memory{Title: "timeout is 5 s", Branch: "dev"},
		},
		{
			"the scope of the profile",
			Ask{Terms: Terms("timeout"), Profile: Preferences},
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
		Created: now.Add(-900 * 24 * time.Hour),
	}
	favoured := mem.Memory{
		ID: "m_favoured", Title: "login page has a new logo", Scope: mem.ScopeSession, Created: now, Importance: 1,
		Confidence: 1,
		Trust:      mem.TrustUser, Branch: "main",
	}
	q := Ask{Terms: Terms("why did the login race happen without a session lock"), Now: now, Branch: "main"}
	got := order(Rerank(q, []mem.Hit{{Memory: related, Score: 8}, {Memory: favoured, Score: 2}}))
	if got[0] != "m_related" {
		t.Errorf("got %v, want m_related first", got)
	}
}

func TestSearchOnPurposeUsesRelevanceAlone(t *testing.T) {
	m := mem.Memory{
		ID: "m_1", Title: "timeout", Importance: 1, Confidence: 1, Created: now, Scope: mem.ScopeUser,
		Trust: mem.TrustUser, Uses: 5,
	}
	got := Rerank(Ask{Terms: []string{"timeout"}, Now: now, Search: true}, []mem.Hit{{Memory: m, Score: 3}})
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
		got := Rerank(Ask{Terms: Terms("timeout of the pool")}, hits)
		for _, h := range got {
			if want := h.Memory.ID == cited.ID; (h.Parts[PartVotes] > 0) != want {
				t.Errorf("%s: %s has %v votes", name, h.Memory.ID, h.Parts[PartVotes])
			}
		}
	}
}

func TestNobodyVotesForHimself(t *testing.T) {
	got := Rerank(Ask{Terms: []string{"timeout"}},
		[]mem.Hit{{Memory: mem.Memory{ID: "m_7k2q", Title: "timeout", Body: "m_7k2q is this one"}, Score: 1}})
	if v := got[0].Parts[PartVotes]; v != 0 {
		t.Errorf("got %v votes, want none", v)
	}
}

func TestEqualHitsStandNewestFirst(t *testing.T) {
	hits := []mem.Hit{
		{Memory: mem.Memory{ID: "m_old", Title: "timeout", Created: now.Add(-time.Hour)}, Score: 1},
		{Memory: mem.Memory{ID: "m_new", Title: "timeout", Created: now}, Score: 1},
	}
	if diff := cmp.Diff([]string{"m_new", "m_old"}, order(Rerank(Ask{Terms: []string{"timeout"}}, hits))); diff != "" {
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
		q := Ask{
			Terms: Terms(text.Draw(t, "prompt")), Now: now,
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
			if c := h.Parts[PartCoverage]; c < 0 || c > 1+1e-9 {
				t.Fatalf("coverage %v, want 0 to 1", c)
			}
		}
		if diff := cmp.Diff(got, Rerank(q, hits)); diff != "" {
			t.Fatalf("the second time differs:\n%s", diff)
		}
	})
}

func TestAuthority(t *testing.T) {
	for _, tt := range []struct {
		hits, prevented float64
		age             time.Duration
		want            float64
	}{
		{0, 0, 0, 1},
		{-5, math.NaN(), 0, 1},
		{math.Inf(1), 0, 0, 1},
		{9, 0, 0, 1 + 0.8*math.Log(10)/(math.Log(10)+12)},
		{0, 4, 0, 1.4},
		{0, 4, 30 * day, 1 + 0.8*12/math.E/(12/math.E+12)},
		{0, 4, -day, 1.4},
		{1e300, 1e300, 0, 1.8},
	} {
		got := authority(tt.hits, tt.prevented, tt.age, 0)
		if math.Abs(got-tt.want) > 1e-6 || got < 1 || got > 1.8 {
			t.Errorf("Authority(%v, %v, %v) = %v, want %v", tt.hits, tt.prevented, tt.age, got, tt.want)
		}
	}
}

func TestWeight(t *testing.T) {
	for _, tt := range []struct {
		hits, prevented float64
		age, life       time.Duration
		want            float64
	}{
		{0, 0, 0, 0, 1},
		{2, 1, 0, 0, 6},
		{2, 1, 30 * day, 0, 6 / math.E},
		{2, 1, 10 * day, 10 * day, 6 / math.E},
		{math.NaN(), -1, 0, -day, 1},
	} {
		if got := documents(tt.hits, tt.prevented, tt.age, tt.life); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Weight(%v, %v, %v, %v) = %v, want %v", tt.hits, tt.prevented, tt.age, tt.life, got, tt.want)
		}
	}
}

func TestStrength(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    mem.Memory
		want float64
	}{
		{"fresh", mem.Memory{Importance: 0.8, Confidence: 0.5, Created: now}, 0.4},
		{"project halves in a week", mem.Memory{
			Importance: 1, Confidence: 1, Scope: mem.ScopeProject,
			Created: now.Add(-7 * day),
		}, 0.5},
		{"user halves in a month", mem.Memory{
			Importance: 1, Confidence: 1, Scope: mem.ScopeUser,
			Created: now.Add(-30 * day),
		}, 0.5},
		{
			"session halves in a day",
			mem.Memory{Importance: 1, Confidence: 1, Scope: mem.ScopeSession, Created: now.Add(-day)},
			0.5,
		},
		{
			"howto halves in a month",
			mem.Memory{Importance: 1, Confidence: 1, Kind: mem.Howto, Created: now.Add(-30 * day)},
			0.5,
		},
		{
			"so does preference",
			mem.Memory{Importance: 1, Confidence: 1, Kind: mem.Preference, Created: now.Add(-30 * day)},
			0.5,
		},
		{"scratch halves in a day", mem.Memory{
			Importance: 1, Confidence: 1, Kind: mem.Scratch, Scope: mem.ScopeUser,
			Created: now.Add(-day),
		}, 0.5},
		{"its own half-life goes before its kind's", mem.Memory{
			Importance: 1, Confidence: 1, Kind: mem.Howto, HalfLife: 2,
			Created: now.Add(-2 * day),
		}, 0.5},
		{"a half-life of 0 is none", mem.Memory{Importance: 1, Confidence: 1, HalfLife: 0, Created: now.Add(-7 * day)}, 0.5},
		{"nor is a negative one", mem.Memory{Importance: 1, Confidence: 1, HalfLife: -2, Created: now.Add(-7 * day)}, 0.5},
		{"nor one that is no number", mem.Memory{
			Importance: 1, Confidence: 1, HalfLife: math.NaN(),
			Created: now.Add(-7 * day),
		}, 0.5},
		{
			"nor an endless one",
			mem.Memory{Importance: 1, Confidence: 1, HalfLife: math.Inf(1), Created: now.Add(-7 * day)},
			0.5,
		},
		{"a huge one is bounded", mem.Memory{Importance: 1, Confidence: 1, HalfLife: 1e300, Created: now}, 1},
		{"negative uses", mem.Memory{Importance: 1, Confidence: 1, Uses: -20, Created: now.Add(-7 * day)}, 0.5},
		{"huge uses", mem.Memory{Importance: 1, Confidence: 1, Uses: math.MaxInt, Created: now.Add(-7 * day)}, 1},
		{"made nobody knows when", mem.Memory{Importance: 1, Confidence: 1}, 0},
		{
			"use counts from the last one",
			mem.Memory{Importance: 1, Confidence: 1, Created: now.Add(-99 * day), LastUsed: now},
			1,
		},
		{
			"each use lengthens the half-life",
			mem.Memory{Importance: 1, Confidence: 1, Uses: 20, Created: now.Add(-28 * day)},
			0.5,
		},
		{"pinned stays", mem.Memory{Importance: 1, Confidence: 1, Pinned: true, Created: now.Add(-99 * day)}, 1},
		{"from the future", mem.Memory{Importance: 1, Confidence: 1, Created: now.Add(day)}, 1},
		{"no numbers", mem.Memory{Importance: math.NaN(), Confidence: math.Inf(1), Created: now}, 0},
		{"too large", mem.Memory{Importance: 7, Confidence: 7, Created: now}, 1},
	} {
		if got := Strength(tt.m, now); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestProfileWeightsAddUpToOne(t *testing.T) {
	for _, p := range []Profile{Balanced, Codebase, Preferences, Debugging, NewProject, Architecture} {
		if sum := p.Weight(mem.ScopeSession) + p.Weight(mem.ScopeProject) + p.Weight(mem.ScopeUser); math.Abs(sum-1) > 1e-9 {
			t.Errorf("%q adds up to %v, want 1", p, sum)
		}
	}
}
