package extract

import (
	"slices"

	"remanence/internal/mem"
)

func Contains(hits []mem.Hit, id string) bool {
	return slices.ContainsFunc(hits, func(h mem.Hit) bool { return h.Memory.ID == id })
}
