package vector

import (
	"cmp"
	"math/bits"
	"slices"
)

// Signs are the signs of the numbers of memories' vectors, one bit each. The number
// of equal signs of two vectors selects those whose cosine is worth computing.
// 100,000 vectors of 384 numbers take 5 MB.
type Signs struct {
	Numbers []int64  // of the memories, ascending
	Rows    []uint64 // the same number of words for each of them

	width int // words of a row
}

// Row is the signs of one memory's vector.
type Row struct {
	Number int64
	Bits   []uint64
}

// NewSigns returns the signs of no vectors. The vectors will have dims numbers each.
func NewSigns(dims int) Signs { return Signs{width: words(dims)} }

// words is how many words n bits take.
func words(n int) int { return (n + 63) / 64 }

// SignsOf returns the signs of a vector that is searched for.
func SignsOf(v []float32) []uint64 {
	out := make([]uint64, words(len(v)))
	for i, x := range v {
		if x > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// SignsOfStored returns the signs of a stored vector.
func SignsOfStored(data []byte) []uint64 {
	out := make([]uint64, words(len(data)))
	for i, b := range data {
		if int8(b) > 0 {
			out[i/64] |= 1 << (i % 64)
		}
	}
	return out
}

// Put adds rows and replaces existing ones.
func (s *Signs) Put(fresh []Row) {
	slices.SortStableFunc(fresh, func(a, b Row) int { return cmp.Compare(a.Number, b.Number) })
	var more []Row
	for _, r := range fresh {
		if at, found := slices.BinarySearch(s.Numbers, r.Number); found {
			copy(s.Rows[at*s.width:(at+1)*s.width], r.Bits)
		} else if n := len(more); n > 0 && more[n-1].Number == r.Number {
			more[n-1] = r
		} else {
			more = append(more, r)
		}
	}
	s.merge(more)
}

// Append adds the signs of a stored vector. The memory's number is greater than all before.
func (s *Signs) Append(number int64, data []byte) {
	s.Numbers, s.Rows = append(s.Numbers, number), append(s.Rows, SignsOfStored(data)...)
}

// merge inserts new rows, which are in ascending order, beginning at the end.
func (s *Signs) merge(more []Row) {
	have := len(s.Numbers)
	s.Numbers = append(s.Numbers, make([]int64, len(more))...)
	s.Rows = append(s.Rows, make([]uint64, len(more)*s.width)...)
	for to := len(s.Numbers) - 1; len(more) > 0; to-- {
		last := more[len(more)-1]
		if have > 0 && s.Numbers[have-1] > last.Number {
			have--
			s.Numbers[to] = s.Numbers[have]
			copy(s.Rows[to*s.width:(to+1)*s.width], s.Rows[have*s.width:(have+1)*s.width])
			continue
		}
		s.Numbers[to] = last.Number
		copy(s.Rows[to*s.width:(to+1)*s.width], last.Bits)
		more = more[:len(more)-1]
	}
}

// Drop removes rows and overwrites their memory.
func (s *Signs) Drop(numbers map[int64]bool) {
	to := 0
	for from, n := range s.Numbers {
		if numbers[n] {
			continue
		}
		if to != from {
			s.Numbers[to] = n
			copy(s.Rows[to*s.width:(to+1)*s.width], s.Rows[from*s.width:(from+1)*s.width])
		}
		to++
	}
	clear(s.Rows[to*s.width:])
	clear(s.Numbers[to:])
	s.Numbers, s.Rows = s.Numbers[:to], s.Rows[:to*s.width]
}

// Nearest returns the n rows with the most signs equal to those of the query, in no
// order; ties break by newest.
func (s *Signs) Nearest(query []uint64, n int) []int32 {
	apart := make([]uint16, len(s.Numbers))
	s.measure(query, apart)
	return s.pick(apart, n)
}

// NearestOf is Nearest among some memories, which are in ascending order.
func (s *Signs) NearestOf(query []uint64, n int, among []int64) []int32 {
	var at []int32
	var apart []uint16
	from := 0
	for _, number := range among {
		i, found := slices.BinarySearch(s.Numbers[from:], number)
		if from += i; found {
			at = append(at, int32(from))
			apart = append(apart, distance(query, s.Rows[from*s.width:]))
		}
	}
	rows := s.pick(apart, n)
	for i, r := range rows {
		rows[i] = at[r]
	}
	return rows
}

// pick returns the positions of the n least values; ties break by the last.
func (s *Signs) pick(apart []uint16, n int) []int32 {
	n = min(n, len(apart))
	tally := make([]int, s.width*64+1)
	for _, d := range apart {
		tally[d]++
	}
	limit, left := 0, n // the greatest distance of a row, and how many rows of that distance are returned
	for ; tally[limit] < left; limit++ {
		left -= tally[limit]
	}
	out := make([]int32, 0, n)
	for i := len(apart) - 1; i >= 0 && len(out) < n; i-- {
		switch d := int(apart[i]); {
		case d < limit:
			out = append(out, int32(i))
		case d == limit && left > 0:
			left--
			out = append(out, int32(i))
		}
	}
	return out
}

// Rank returns the memories of the n rows with the greatest weights, the greatest
// first; ties break by newest.
func (s *Signs) Rank(v []float32, rows []int32, n int) []int64 {
	type weighed struct {
		row    int32
		weight float32
	}
	w := weightsOf(v)
	all := make([]weighed, len(rows))
	for i, r := range rows {
		all[i] = weighed{r, w.of(s.Rows[int(r)*s.width:])}
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.row, a.row))
	})
	out := make([]int64, min(n, len(all)))
	for i := range out {
		out[i] = s.Numbers[all[i].row]
	}
	return out
}

// weights are the weights of the signs of a row, in groups of four: the sum of the
// query's numbers whose sign in the row is plus. That estimates the product with a
// vector of which only the signs are known, better than the number of equal signs
// does: a large number counts more than one near zero.
type weights [][16]float32

func weightsOf(v []float32) weights {
	out := make(weights, 16*words(len(v)))
	for i, x := range v {
		part := &out[i/4]
		for signs := range part {
			if signs>>(i%4)&1 == 1 {
				part[signs] += x
			}
		}
	}
	return out
}

func (w weights) of(row []uint64) float32 {
	sum := float32(0)
	for i, word := range row[:len(w)/16] {
		parts := (*[16][16]float32)(w[16*i:])
		for k := range parts {
			sum += parts[k][word&15]
			word >>= 4
		}
	}
	return sum
}

// measure counts the differing signs of every row.
func (s *Signs) measure(query []uint64, apart []uint16) {
	left := s.Rows
	for i := range apart {
		apart[i] = distance(query, left)
		left = left[len(query):]
	}
}

// distance is how many signs of the query differ from those at the beginning of row.
func distance(query, row []uint64) uint16 {
	n := 0
	row = row[:len(query)]
	for i, x := range query {
		n += bits.OnesCount64(x ^ row[i])
	}
	return uint16(n)
}
