package views

import "testing"

func TestAFailureOfARecapSaysWhatBecameOfIt(t *testing.T) {
	for _, c := range []struct {
		f    RecapFailure
		want string
	}{
		{RecapFailure{Command: "make", Times: 1}, "make; still fails"},
		{RecapFailure{Command: "make", Times: 1, Resolved: true}, "make; works now"},
		{RecapFailure{Command: "make", Times: 1, Fix: "x"}, "make; fixed: x"},
	} {
		if got := c.f.text(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
