package lang

import "slices"

// gap holds the words of two statements between two words that they share.
type gap struct {
	x, y   []token // of which one or both are empty
	at     int     // how many shared words stand before it
	last   bool    // nothing shared stands behind it
	broken bool    // punctuation stands behind it
}

// onlyAdds reports whether words before all that two statements share may only add
// something: they are a part of their own, describe the first noun, or say little.
// Any other word may be the verb: "drop support".
func (g gap) onlyAdds(list []token) bool {
	return g.broken || list[0].begins || list[0].is(marker) || !slices.ContainsFunc(list, token.meaningful)
}

// align lays two statements side by side along their longest common
// subsequence. voice reports whether a shared word has another form. ok is false
// where the statements are too long to compare.
func align(x, y []token) (gaps []gap, voice, ok bool) {
	head, tail := ends(x, y)
	n, m := len(x)-head-tail, len(y)-head-tail
	if n*m > maxCells {
		return nil, false, false
	}
	table := lengths(x[head:head+n], y[head:head+m])
	g := gap{}
	shared := func(i, j int) {
		g.broken = x[i].breaks || y[j].breaks
		gaps = append(gaps, g)
		g = gap{at: g.at + 1}
		voice = voice || x[i].text != y[j].text
	}
	for i := range head {
		shared(i, i)
	}
	i, j := 0, 0
	for i < n || j < m {
		switch {
		case i < n && j < m && x[head+i].equal(y[head+j]):
			shared(head+i, head+j)
			i, j = i+1, j+1
		case j == m || i < n && table[(i+1)*(m+1)+j] >= table[i*(m+1)+j+1]:
			g.x = append(g.x, x[head+i])
			i++
		default:
			g.y = append(g.y, y[head+j])
			j++
		}
	}
	for k := range tail {
		shared(len(x)-tail+k, len(y)-tail+k)
	}
	g.last = true
	return append(gaps, g), voice, true
}

// ends counts the words that two statements share at their beginning and at
// their end.
func ends(x, y []token) (head, tail int) {
	for head < len(x) && head < len(y) && x[head].equal(y[head]) {
		head++
	}
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail].equal(y[len(y)-1-tail]) {
		tail++
	}
	return head, tail
}

// lengths is the table of the longest common subsequences of all ends of two
// lists, by rows of len(y)+1.
func lengths(x, y []token) []int32 {
	w := len(y) + 1
	table := make([]int32, (len(x)+1)*w)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i].equal(y[j]) {
				table[i*w+j] = table[(i+1)*w+j+1] + 1
			} else {
				table[i*w+j] = max(table[(i+1)*w+j], table[i*w+j+1])
			}
		}
	}
	return table
}
