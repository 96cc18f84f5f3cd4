package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/mem"
	"remanence/internal/recall"
)

func TestAReceiptKeepsFourDigitsOfAScore(t *testing.T) {
	parts := map[string]float64{"coverage": 2.0 / 3, "name": 0}
	r := mem.Receipt{
		Items:   []mem.InjectedItem{{Score: 1.23456, Parts: parts}, {Score: 2}},
		LeftOut: []mem.LeftOutItem{{Score: 0.00004, Parts: parts}},
	}
	recall.Shorten(r)
	want := mem.Receipt{
		Items:   []mem.InjectedItem{{Score: 1.2346, Parts: map[string]float64{"coverage": 0.6667, "name": 0}}, {Score: 2}},
		LeftOut: []mem.LeftOutItem{{Parts: map[string]float64{"coverage": 0.6667, "name": 0}}},
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if parts["coverage"] != 2.0/3 {
		t.Error("the parts of the hit were changed")
	}
}
