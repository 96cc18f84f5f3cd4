package index

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"remanence/internal/mem"
)

// TestADictionaryNumbersAsAMapDoes compares a dictionary with a map after any calls.
func TestADictionaryNumbersAsAMapDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, want := newDictionary(), map[string]int32{}
		for _, key := range rapid.SliceOfN(rapid.StringN(0, 3, -1), 0, 200).Draw(t, "keys") {
			before, known := want[key]
			if !known {
				before = none
			}
			if got := d.find(key); got != before {
				t.Fatalf("find %q: got %d, want %d", key, got, before)
			}
			if !known {
				want[key] = int32(len(want))
			}
			if got := d.add(key); got != want[key] {
				t.Fatalf("add %q: got %d, want %d", key, got, want[key])
			}
			if rapid.IntRange(0, 9).Draw(t, "trim") == 0 {
				d = d.trimmed()
			}
		}
		for key, n := range want {
			if got := d.key(n); got != key || d.find(key) != n {
				t.Fatalf("%d is %q, found as %d; want %q", n, got, d.find(key), key)
			}
		}
		if d.len() != len(want) {
			t.Fatalf("%d texts, want %d", d.len(), len(want))
		}
	})
}

func TestATrimmedIndexFindsTheSame(t *testing.T) {
	x := New(false)
	for i := range 300 {
		x.Put(note(fmt.Sprintf("m_%d", i), fmt.Sprintf("The printer %d is loud", i), ""))
	}
	x.Remove("m_7")
	before := found(x, "printer 12 loud")
	x.Trim()
	expect(t, found(x, "printer 12 loud"), before...)
	x.Put(note("m_300", "The printer 12 was moved upstairs", ""))
	expect(t, found(x, "upstairs"), "m_300")
	if got := idsOf(x, mem.Query{Text: "7", Project: "p", Within: "*"}); slices.Contains(got, "m_7") {
		t.Errorf("a removed memory is found: %v", got)
	}
}
