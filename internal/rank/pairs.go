package rank

import (
	"cmp"
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
	type holder struct{ set, at int }
	holding := make([][]holder, words)
	met := make([]int, len(ms)) // the last set that each was laid beside, from 1 on
	var out []Pair
	for i, set := range sets {
		for at, w := range set[:min(len(set), len(set)-ceil(least*float64(len(set)))+1)] {
			for _, h := range holding[w] {
				if met[h.set] == i+1 {
					continue
				}
				met[h.set] = i + 1 // and no rarer word is in both
				if like := shared(sets[h.set], set, h.at, at, least); like >= least {
					out = append(out, Pair{h.set, i, like})
				}
			}
			holding[w] = append(holding[w], holder{i, at})
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
	v := vocabulary{read: map[string][]int{}, ids: map[string]int{}}
	sets = make([][]int, len(ms))
	for i, m := range ms {
		for name := range names(beginning(m)) {
			sets[i] = append(sets[i], v.wordsOf(name)...)
		}
		slices.Sort(sets[i])
		sets[i] = slices.Compact(sets[i])
	}
	common, byRarity, number := make([]int, len(v.ids)), make([]int, len(v.ids)), make([]int, len(v.ids))
	for _, set := range sets {
		for _, id := range set {
			common[id]++
		}
	}
	for id := range byRarity {
		byRarity[id] = id
	}
	slices.SortStableFunc(byRarity, func(a, b int) int { return cmp.Compare(common[a], common[b]) })
	for n, id := range byRarity {
		number[id] = n
	}
	for _, set := range sets {
		for i, id := range set {
			set[i] = number[id]
		}
		slices.Sort(set)
	}
	return sets, len(v.ids)
}

// vocabulary gives words numbers. It reads each name once: most stand in many memories.
type vocabulary struct {
	read map[string][]int // the words of names
	ids  map[string]int
}

func (v vocabulary) wordsOf(name string) []int {
	list, known := v.read[name]
	if known {
		return list
	}
	for _, t := range tokens(name) {
		if !t.compared() {
			continue
		}
		id, known := v.ids[t.key]
		if !known {
			id = len(v.ids)
			v.ids[t.key] = id
		}
		list = append(list, id)
	}
	v.read[name] = list
	return list
}

// shared is overlap of two ascending lists, which have nothing in common before
// the places i and j, where it is at least least, and 0 where it is less.
func shared(a, b []int, i, j int, least float64) float64 {
	// So much they share if at most so many words are in one of them only.
	apart := len(a) + len(b) - 2*int(least/(1+least)*float64(len(a)+len(b))) - i - j
	both := 0
	for i < len(a) && j < len(b) && apart >= 0 {
		switch {
		case a[i] < b[j]:
			i, apart = i+1, apart-1
		case a[i] > b[j]:
			j, apart = j+1, apart-1
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if both == 0 || apart < 0 {
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
