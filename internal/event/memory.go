package event

import "remanence/internal/mem"

// Findable are the states of memories that are found by those who look for them.
func Findable() []mem.Status { return []mem.Status{mem.Active, mem.Archived} }
