package rank

import (
	"cmp"
	"maps"
	"slices"

	"remanence/internal/mem"
)

// Pair is two of a list, the earlier first, and how much they are alike.
type Pair struct {
	A, B  int
	Alike float64 // 0…1, see Alike
}

// Pairs finds all pairs of a list that are alike by at least a share, which is
// above 0; the most alike first. Memories without words are alike to nothing.
func Pairs(ms []mem.Memory, least float64) []Pair {
	sets, words := numbered(ms)
	// Two sets that share so much share one of the rarest words of each: only
	// those have to be looked up (prefix filtering, Chaudhuri and others, 2006).
	holding := make([][]int, words)
	met := make([]int, len(ms)) // the last set that each was laid beside, from 1 on
	var out []Pair
	for i, set := range sets {
		for _, w := range set[:min(len(set), len(set)-ceil(least*float64(len(set)))+1)] {
			for _, j := range holding[w] {
				if met[j] == i+1 {
					continue
				}
				met[j] = i + 1
				if like := shared(set, sets[j]); like >= least {
					out = append(out, Pair{j, i, like})
				}
			}
			holding[w] = append(holding[w], i)
		}
	}
	slices.SortStableFunc(out, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Alike, a.Alike), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return out
}

// numbered are the word sets of memories as ascending numbers, the rarest word
// first, and how many words there are: to compare numbers is several times as
// quick as to look words up.
func numbered(ms []mem.Memory) (sets [][]int, words int) {
	byWord := make([]map[string]bool, len(ms))
	common := map[string]int{}
	for i, m := range ms {
		byWord[i] = wordSet(m, nil)
		for w := range byWord[i] {
			common[w]++
		}
	}
	number := make(map[string]int, len(common))
	for n, w := range slices.SortedFunc(maps.Keys(common), func(a, b string) int { return cmp.Or(cmp.Compare(common[a], common[b]), cmp.Compare(a, b)) }) {
		number[w] = n
	}
	sets = make([][]int, len(ms))
	for i, set := range byWord {
		for w := range set {
			sets[i] = append(sets[i], number[w])
		}
		slices.Sort(sets[i])
	}
	return sets, len(common)
}

// shared is overlap of two ascending lists.
func shared(a, b []int) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

func ceil(x float64) int {
	n := int(x)
	if float64(n) < x {
		n++
	}
	return n
}
