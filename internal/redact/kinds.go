package redact

import "remanence/internal/redact/secrets"

// Kind is a kind of secret that a Redactor recognises.
type Kind struct {
	Name     string
	Marker   string // an example of its marker
	UserRule bool   // from one of Rules
}

// Kinds lists the kinds of secrets: the built-in ones, then those of Rules, each part sorted by name.
func (r *Redactor) Kinds() []Kind {
	builtIn, user := r.finder().Kinds()
	var kinds []Kind
	for i, name := range append(builtIn, user...) {
		kinds = append(kinds, Kind{Name: name, Marker: secrets.Marker(r.Key, name, name), UserRule: i >= len(builtIn)})
	}
	return kinds
}
