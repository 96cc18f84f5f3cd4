package chars

import "testing"

func TestTheNumberOfAShortID(t *testing.T) {
	for _, n := range []int64{0, 1, 31, 32, 1 << 40} {
		if got, ok := ShortNumber("m_", ShortID("m_", n)); !ok || got != n {
			t.Errorf("of %d: %d, %v", n, got, ok)
		}
	}
	for _, id := range []string{"", "m_", "n_1", "m_01", "m_u", "m_zzzzzzzzzzzzzzzzz"} {
		if n, ok := ShortNumber("m_", id); ok {
			t.Errorf("%q: %d", id, n)
		}
	}
}
