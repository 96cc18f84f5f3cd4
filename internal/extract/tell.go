package extract

import (
	"slices"

	"remanence/internal/mem"
)

// Contains reports whether list contains a value.
func Contains(hits []mem.Hit, id string) bool {
	return slices.ContainsFunc(hits, func(h mem.Hit) bool { return h.Memory.ID == id })
}
