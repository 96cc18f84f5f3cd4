package extract

import (
	"slices"

	"remanence/internal/mem"
)

// Contains reports whether hits contain the memory with that id.
func Contains(hits []mem.Hit, id string) bool {
	return slices.ContainsFunc(hits, func(h mem.Hit) bool { return h.Memory.ID == id })
}

// Missing returns the values of list that others does not contain.
func Missing(list, others []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(others, s) })
}

// First returns the first value of a list, or "" if it is empty.
func First(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// AppendNew appends a value that list does not contain yet, unless the list has as many as limit.
func AppendNew(list []string, s string, limit int) []string {
	if s == "" || len(list) >= limit || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
