package stored

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Limits of what one call returns.
const (
	MaxLinks    = 1000
	MaxBranches = 50 // branches of sessions that are counted
)

// Soon is how far ahead the due time of a job may lie that counts as waiting now.
const Soon = time.Minute

// LimitOr returns n, or mem.DefaultLimit if n is not positive.
func LimitOr(n int) int {
	if n <= 0 {
		return mem.DefaultLimit
	}
	return n
}

// Page returns a page of a list. 0 rows mean mem.DefaultLimit.
func Page[T any](list []T, rows, offset int) []T {
	from := min(max(offset, 0), len(list))
	return list[from:min(len(list), from+LimitOr(rows))]
}

// SearchesUtterances reports whether a query searches utterances, and not all other memories.
func SearchesUtterances(q mem.Query) bool { return slices.Contains(q.Kinds, mem.Utterance) }

// Above is the first text after all that begin with prefix.
func Above(prefix string) string { return prefix + string(utf8.MaxRune) }

// MemoryID is the id of the memory with a number.
func MemoryID(n int64) string { return chars.ShortID("m_", n) }

// Only returns the one number that was found.
func Only(found []int64) (int64, error) {
	switch len(found) {
	case 0:
		return 0, mem.ErrNotFound
	case 1:
		return found[0], nil
	}
	return 0, mem.ErrAmbiguous
}

// Numbers returns the numbers of the memories that q names: those of whole ids were found together, prefixes are
// resolved one by one unless q takes whole ids alone.
func Numbers(q mem.Query, whole []int64, resolve func(id string) (int64, error)) ([]int64, error) {
	known := make(map[string]int64, len(whole))
	for _, n := range whole {
		known[MemoryID(n)] = n
	}
	out := make([]int64, 0, len(q.IDs))
	for _, id := range q.IDs {
		n, ok := known[id]
		if !ok && q.ExactIDs {
			continue
		}
		if !ok {
			var err error
			if n, err = resolve(id); err != nil {
				return nil, err
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// ByNumber returns memories by their numbers. One that is broken is an error: leaving it out would mean that it does
// not exist.
func ByNumber(found []MemoryRow) (map[int64]mem.Memory, error) {
	out := make(map[int64]mem.Memory, len(found))
	for _, r := range found {
		if r.Broken {
			return nil, fmt.Errorf("memory %s: %w", r.ID, ErrUnreadable)
		}
		out[r.Number] = r.Memory
	}
	return out, nil
}

// InOrder returns the memories with the given numbers, in this order. One that is missing is an error, unless q takes
// whole ids alone.
func InOrder(q mem.Query, numbers []int64, byNumber map[int64]mem.Memory) ([]mem.Memory, error) {
	out := make([]mem.Memory, 0, len(numbers))
	for _, n := range numbers {
		m, ok := byNumber[n]
		if !ok && q.ExactIDs {
			continue
		}
		if !ok {
			return nil, fmt.Errorf("memory %s: %w", MemoryID(n), mem.ErrNotFound)
		}
		m.Index = ""
		out = append(out, m)
	}
	return out, nil
}

// SessionPage makes the page of q of what read, agents and branches return: sessions with what belongs to each, and the
// counts by agent and by branch. A count of agents is one of all agents, and one of branches one of all branches.
func SessionPage(ctx context.Context, q mem.SessionQuery,
	read func(context.Context, mem.SessionQuery) ([]mem.SessionRow, error),
	agents, branches func(context.Context, mem.SessionQuery) ([]mem.Count, error),
) (out mem.SessionPage, err error) {
	if out.Sessions, err = read(ctx, q); err != nil {
		return out, err
	}
	anyAgent, anyBranch := q, q
	anyAgent.Agent, anyBranch.Branch = "", ""
	if out.Agents, err = agents(ctx, anyAgent); err != nil {
		return out, err
	}
	for _, c := range out.Agents {
		if q.Agent == "" || c.Value == q.Agent {
			out.Total += c.N
		}
	}
	found, err := branches(ctx, anyBranch)
	out.Branches = append([]mem.Count{}, found...)
	return out, err
}

// KindCount is the number of memories of a kind and a status.
type KindCount struct {
	Kind   mem.Kind
	Status mem.Status
	N      int
}

// Fields are where to scan a count.
func (c *KindCount) Fields() []any { return []any{&c.Kind, &c.Status, &c.N} }

// CountMemories sets the counts of memories in st.
func CountMemories(st *mem.Stats, counts []KindCount) {
	st.Kinds = map[mem.Kind]int{}
	for _, c := range counts {
		if c.Status != mem.Active {
			st.Hidden += c.N
			continue
		}
		st.Kinds[c.Kind] += c.N
		if c.Kind != mem.Utterance {
			st.Memories += c.N
		}
	}
}
