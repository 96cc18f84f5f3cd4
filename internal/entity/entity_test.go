package entity

import (
	"fmt"
	"strings"
	"testing"
)

func TestOfManyNamesSomeAreWeighed(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "worker_of_lane%d ", i)
	}
	if n := len(Symbols(b.String())); n != namesWeighed {
		t.Errorf("%d names are weighed, want %d", n, namesWeighed)
	}
}
