package storetest

import (
	"math"
	"time"

	"remanence/internal/mem"
)

// putVectors stores vectors of a model for memories.
func (k kit) putVectors(model string, vs map[string][]float32) {
	k.Helper()
	var put []mem.Vector
	for id, values := range vs {
		put = append(put, mem.Vector{Memory: id, Updated: k.one(id).Updated, Values: values})
	}
	if err := k.store.PutVectors(k.Context(), model, put); err != nil {
		k.Fatalf("PutVectors: %v", err)
	}
}

// near returns the titles of the nearest memories.
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

func (k kit) countVectors(model string) int {
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

var vectorTests = []contractTest{
	{"the nearest come first, with the cosine", func(k kit) {
		ids := k.put(fact("north"), fact("east"), fact("west"), fact("north east"))
		k.putVectors("m", map[string][]float32{ids[0]: north, ids[1]: east, ids[2]: west, ids[3]: {3, 3, 0}})
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
	{"filters apply, and hidden memories are left out", func(k kit) {
		other := with(fact("other project"), func(m *mem.Memory) { m.Project = "p_000000000002" })
		own := with(fact("a session's own"), func(m *mem.Memory) { m.Scope, m.Session = mem.ScopeSession, "one" })
		spoken := with(fact("spoken"), func(m *mem.Memory) { m.Kind, m.Session = mem.Utterance, "one" })
		ids := k.put(fact("here"), other, own, spoken, fact("forgotten"))
		for _, id := range ids {
			k.putVectors("m", map[string][]float32{id: north})
		}
		forgotten := mem.Forgotten
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[4], Status: &forgotten}}})
		k.same("project", k.near("m", north, mem.Query{Project: "p_000000000001"}, 10), []string{"here"})
		k.same("session", k.near("m", north, mem.Query{Within: "one", Project: "p_000000000001"}, 10),
			[]string{"a session's own", "here"})
		k.same("utterances", k.near("m", north, mem.Query{Kinds: []mem.Kind{mem.Utterance}}, 10), []string{"spoken"})
		k.same("hidden", k.near("m", north, mem.Query{Hidden: true, Project: "p_000000000001"}, 10),
			[]string{"forgotten", "here"})
		k.same("by id", k.near("m", east, mem.Query{IDs: []string{ids[1], ids[0]}}, 10), []string{"other project", "here"})
		k.same("an id that is hidden", k.near("m", north, mem.Query{IDs: []string{ids[4]}}, 10), []string{})
	}},
	{"vectors of another model or length are ignored", func(k kit) {
		ids := k.put(fact("by one"), fact("by another"))
		k.putVectors("one", map[string][]float32{ids[0]: north})
		k.putVectors("another", map[string][]float32{ids[1]: north})
		k.same("one", k.near("one", north, mem.Query{}, 10), []string{"by one"})
		k.same("another", k.near("another", north, mem.Query{}, 10), []string{"by another"})
		k.same("one, longer", k.near("one", []float32{0, 1, 0, 0}, mem.Query{}, 10), []string{})
		k.same("another model", k.near("none", north, mem.Query{}, 10), []string{})
		k.same("not one's", k.without("one", 10), []string{"by another"})
		k.putVectors("another", map[string][]float32{ids[0]: north})
		k.same("one, after another took over", k.near("one", north, mem.Query{}, 10), []string{})
	}},
	{"vectors of another length replace all of the model", func(k kit) {
		ids := k.put(fact("shorter"), fact("nothing"), fact("of another"), fact("longer"))
		k.putVectors("m", map[string][]float32{ids[0]: north, ids[1]: nil})
		k.putVectors("another", map[string][]float32{ids[2]: north})
		k.same("before", k.near("m", north, mem.Query{}, 10), []string{"shorter"})
		k.putVectors("m", map[string][]float32{ids[3]: {0, 1, 0, 0}})
		k.same("longer", k.near("m", []float32{0, 1, 0, 0}, mem.Query{}, 10), []string{"longer"})
		k.same("shorter", k.near("m", north, mem.Query{}, 10), []string{})
		k.same("another", k.near("another", north, mem.Query{}, 10), []string{"of another"})
		k.same("still to do", k.without("m", 10), []string{"of another", "shorter"})
		if n, others := k.countVectors("m"), k.countVectors("another"); n != 1 || others != 1 {
			k.Errorf("%d and %d vectors are counted, want 1 of each", n, others)
		}
	}},
	{"an invalid vector is stored as none and not requested again", func(k kit) {
		ids := k.put(fact("zero"), fact("empty"), fact("north"))
		k.putVectors("m", map[string][]float32{ids[0]: {0, 0, 0}, ids[1]: nil, ids[2]: north})
		k.same("nearest", k.near("m", north, mem.Query{}, 10), []string{"north"})
		k.same("still to do", k.without("m", 10), []string{})
		if n := k.countVectors("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
		k.same("asked with nothing", k.near("m", nil, mem.Query{}, 10), []string{})
		k.same("asked with zeros", k.near("m", []float32{0, 0, 0}, mem.Query{}, 10), []string{})
	}},
	{"WithoutVector returns the newest first, in groups of any size", func(k kit) {
		ids := k.put(fact("one"), fact("two"), fact("three"), fact("four"), fact("five"))
		k.putVectors("m", map[string][]float32{ids[2]: north})
		hidden := mem.Superseded
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[3], Status: &hidden}}})
		for _, n := range []int{1, 2, 3, 100} {
			k.same("without", k.without("m", n), []string{"five", "two", "one"})
		}
	}},
	{"a changed text loses its vector, a use does not", func(k kit) {
		ids := k.put(fact("changed"), fact("used"))
		k.putVectors("m", map[string][]float32{ids[0]: north, ids[1]: north})
		text := "changed, and how"
		k.apply(mem.Batch{Edits: []mem.Edit{{ID: ids[0], Title: &text}, {ID: ids[1], Used: 1}}})
		k.same("nearest", k.near("m", north, mem.Query{}, 10), []string{"used"})
		k.same("still to do", k.without("m", 10), []string{text})
		if n := k.countVectors("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
	}},
	{"a vector of a text that changed meanwhile is not stored", func(k kit) {
		ids := k.put(fact("changed"), fact("forgotten"), fact("kept"))
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
	{"the vector of a purged memory is deleted", func(k kit) {
		ids := k.put(fact("erased"), fact("kept"))
		k.putVectors("m", map[string][]float32{ids[0]: north, ids[1]: north})
		k.same("before", k.near("m", north, mem.Query{}, 10), []string{"kept", "erased"})
		if _, err := k.store.Purge(k.Context(), ids[0]); err != nil {
			k.Fatal(err)
		}
		k.same("after", k.near("m", north, mem.Query{Hidden: true}, 10), []string{"kept"})
		if n := k.countVectors("m"); n != 1 {
			k.Errorf("%d vectors are counted, want 1", n)
		}
	}},
	{"DropVectors deletes the vectors of other models, or all", func(k kit) {
		ids := k.put(fact("one"), fact("two"), fact("three"))
		k.putVectors("m", map[string][]float32{ids[0]: north, ids[2]: nil})
		k.putVectors("old", map[string][]float32{ids[1]: north})
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
