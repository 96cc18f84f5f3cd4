package extract

import "slices"

// Missing are those of list that are not among others.
func Missing(list, others []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(others, s) })
}
