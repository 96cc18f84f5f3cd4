//go:build backends

package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/storetest"
	"remanence/test/pgserver"
)

// withVector is a server with the extension pgvector, which is started for the first test that needs it.
var withVector struct {
	once   sync.Once
	server *pgserver.Server
	err    error
}

// vectorServer returns the server with the extension. Where it cannot be had, nothing says how vectors are searched
// with it: with CI=true that is an error.
func vectorServer(t testing.TB) *pgserver.Server {
	t.Helper()
	withVector.once.Do(func() { withVector.server, withVector.err = pgserver.WithVector(true) })
	if err := withVector.err; errors.Is(err, pgserver.ErrNoVector) && os.Getenv("CI") != "true" {
		t.Skipf("NOT RUN with pgvector: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	return withVector.server
}

func removeVectorServer() error {
	if withVector.server == nil {
		return nil
	}
	return withVector.server.Remove()
}

// openWithVector returns an empty store of the server with the extension.
func openWithVector(t testing.TB, schema string) *Store {
	t.Helper()
	s := openOn(t, vectorServer(t), Config{Schema: schema})
	empty(t, s)
	return s
}

// The extension makes a difference to vectors alone, and to a purge, which erases what its index has.
func TestPostgreSQLWithPgvectorKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mem.Store { return openWithVector(t, "") }, "Vector", "Purge")
}

// fill stores memories of two projects, one of twenty in the second, with vectors of as many subjects as there are for
// every hundred, and returns a source of such vectors.
func fill(t testing.TB, s *Store, memories, length int) (vectorOf func() []float32) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, uint64(length)))
	some := func() []float32 {
		v := make([]float32, length)
		for i := range v {
			v[i] = float32(rnd.NormFloat64())
		}
		return v
	}
	subjects := make([][]float32, max(20, memories/100))
	for i := range subjects {
		subjects[i] = some()
	}
	vectorOf = func() []float32 {
		v := some()
		for i, x := range subjects[rnd.IntN(len(subjects))] {
			v[i] = 0.7*v[i] + x
		}
		return v
	}
	for from := 0; from < memories; from += 1000 {
		var b mem.Batch
		for i := from; i < min(from+1000, memories); i++ {
			m := mem.Memory{
				Scope: mem.ScopeProject, Project: "p_000000000001", Kind: mem.Fact, Title: "fact " + strconv.Itoa(i),
				Status: mem.Active,
			}
			if i%20 == 7 {
				m.Project = "p_000000000002"
			}
			b.Memories = append(b.Memories, m)
		}
		var vs []mem.Vector
		for _, id := range apply(t, s, b)[0].IDs {
			vs = append(vs, mem.Vector{Memory: id, Updated: storetest.Clock(), Values: vectorOf()})
		}
		if err := s.PutVectors(t.Context(), "m", vs); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DropVectors(t.Context(), "m"); err != nil { // as when all memories have a vector
		t.Fatal(err)
	}
	return vectorOf
}

// setExtension runs a statement about the extension.
func setExtension(t testing.TB, statement string) {
	t.Helper()
	if err := vectorServer(t).SQL("remanence", statement); err != nil {
		t.Fatal(err)
	}
}

// found returns the ids of the nearest, as the store finds them.
func found(t testing.TB, s *Store, v []float32, q mem.Query, n int) []string {
	t.Helper()
	hits, err := s.Near(t.Context(), "m", v, q, n)
	return idsOf(t, hits, err)
}

// foundExactly returns the ids of the nearest, of all that are compared.
func foundExactly(t testing.TB, s *Store, v []float32, q mem.Query, n int) []string {
	t.Helper()
	where, err := s.matchFilter(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.compareAll(t.Context(), "m", v, where)
	if err != nil {
		t.Fatal(err)
	}
	stored.NearestFirst(all)
	hits, err := s.hits(t.Context(), all[:min(n, len(all))])
	return idsOf(t, hits, err)
}

func idsOf(t testing.TB, hits []mem.Hit, err error) (ids []string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hits {
		ids = append(ids, h.Memory.ID)
	}
	return ids
}

// usesIndex reports whether a search reads the index.
func usesIndex(t testing.TB, s *Store, v []float32, q mem.Query) bool {
	t.Helper()
	where, err := s.matchFilter(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	_, ok, err := s.near(t.Context(), "m", v, where, 10)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

// leastRecall is the share of the nearest that the index finds at least.
const leastRecall = 0.98

// Storing so many takes most of the time: what is tested of the index is tested with the same memories.
func TestPgvectorSearchesVectors(t *testing.T) {
	s := openWithVector(t, "near")
	vectorOf := fill(t, s, inTest, 64)
	t.Run("it finds what the comparison finds", func(t *testing.T) { findsTheSame(t, s, vectorOf) })
	t.Run("a purge makes the index anew", func(t *testing.T) { purgesTheIndex(t, s, vectorOf) })
	t.Run("vectors are compared after it is removed", func(t *testing.T) { comparesAgain(t, s, vectorOf) })
}

// inTest is how many vectors there are in the test: an index pays, also without some.
const inTest = indexedFrom + 1_000

// findsTheSame searches by the index and by comparing all, with filters.
func findsTheSame(t *testing.T, s *Store, vectorOf func() []float32) {
	t.Helper()
	const n = 60
	if v, err := s.vectorSearch(t.Context()); err != nil || !v.Indexed || v.Vectors != inTest {
		t.Fatalf("the search of vectors is %+v, %v, want %d in an index", v, err, inTest)
	}
	v := vectorOf()
	forgotten := mem.Forgotten
	hidden := found(t, s, v, mem.Query{}, 3)
	for _, id := range hidden {
		apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: id, Status: &forgotten}}})
	}
	for _, tc := range []struct {
		q       mem.Query
		indexed bool
	}{
		{mem.Query{}, true},
		{mem.Query{Project: "p_000000000001"}, true},
		{mem.Query{Project: "p_000000000002"}, false}, // fewer than the index pays for
		{mem.Query{IDs: hidden, Hidden: true}, false},
	} {
		if got := usesIndex(t, s, v, tc.q); got != tc.indexed {
			t.Errorf("%+v: by the index: %t, want %t", tc.q, got, tc.indexed)
		}
		same, all := 0, 0
		for range 20 {
			v := vectorOf()
			want, got := foundExactly(t, s, v, tc.q, n), found(t, s, v, tc.q, n)
			if len(got) != len(want) {
				t.Errorf("%+v: %d are found, want %d", tc.q, len(got), len(want))
			}
			for _, id := range got {
				if !tc.q.Hidden && slices.Contains(hidden, id) {
					t.Errorf("%+v: the hidden %s is found", tc.q, id)
				}
				if slices.Contains(want, id) {
					same++
				}
			}
			all += len(want)
		}
		if recall := float64(same) / float64(all); recall < leastRecall {
			t.Errorf("%+v: recall@%d is %.4f, want %v", tc.q, n, recall, leastRecall)
		}
	}
}

// purgesTheIndex erases a memory that the index has. The server makes the index anew.
func purgesTheIndex(t *testing.T, s *Store, vectorOf func() []float32) {
	t.Helper()
	v := vectorOf()
	before := found(t, s, v, mem.Query{}, 2)
	oid := func() (n int64) {
		if err := get(t.Context(), s.pool, query("SELECT coalesce(to_regclass('vector_near_64')::oid::bigint, 0)"),
			&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	old := oid()
	if _, err := s.Purge(t.Context(), before[0]); err != nil {
		t.Fatal(err)
	}
	for !usesIndex(t, s, v, mem.Query{}) {
		if err := s.DropVectors(t.Context(), "m"); err != nil { // if the purge did not begin it, the next start does
			t.Fatal(err)
		}
	}
	if oid() == old || old == 0 {
		t.Errorf("the index is %d, as before: it may have the erased vector", old)
	}
	if after := found(t, s, v, mem.Query{}, 1); after[0] != before[1] {
		t.Errorf("%s is the nearest, want %s", after[0], before[1])
	}
}

// comparesAgain removes the extension from a store that used it, and brings it back.
func comparesAgain(t *testing.T, s *Store, vectorOf func() []float32) {
	t.Helper()
	v := vectorOf()
	want := foundExactly(t, s, v, mem.Query{}, 10)
	setExtension(t, "DROP EXTENSION vector CASCADE")
	got := found(t, s, v, mem.Query{}, 10)
	fill(t, s, 1, 64)
	server, err := s.Server(t.Context())
	setExtension(t, "CREATE SCHEMA \"another place\"; CREATE EXTENSION vector SCHEMA \"another place\"")
	if err := s.DropVectors(t.Context(), "m"); err != nil { // the role may not use that schema
		t.Fatal(err)
	}
	setExtension(t, "GRANT USAGE ON SCHEMA \"another place\" TO remanence")
	defer setExtension(t, "DROP EXTENSION vector CASCADE; CREATE EXTENSION vector")
	if !slices.Equal(got, want) {
		t.Errorf("found without pgvector: %v, want %v", got, want)
	}
	if w := server.VectorSearch; err != nil || w.Indexed || w.Extension != "" || w.Available == "" {
		t.Errorf("the search of vectors is %+v, %v, want one without pgvector, which is available", w, err)
	}
	if err := s.DropVectors(t.Context(), "m"); err != nil { // as after a start
		t.Fatal(err)
	}
	if !usesIndex(t, s, v, mem.Query{}) {
		t.Error("the index is not used after pgvector is back")
	}
}

// BenchmarkNear compares pgvector with the comparison of all, in turn. docs/internals/scale.md has its figures.
func BenchmarkNear(b *testing.B) {
	for _, memories := range sizes(b) {
		s := openWithVector(b, fmt.Sprintf("bench_%d", memories))
		begun := time.Now()
		vectorOf := fill(b, s, memories, 384)
		b.Logf("%d vectors are stored and indexed in %s", memories, time.Since(begun).Round(time.Second))
		questions := make([][]float32, 50)
		for i := range questions {
			questions[i] = vectorOf()
		}
		for name, q := range map[string]mem.Query{"all": {}, "project": {Project: "p_000000000001"}} {
			exact, same := make([][]string, len(questions)), 0
			for i, v := range questions {
				exact[i] = foundExactly(b, s, v, q, 60)
				for _, id := range found(b, s, v, q, 60) {
					if slices.Contains(exact[i], id) {
						same++
					}
				}
			}
			for _, turn := range []string{"1", "2"} {
				for how, look := range map[string]func(testing.TB, *Store, []float32, mem.Query, int) []string{
					"compared": foundExactly, "pgvector": found,
				} {
					b.Run(fmt.Sprintf("%d/%s/%s/%s", memories, name, how, turn), func(b *testing.B) {
						took := make([]time.Duration, 0, b.N)
						for i := range b.N {
							begun := time.Now()
							look(b, s, questions[i%len(questions)], q, 60)
							took = append(took, time.Since(begun))
						}
						slices.Sort(took)
						b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-p50")
						b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "ms-p95")
						if how == "pgvector" {
							b.ReportMetric(float64(same)/float64(60*len(questions)), "recall@60")
						}
					})
				}
			}
		}
	}
}

func sizes(b *testing.B) (out []int) {
	b.Helper()
	text := os.Getenv("REMANENCE_SIZES")
	if text == "" {
		text = "10000,100000"
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(part)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}
