package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/mem"
)

func hit(id, title string, score float64, scope mem.Scope) mem.Hit {
	return mem.Hit{Memory: mem.Memory{ID: id, Title: title, Scope: scope}, Score: score}
}

func gates(cuts []mem.LeftOutItem) map[string]string {
	out := map[string]string{}
	for _, c := range cuts {
		out[c.ID] = c.Gate
	}
	return out
}

func TestDiversifyPicksSomethingNewBeforeMoreOfTheSame(t *testing.T) {
	kept, cuts := Diversify([]mem.Hit{
		hit("m_1", "login race fixed by taking the session lock early", 1.0, mem.ScopeProject),
		hit("m_2", "login race fixed by taking the session lock", 0.9, mem.ScopeProject),
		hit("m_3", "gateway answers 429 without a header", 0.8, mem.ScopeProject),
	}, 2, nil)
	if diff := cmp.Diff([]string{"m_1", "m_3"}, order(kept)); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"m_2": "limit"}, gates(cuts)); diff != "" {
		t.Errorf("cut (-want +got):\n%s", diff)
	}
}

func TestDuplicatesAreKeptOnce(t *testing.T) {
	for _, tt := range []struct {
		name  string
		other mem.Hit
		want  string
	}{
		{"the better one", hit("m_other", "use tabs in Makefiles", 0.9, mem.ScopeProject), "m_first"},
		{"the wider scope", hit("m_other", "use tabs in Makefiles", 0.9, mem.ScopeUser), "m_other"},
		{"unless the other is twice as good", hit("m_other", "use tabs in Makefiles", 0.4, mem.ScopeUser), "m_first"},
	} {
		kept, cuts := Diversify([]mem.Hit{hit("m_first", "Use tabs in makefiles!", 1, mem.ScopeProject), tt.other}, 0, nil)
		if len(kept) != 1 || kept[0].Memory.ID != tt.want || len(cuts) != 1 || cuts[0].Gate != "duplicate" {
			t.Errorf("%s: kept %v, cut %v; want %s and one duplicate", tt.name, order(kept), gates(cuts), tt.want)
		}
	}
}

func TestDiversifyNothing(t *testing.T) {
	if kept, cuts := Diversify(nil, 4, nil); len(kept)+len(cuts) != 0 {
		t.Errorf("got %v and %v, want nothing", kept, cuts)
	}
}

func TestDiversifyCutsWhatRepeatsAKnownMemory(t *testing.T) {
	hits := []mem.Hit{
		{Memory: mem.Memory{ID: "m_2", Title: "the parser retries three times with jitter"}, Score: 2},
		{Memory: mem.Memory{ID: "m_3", Title: "the parser of invoices reads two formats"}, Score: 1},
	}
	known := []mem.Memory{{ID: "m_1", Title: "The parser retries three times, with jitter."}}
	kept, cuts := Diversify(hits, 0, nil, known...)
	if len(kept) != 1 || kept[0].Memory.ID != "m_3" || len(cuts) != 1 || cuts[0].ID != "m_2" ||
		cuts[0].Gate != "duplicate" {
		t.Errorf("kept %v, cut %v; want m_3, and m_2 as a duplicate", kept, cuts)
	}
}
