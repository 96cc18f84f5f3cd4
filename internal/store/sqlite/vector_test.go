package sqlite

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/storetest"
	"remanence/internal/vector"
)

// randomVector returns a random vector of length 1.
func randomVector(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return shortened(v)
}

func shortened(v []float32) []float32 {
	length := vector.Length(v)
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

// near v but not equal, as texts on one topic are.
func beside(r *rand.Rand, v []float32, apart float64) []float32 {
	out := randomVector(r, len(v))
	for i := range out {
		out[i] = float32(apart*float64(out[i])) + v[i]
	}
	return shortened(out)
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// addVectors stores n memories with vectors and returns the vectors by number - 1.
func addVectors(t testing.TB, s *Store, model string, vs [][]float32) {
	t.Helper()
	for from := 0; from < len(vs); from += 1000 {
		var ms []mem.Memory
		for i := from; i < min(from+1000, len(vs)); i++ {
			ms = append(ms, mem.Memory{
				Scope: mem.ScopeProject, Project: fmt.Sprint("p_", i%2), Kind: mem.Fact,
				Title: fmt.Sprint("memory ", i),
			})
		}
		r := apply(t, s, mem.Batch{Memories: ms})
		var put []mem.Vector
		for i, id := range r[0].IDs {
			put = append(put, mem.Vector{Memory: id, Updated: storetest.Clock(), Values: vs[from+i]})
		}
		if err := s.PutVectors(t.Context(), model, put); err != nil {
			t.Fatal(err)
		}
	}
}

// clusteredVectors returns vectors in clusters, as those of texts are.
func clusteredVectors(r *rand.Rand, n, dims int) [][]float32 {
	var out [][]float32
	for len(out) < n {
		topic := randomVector(r, dims)
		for range 25 {
			out = append(out, beside(r, topic, 1))
		}
	}
	return out[:n]
}

func ids(hits []mem.Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

// best returns the ids of the n vectors nearest to v by brute force.
func best(vs [][]float32, v []float32, n int) []string {
	order := make([]int, len(vs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, dot(vs[b], v)-dot(vs[a], v))) })
	var out []string
	for _, i := range order[:n] {
		out = append(out, chars.ShortID("m_", int64(i+1)))
	}
	return out
}

func TestSignsFindTheSameAsBruteForce(t *testing.T) {
	s := openStore(t)
	r := rand.New(rand.NewPCG(7, 7))
	vs := clusteredVectors(r, 5000, 256)
	addVectors(t, s, "m", vs)
	found, wanted := 0, 0
	for i := range 60 {
		v := beside(r, vs[r.IntN(len(vs))], []float64{0.3, 0.8, 1.5}[i%3])
		hits, err := s.Near(t.Context(), "m", v, mem.Query{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		want := best(vs, v, 10)
		for _, id := range want {
			wanted++
			if slices.Contains(ids(hits), id) {
				found++
			}
		}
	}
	if found*100 < wanted*95 {
		t.Errorf("%d of the %d nearest are found, want 95 %%", found, wanted)
	}
}

func TestNearGoesByTheExactCosine(t *testing.T) {
	s := openStore(t)
	r := rand.New(rand.NewPCG(3, 3))
	vs := clusteredVectors(r, 300, 64)
	addVectors(t, s, "m", vs)
	v := beside(r, vs[17], 0.5)
	hits, err := s.Near(t.Context(), "m", v, mem.Query{}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := ids(hits), best(vs, v, 5); !slices.Equal(got, want) {
		t.Errorf("nearest are %v, want %v", got, want)
	}
	for _, h := range hits {
		var n int
		_, _ = fmt.Sscanf(h.Memory.Title, "memory %d", &n)
		if want := dot(v, vs[n]); math.Abs(h.Score-want) > 0.01 || h.Parts[mem.PartCos] != h.Score {
			t.Errorf("%s has the score %v and %v, want %v", h.Memory.Title, h.Score, h.Parts, want)
		}
	}
}

// Filters apply although signs are selected without them, even if the memories that
// pass are far from the query.
func TestFiltersApplyBeforeTheNearestAreSelected(t *testing.T) {
	s := openStore(t)
	r := rand.New(rand.NewPCG(9, 9))
	away := randomVector(r, 64)
	var vs [][]float32
	for range 1500 { // more than the shortlist, all near
		vs = append(vs, beside(r, away, 0.1))
	}
	addVectors(t, s, "m", vs)
	far := make([]float32, 64)
	for i := range far {
		far[i] = -away[i]
	}
	ids := apply(t, s, mem.Batch{Memories: []mem.Memory{
		{Scope: mem.ScopeProject, Project: "p_other", Kind: mem.Fact, Title: "far"},
		{Scope: mem.ScopeProject, Project: "p_other", Kind: mem.Utterance, Session: "one", Title: "said"},
		{Scope: mem.ScopeProject, Project: "p_other", Kind: mem.Fact, Title: "hidden"},
	}})
	var put []mem.Vector
	for _, id := range ids[0].IDs {
		put = append(put, mem.Vector{Memory: id, Updated: storetest.Clock(), Values: far})
	}
	if err := s.PutVectors(t.Context(), "m", put); err != nil {
		t.Fatal(err)
	}
	hidden := mem.Forgotten
	apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: ids[0].IDs[2], Status: &hidden}}})
	for _, c := range []struct {
		q    mem.Query
		want []string
	}{
		{mem.Query{Project: "p_other"}, []string{"far"}},
		{mem.Query{Project: "p_other", Hidden: true}, []string{"hidden", "far"}},
		{mem.Query{Project: "p_other", Kinds: []mem.Kind{mem.Utterance}}, []string{"said"}},
		{mem.Query{Project: "p_none"}, nil},
		{mem.Query{IDs: []string{ids[0].IDs[0]}, Project: "ignored"}, []string{"far"}},
		{mem.Query{IDs: []string{"m_zzz"}}, nil},
	} {
		hits, err := s.Near(t.Context(), "m", away, c.q, 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, h := range hits {
			got = append(got, h.Memory.Title)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, got, c.want)
		}
	}
}

// The cache equals the stored vectors after any sequence of writes.
func TestCachedSignsEqualTheTable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := openStore(t)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		addVectors(t, s, "m", clusteredVectors(r, 20, 70))
		if err := s.load(t.Context(), "m", 70); err != nil {
			rt.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(rt, "steps") {
			id := chars.ShortID("m_", int64(1+r.IntN(20)))
			switch rapid.IntRange(0, 3).Draw(rt, "step") {
			case 0:
				v := mem.Vector{Memory: id, Updated: storetest.Clock(), Values: randomVector(r, 70)}
				if r.IntN(4) == 0 {
					v.Values = nil
				}
				if err := s.PutVectors(t.Context(), "m", []mem.Vector{v}); err != nil {
					rt.Fatal(err)
				}
			case 1:
				_, _ = s.Purge(t.Context(), id) // it may not exist
			case 2:
				remembersOne(rt, s, randomVector(r, 70))
			case 3:
				if err := s.PutVectors(t.Context(), "other",
					[]mem.Vector{{Memory: "m_1", Updated: storetest.Clock(), Values: randomVector(r, 70)}}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		cached := s.vectors.memories
		kept := vector.Signs{Numbers: slices.Clone(cached.Numbers), Rows: slices.Clone(cached.Rows)}
		s.vectors.clear()
		if err := s.load(t.Context(), "m", 70); err != nil {
			rt.Fatal(err)
		}
		want := s.vectors.memories
		for i, n := range want.Numbers { // of another model: not in the table
			at, ok := slices.BinarySearch(kept.Numbers, n)
			width := len(want.Rows) / len(want.Numbers)
			if !ok || !slices.Equal(kept.Rows[at*width:(at+1)*width], want.Rows[i*width:(i+1)*width]) {
				rt.Fatalf("memory %d is cached with other signs, or not at all", n)
			}
		}
		for _, n := range kept.Numbers {
			if !slices.Contains(want.Numbers, n) && n != 1 {
				rt.Fatalf("memory %d is cached and has no vector", n)
			}
		}
	})
}

func remembersOne(t *rapid.T, s *Store, v []float32) {
	r, err := s.Apply(t.Context(),
		mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: "p_0", Kind: mem.Fact,
			Title: fmt.Sprint("more ", v[0]),
		}}})
	if err == nil {
		err = s.PutVectors(t.Context(), "m", []mem.Vector{{Memory: r[0].IDs[0], Updated: storetest.Clock(), Values: v}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestNoByteOfAPurgedVectorIsLeft(t *testing.T) {
	s := openStore(t)
	mark := []float32{}
	for i := range 64 { // bytes that nothing else has: 127, -126, 125, …
		mark = append(mark, float32((127-i)*(1-2*(i%2))))
	}
	addVectors(t, s, "m", [][]float32{mark, randomVector(rand.New(rand.NewPCG(1, 1)), 64)})
	_, data, _ := vector.Quantize(mark)
	text := strings.ToLower(string(data))
	if err := s.Backup(t.Context(), s.path+".schema0"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Near(t.Context(), "m", mark, mem.Query{}, 1); err != nil { // fills the cache
		t.Fatal(err)
	}
	if bytesLeft(t, s, text) == 0 {
		t.Fatal("the vector is not there before it is erased")
	}
	if _, err := s.Purge(t.Context(), "m_1"); err != nil {
		t.Fatal(err)
	}
	if n := bytesLeft(t, s, text); n != 0 {
		t.Errorf("%d traces left, want 0", n)
	}
	if slices.Contains(s.vectors.memories.Numbers, 1) {
		t.Error("its signs are still cached")
	}
}

func TestUtterancesHaveTheirOwnSigns(t *testing.T) {
	s := openStore(t)
	r := apply(t, s, mem.Batch{Memories: []mem.Memory{
		{Scope: mem.ScopeProject, Project: "p_0", Kind: mem.Utterance, Session: "one", Title: "said"},
		{Scope: mem.ScopeProject, Project: "p_0", Kind: mem.Fact, Title: "noted"},
	}})
	v := []float32{1, -1, 1}
	if err := s.load(t.Context(), "m", 3); err != nil {
		t.Fatal(err)
	}
	for _, id := range r[0].IDs {
		if err := s.PutVectors(t.Context(), "m",
			[]mem.Vector{{Memory: id, Updated: storetest.Clock(), Values: v}}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // once as they were put, once as they are read
		if !slices.Equal(s.vectors.utterances.Numbers, []int64{1}) || !slices.Equal(s.vectors.memories.Numbers, []int64{2}) {
			t.Errorf("utterances %v, others %v, want 1 and 2", s.vectors.utterances.Numbers, s.vectors.memories.Numbers)
		}
		s.vectors.clear()
		if err := s.load(t.Context(), "m", 3); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSignsAreCachedWhenNeeded(t *testing.T) {
	s := openStore(t)
	addVectors(t, s, "m", clusteredVectors(rand.New(rand.NewPCG(1, 1)), 50, 64))
	if s.vectors.dims != 0 || s.vectors.memories.Rows != nil {
		t.Errorf("signs of %d vectors are cached", len(s.vectors.memories.Numbers))
	}
}

// storeWithVectors returns a store with many vectors.
func storeWithVectors(b *testing.B, n, dims int) (*Store, *rand.Rand) {
	b.Helper()
	s := openStore(b)
	r := rand.New(rand.NewPCG(1, 2))
	addVectors(b, s, "m", clusteredVectors(r, n, dims))
	return s, r
}

func BenchmarkNear(b *testing.B) {
	s, r := storeWithVectors(b, 100_000, 384)
	v := randomVector(r, 384)
	for _, c := range []struct {
		name string
		q    mem.Query
	}{{"any", mem.Query{}}, {"project", mem.Query{Project: "p_1", Within: "*"}}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := s.Near(b.Context(), "m", v, c.q, 60); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("signs", func(b *testing.B) {
		asked := vector.SignsOf(v)
		for b.Loop() {
			s.vectors.memories.Rank(v, s.vectors.memories.Nearest(asked, preselected), shortlist)
		}
	})
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			s.vectors.clear()
			if err := s.load(b.Context(), "m", 384); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.WithoutVector(b.Context(), "m", "", 32); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func TestVectorsAreReadWhileTheyAreWrittenAndPurged(t *testing.T) {
	s := openStore(t)
	vs := clusteredVectors(rand.New(rand.NewPCG(5, 5)), 300, 64)
	addVectors(t, s, "m", vs)
	var all sync.WaitGroup
	for g := range 2 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 1))
			for range 30 {
				hits, err := s.Near(t.Context(), []string{"m", "other"}[g%2], randomVector(r, 64), mem.Query{}, 5)
				if err != nil {
					t.Error(err)
				}
				for i := 1; i < len(hits); i++ {
					if hits[i].Score > hits[i-1].Score {
						t.Errorf("scores %v before %v", hits[i-1].Score, hits[i].Score)
					}
				}
			}
		})
	}
	all.Go(func() {
		r := rand.New(rand.NewPCG(9, 1))
		for i := range 60 {
			v := mem.Vector{Memory: chars.ShortID("m_", int64(1+r.IntN(300))), Updated: storetest.Clock()}
			v.Values = randomVector(r, 64)
			if err := s.PutVectors(t.Context(), []string{"m", "other"}[i%2], []mem.Vector{v}); err != nil {
				t.Error(err)
			}
		}
	})
	all.Go(func() {
		for n := range 5 {
			if _, err := s.Purge(t.Context(), chars.ShortID("m_", int64(200+n))); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	hits, err := s.Near(t.Context(), "m", vs[201], mem.Query{}, 300)
	if err != nil || len(hits) == 0 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	for n := range 5 {
		if id := chars.ShortID("m_", int64(200+n)); slices.Contains(ids(hits), id) {
			t.Errorf("%s was erased and is found", id)
		}
	}
}

func TestWithoutVectorDoesNotContinueAfterAMemoryWithALongerID(t *testing.T) {
	s := openStore(t)
	for i := range 70 {
		apply(t, s,
			mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: fmt.Sprint("fact ", i)}}})
	}
	if _, err := s.Purge(t.Context(), "m_2"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.WithoutVector(t.Context(), "model", "m_2", 5); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("got %v, want %v", err, mem.ErrNotFound)
	}
}
