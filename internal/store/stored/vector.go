package stored

import (
	"cmp"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/vector"
)

// NoVector is the model of the row of a memory for which a model made no vector.
func NoVector(model string) string { return model + " (none)" }

// ModelsOf are the models of the rows that belong to a model; none for "".
func ModelsOf(model string) []string {
	if model == "" {
		return []string{}
	}
	return []string{model, NoVector(model)}
}

// VectorLength is the length of the vectors that are written together, 0 if none has numbers. All stored vectors of a
// model have the same length: those of another one are deleted.
func VectorLength(vs []mem.Vector) int {
	for _, v := range vs {
		if len(v.Values) > 0 {
			return len(v.Values)
		}
	}
	return 0
}

// PackVector returns the columns of a vector.
func PackVector(model string, v mem.Vector) (of string, scale float64, data []byte) {
	scale, data, ok := vector.Quantize(v.Values)
	if !ok {
		return NoVector(model), 0, []byte{}
	}
	return model, scale, data
}

// NearestFirst sorts candidates by their cosine; ties break by newest.
func NearestFirst(found []Candidate) {
	slices.SortFunc(found, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Number, a.Number))
	})
}

// VectorWindow is how many memories one call of WithoutVector examines.
const VectorWindow = 2000

// Examined is a memory that was examined for a vector.
type Examined struct {
	Number int64
	Lacks  bool // it is active and has none
}

// Fields are where to scan it.
func (e *Examined) Fields() []any { return []any{&e.Number, &e.Lacks} }

// Lacking returns the numbers of the first memories without a vector, at most n, and the id before which the next call
// of WithoutVector goes on; "" if all were examined. A window with fewer memories than [VectorWindow] is the last one.
func Lacking(window []Examined, n int) (numbers []int64, next string) {
	for i, e := range window {
		if e.Lacks {
			numbers = append(numbers, e.Number)
		}
		if len(numbers) == n || i == VectorWindow-1 {
			return numbers, MemoryID(e.Number)
		}
	}
	return numbers, ""
}
