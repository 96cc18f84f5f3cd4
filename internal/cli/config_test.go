package cli

import (
	"math"
	"testing"
)

// What is no number cannot be shown as JSON, nor weigh anything.
func TestASettingIsANumber(t *testing.T) {
	o, err := FindOption("use.saturation")
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []any{"NaN", "inf", math.NaN(), math.Inf(-1), "", "x", true} {
		if got, err := o.Parse(raw); err == nil {
			t.Errorf("%v: got %v, want an error", raw, got)
		}
	}
	for _, raw := range []any{"1.5", 1.5} {
		if got, err := o.Parse(raw); err != nil || got != 1.5 {
			t.Errorf("%v: got %v, %v", raw, got, err)
		}
	}
}
