package vector

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
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
	length := Length(v)
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

func TestOneByteForEachNumberIsEnoughForACosine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dims := rapid.IntRange(2, 1024).Draw(t, "dims")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		a := randomVector(r, dims)
		b := beside(r, a, rapid.Float64Range(0, 3).Draw(t, "apart"))
		scale, data, ok := Quantize(b)
		if !ok || scale <= 0 {
			t.Fatalf("no form for %v", b)
		}
		got, ok := Cosine(a, Length(a), data)
		if want := dot(a, b); !ok || math.Abs(got-want) > 0.01 {
			t.Fatalf("cosine is %v, want %v", got, want)
		}
	})
}

func TestAnInvalidVectorIsNotQuantized(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {}, {0, 0}, {1, nan}, {inf, 1}, {-inf}} {
		if _, data, ok := Quantize(v); ok {
			t.Errorf("%v is stored as %v", v, data)
		}
		if Length(v) != 0 {
			t.Errorf("%v has the length %v", v, Length(v))
		}
	}
	if _, ok := Cosine([]float32{1, 2}, 2, []byte{1}); ok {
		t.Error("vectors of different lengths are compared")
	}
	if _, ok := Cosine([]float32{1, 2}, 2, []byte{0, 0}); ok {
		t.Error("a stored zero vector is compared")
	}
}

func TestNearestReturnsRowsWithTheMostEqualSigns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		s := NewSigns(128)
		var among []int64
		for i := range rapid.IntRange(1, 60).Draw(t, "rows") {
			s.Put([]Row{{int64(3 * i), []uint64{uint64(r.IntN(8)), uint64(r.IntN(2))}}}) // many are as near as others
			if r.IntN(2) == 0 {
				among = append(among, int64(3*i))
			}
		}
		asked, n := []uint64{uint64(r.IntN(8)), 1}, rapid.IntRange(1, 60).Draw(t, "n")
		checkNearest(t, &s, asked, s.Nearest(asked, n), s.Numbers, n)
		checkNearest(t, &s, asked, s.NearestOf(asked, n, append([]int64{-1}, among...)), among, n)
	})
}

// checkNearest fails unless the positions are those of n rows, and no other row is nearer
// than one of them, or as near and newer.
func checkNearest(t *rapid.T, s *Signs, asked []uint64, places []int32, rows []int64, n int) {
	var short []int64
	for _, p := range places {
		short = append(short, s.Numbers[p])
	}
	apart := func(number int64) int {
		at, _ := slices.BinarySearch(s.Numbers, number)
		n := 0
		for i := range 64 * s.width {
			if asked[i/64]>>(i%64)&1 != s.Rows[at*s.width+i/64]>>(i%64)&1 {
				n++
			}
		}
		return n
	}
	want := slices.Clone(rows)
	slices.SortFunc(want, func(a, b int64) int { return cmp.Or(apart(a)-apart(b), int(b-a)) })
	want = want[:min(n, len(want))]
	slices.Sort(want)
	slices.Sort(short)
	if !slices.Equal(short, want) {
		t.Fatalf("preselected at %d is %v, want %v", n, short, want)
	}
}

// Weights order rows as their product with the query, if only the sign of each
// number is known.
func TestRankReturnsTheGreatestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		dims := rapid.IntRange(1, 200).Draw(t, "dims")
		v := make([]float32, dims)
		for i := range v {
			v[i] = float32(r.IntN(9) - 4) // whole numbers, whose sums are exact
		}
		s := NewSigns(dims)
		product := map[int64]float32{}
		var rows []int32
		var want []int64
		for i := range rapid.IntRange(0, 60).Draw(t, "rows") {
			x := randomVector(r, dims)
			s.Put([]Row{{int64(3 * i), SignsOf(x)}})
			for j := range v {
				product[int64(3*i)] += float32(math.Copysign(float64(v[j]), float64(v[j]*x[j])))
			}
			if r.IntN(4) > 0 {
				rows, want = append(rows, int32(i)), append(want, int64(3*i))
			}
		}
		n := rapid.IntRange(1, 60).Draw(t, "n")
		slices.SortFunc(want, func(a, b int64) int { return cmp.Or(cmp.Compare(product[b], product[a]), cmp.Compare(b, a)) })
		want = want[:min(n, len(want))]
		if got := s.Rank(v, rows, n); !slices.Equal(got, want) {
			t.Fatalf("the %d heaviest are %v, want %v", n, got, want)
		}
	})
}
