package redact

import (
	"cmp"
	"slices"
)

// Kind is a kind of secret that a Door recognises.
type Kind struct {
	Name   string
	Marker string // an example of its marker
	Own    bool   // from one of Rules
}

// Kinds lists the kinds of secrets: the built-in ones, then those of Rules, each part sorted
// by name.
func (d *Door) Kinds() []Kind {
	d.prepare()
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
