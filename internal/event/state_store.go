package event

import (
	"strings"

	"remanence/internal/mem"
)

// FieldKey begins their keys: a tag may be anybody's.
const FieldKey = "state:"

// IsField reports whether a memory holds a field of a project's state.
func IsField(mm mem.Memory) bool { return strings.HasPrefix(mm.Key, FieldKey) }

// SectionTag marks a memory as an item of a section of the state file.
const SectionTag = "section:"
