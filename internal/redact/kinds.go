package redact

import (
	"cmp"
	"slices"
)

// Kind is a sort of secret that a Door knows.
type Kind struct {
	Name   string
	Marker string // what stands for one; its four digits, if there is a key, are an example
	Own    bool   // of a rule of the user's
}

// Kinds lists what the Door knows, the built-in kinds first, each part by name.
func (d *Door) Kinds() []Kind {
	d.open()
	var kinds []Kind
	add := func(name string, own bool) {
		k := Kind{Name: name, Marker: d.marker(name, name), Own: own}
		if !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	for i := range builtin {
		add(builtin[i].kind, false)
	}
	for _, r := range d.user {
		add(r.kind, true)
	}
	slices.SortStableFunc(kinds, func(a, b Kind) int {
		if a.Own != b.Own {
			if a.Own {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return kinds
}
