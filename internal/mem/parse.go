package mem

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/fault"
)

// ParseKind reads a kind that a person or an agent writes. Case is ignored, and "-" stands for "_".
func ParseKind(s string) (Kind, error) {
	k := Kind(strings.ReplaceAll(strings.ToLower(s), "-", "_"))
	if _, ok := k.Info(); ok {
		return k, nil
	}
	var names []string
	for _, i := range Kinds() {
		names = append(names, string(i.Kind))
	}
	near := slices.MinFunc(names, func(x, y string) int {
		return cmp.Compare(chars.EditDistance(s, x), chars.EditDistance(s, y))
	})
	fix := []string{"use one of: " + strings.Join(names, ", ")}
	if chars.EditDistance(s, near) <= min(2, len(s)/2) {
		fix = append([]string{"use " + near}, fix...)
	}
	return "", fault.Input.WithMessage("no such kind of memory: %q", chars.Clip(s, 40)).
		Because("the list of kinds is closed; tags are free").FixedBy(fix...)
}

// ParseScope reads a scope that a person or an agent writes. Case is ignored.
func ParseScope(s string) (Scope, error) {
	switch k := Scope(strings.ToLower(s)); k {
	case ScopeSession, ScopeProject, ScopeUser:
		return k, nil
	}
	return "", fault.Input.WithMessage("no such scope: %q", chars.Clip(s, 40)).
		Because("a memory is used in one session, in its project, or in every project of its user").
		FixedBy("use session, project or user")
}
