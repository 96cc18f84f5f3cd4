package stored

import (
	"math"
	"slices"
	"testing"

	"remanence/internal/mem"
)

func TestMemoriesWithoutAVectorAreExaminedWindowByWindow(t *testing.T) {
	window := make([]Examined, VectorWindow)
	for i := range window {
		window[i] = Examined{Number: int64(VectorWindow - i), Lacks: i%1000 == 999}
	}
	for _, c := range []struct {
		name    string
		window  []Examined
		n       int
		numbers []int64
		next    string
	}{
		{"enough were found", window, 1, []int64{1001}, MemoryID(1001)},
		{"the window is full", window, 3, []int64{1001, 1}, MemoryID(1)},
		{"it is the last window", window[1:], 3, []int64{1001, 1}, ""},
		{"there is none", nil, 3, nil, ""},
	} {
		if numbers, next := Lacking(c.window, c.n); !slices.Equal(numbers, c.numbers) || next != c.next {
			t.Errorf("%s: %v, then before %q, want %v and %q", c.name, numbers, next, c.numbers, c.next)
		}
	}
}

func TestAMemoryForWhichAModelMadeNoVectorHasARowToo(t *testing.T) {
	none := mem.Vector{Values: []float32{float32(math.NaN()), 1}}
	model, scale, data := PackVector("m", none)
	if model == "m" || scale != 0 || data == nil || len(data) > 0 || !slices.Contains(ModelsOf("m"), model) {
		t.Errorf("%q, %v, %v, want an empty row of its own model", model, scale, data)
	}
	if got := ModelsOf(""); got == nil || len(got) > 0 {
		t.Errorf("models of none: %v", got)
	}
	if got := VectorLength([]mem.Vector{{}, none}); got != 2 {
		t.Errorf("length %d, want 2", got)
	}
}
