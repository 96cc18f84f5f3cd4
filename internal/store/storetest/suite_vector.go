package storetest

import (
	"math"
	"time"

	"remanence/internal/mem"
)

// means gives memories vectors of a model.
func (k kit) means(model string, vs map[string][]float32) {
	k.Helper()
	var put []mem.Vector
	for id, values := range vs {
		put = append(put, mem.Vector{Memory: id, Updated: k.one(id).Updated, Values: values})
	}
	if err := k.store.PutVectors(k.Context(), model, put); err != nil {
		k.Fatalf("PutVectors: %v", err)
	}
}

// near returns the titles of what is nearest.
func (k kit) near(model string, v []float32, q mem.Query, n int) []string {
	k.Helper()
	hits, err := k.store.Near(k.Context(), model, v, q, n)
	if err != nil {
		k.Fatalf("Near: %v", err)
	}
	out := []string{}
	for _, h := range hits {
		out = append(out, h.Memory.Title)
	}
	return out
}

// without returns the titles of all memories that have no vector, in groups of n.
func (k kit) without(model string, n int) []string {
	k.Helper()
	out := []string{}
	for before := ""; ; {
		ms, next, err := k.store.WithoutVector(k.Context(), model, before, n)
		if err != nil {
			k.Fatalf("Without: %v", err)
		}
		out = append(out, titles(ms)...)
		if next == "" {
			return out
		}
		before = next
	}
}

func (k kit) counted(model string) int {
	k.Helper()
	n, err := k.store.CountVectors(k.Context(), model)
	if err != nil {
		k.Fatalf("CountVectors: %v", err)
	}
	return n
}

var (
	north = []float32{0, 1, 0}
	east  = []float32{1, 0, 0}
	west  = []float32{-1, 0, 0}
)

var vectorTests = []promise{
	{"the nearest come first, with the cosine", func(k kit) {
		ids := k.keep(note("north"), note("east"), note("west"), note("north east"))
		k.means("m", map[string][]float32{ids[0]: north, ids[1]: east, ids[2]: west, ids[3]: {3, 3, 0}})
		k.same("nearest", k.near("m", []float32{0.5, 1, 0}, mem.Query{}, 3), []string{"north east", "north", "east"})
		hits, err := k.store.Near(k.Context(), "m", []float32{0, 7, 0}, mem.Query{}, 10)
		if err != nil || len(hits) != 4 {
			k.Fatalf("Near: %d hits, %v", len(hits), err)
		}
		for i, want := range []float64{1, math.Sqrt2 / 2} {
			if got := hits[i]; math.Abs(got.Score-want) > 0.01 || got.Parts[mem.PartCos] != got.Score {
				k.Errorf("%s: score %v, parts %v, want %v", got.Memory.Title, got.Score, got.Parts, want)
			}
		}
	}},
	{"filters hold, and hidden memories are not told", func(k kit) {
		other := with(note("other project"), func(m *mem.Memory) { m.Project = "p_000000000002" })
		own := with(note("a session's own"), func(m *mem.Memory) { m.Scope, m.Session = mem.ScopeSession, "one" })
		said := with(note("said"), func(m *mem.Memory) { m.Kind, m.Session = mem.Utterance, "one" })
		ids := k.keep(note("here"), other, own, said, note("forgotten"))
		for _, id := range ids {
			k.means("m", map[string][]float32{id: north})
		}
		forgotten := mem.Forgotten
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[4], Status: &forgotten}}})
		k.same("project", k.near("m", north, mem.Query{Project: "p_000000000001"}, 10), []string{"here"})
		k.same("session", k.near("m", north, mem.Query{Within: "one", Project: "p_000000000001"}, 10),
			[]string{"a session's own", "here"})
		k.same("utterances", k.near("m", north, mem.Query{Kinds: []mem.Kind{mem.Utterance}}, 10), []string{"said"})
		k.same("hidden", k.near("m", north, mem.Query{Hidden: true, Project: "p_000000000001"}, 10),
			[]string{"forgotten", "here"})
		k.same("by id", k.near("m", east, mem.Query{IDs: []string{ids[1], ids[0]}}, 10), []string{"other project", "here"})
		k.same("an id that is hidden", k.near("m", north, mem.Query{IDs: []string{ids[4]}}, 10), []string{})
	}},
	{"models and lengths never mix", func(k kit) {
		ids := k.keep(note("by one"), note("by another"))
		k.means("one", map[string][]float32{ids[0]: north})
		k.means("another", map[string][]float32{ids[1]: north})
		k.same("one", k.near("one", north, mem.Query{}, 10), []string{"by one"})
		k.same("another", k.near("another", north, mem.Query{}, 10), []string{"by another"})
		k.same("one, longer", k.near("one", []float32{0, 1, 0, 0}, mem.Query{}, 10), []string{})
		k.same("nobody's", k.near("none", north, mem.Query{}, 10), []string{})
		k.same("not one's", k.without("one", 10), []string{"by another"})
		k.means("another", map[string][]float32{ids[0]: north})
		k.same("one, after another took over", k.near("one", north, mem.Query{}, 10), []string{})
	}},
	{"a model that gives another length gives all anew", func(k kit) {
		ids := k.keep(note("shorter"), note("nothing"), note("of another"), note("longer"))
		k.means("m", map[string][]float32{ids[0]: north, ids[1]: nil})
		k.means("another", map[string][]float32{ids[2]: north})
		k.same("before", k.near("m", north, mem.Query{}, 10), []string{"shorter"})
		k.means("m", map[string][]float32{ids[3]: {0, 1, 0, 0}})
		k.same("longer", k.near("m", []float32{0, 1, 0, 0}, mem.Query{}, 10), []string{"longer"})
		k.same("shorter", k.near("m", north, mem.Query{}, 10), []string{})
		k.same("another", k.near("another", north, mem.Query{}, 10), []string{"of another"})
		k.same("still to do", k.without("m", 10), []string{"of another", "shorter"})
		if n, others := k.counted("m"), k.counted("another"); n != 1 || others != 1 {
			k.Errorf("%d and %d vectors are counted, want 1 of each", n, others)
		}
	}},
	{"what is no vector counts as none, and is not asked for again", func(k kit) {
		ids := k.keep(note("zero"), note("empty"), note("north"))
		k.means("m", map[string][]float32{ids[0]: {0, 0, 0}, ids[1]: nil, ids[2]: north})
		k.same("nearest", k.near("m", north, mem.Query{}, 10), []string{"north"})
		k.same("still to do", k.without("m", 10), []string{})
		if n := k.counted("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
		k.same("asked with nothing", k.near("m", nil, mem.Query{}, 10), []string{})
		k.same("asked with zeros", k.near("m", []float32{0, 0, 0}, mem.Query{}, 10), []string{})
	}},
	{"what has none is found newest first, in any groups", func(k kit) {
		ids := k.keep(note("one"), note("two"), note("three"), note("four"), note("five"))
		k.means("m", map[string][]float32{ids[2]: north})
		hidden := mem.Superseded
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[3], Status: &hidden}}})
		for _, n := range []int{1, 2, 3, 100} {
			k.same("without", k.without("m", n), []string{"five", "two", "one"})
		}
	}},
	{"a text that becomes another loses its vector, one that is used keeps it", func(k kit) {
		ids := k.keep(note("changed"), note("used"))
		k.means("m", map[string][]float32{ids[0]: north, ids[1]: north})
		text := "changed, and how"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Title: &text}, {ID: ids[1], Used: 1}}})
		k.same("nearest", k.near("m", north, mem.Query{}, 10), []string{"used"})
		k.same("still to do", k.without("m", 10), []string{text})
		if n := k.counted("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
	}},
	{"a vector of a text that has changed since is not kept", func(k kit) {
		ids := k.keep(note("changed"), note("forgotten"), note("kept"))
		var put []mem.Vector
		for _, id := range append(ids, "m_zzz") {
			put = append(put, mem.Vector{Memory: id, Updated: Clock(), Values: north})
		}
		put[0].Updated = Clock().Add(-time.Hour)
		forgotten := mem.Forgotten
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[1], Status: &forgotten}}})
		if err := k.store.PutVectors(k.Context(), "m", put); err != nil {
			k.Fatal(err)
		}
		k.same("nearest", k.near("m", north, mem.Query{Hidden: true}, 10), []string{"kept"})
	}},
	{"an erased memory's vector is gone", func(k kit) {
		ids := k.keep(note("erased"), note("kept"))
		k.means("m", map[string][]float32{ids[0]: north, ids[1]: north})
		k.same("before", k.near("m", north, mem.Query{}, 10), []string{"kept", "erased"})
		if _, err := k.store.Purge(k.Context(), ids[0]); err != nil {
			k.Fatal(err)
		}
		k.same("after", k.near("m", north, mem.Query{Hidden: true}, 10), []string{"kept"})
		if n := k.counted("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
	}},
	{"vectors of other models are dropped, or all", func(k kit) {
		ids := k.keep(note("one"), note("two"), note("three"))
		k.means("m", map[string][]float32{ids[0]: north, ids[2]: nil})
		k.means("old", map[string][]float32{ids[1]: north})
		drop := func(model string) {
			if err := k.store.DropVectors(k.Context(), model); err != nil {
				k.Fatal(err)
			}
		}
		drop("m")
		k.same("kept", k.near("m", north, mem.Query{}, 10), []string{"one"})
		k.same("dropped", k.near("old", north, mem.Query{}, 10), []string{})
		k.same("still to do", k.without("m", 10), []string{"two"})
		drop("")
		k.same("all dropped", k.near("m", north, mem.Query{}, 10), []string{})
		k.same("all to do", k.without("m", 10), []string{"three", "two", "one"})
	}},
}
