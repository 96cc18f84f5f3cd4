package event

import (
	"slices"

	"remanence/internal/mem"
)

// AsLost takes out of a batch what would be news of now: the event is of the
// past, its session went on or ended since.
func (m *Context) AsLost() {
	m.Batch.Session = &mem.SessionChange{FirstPrompt: m.Batch.Session.FirstPrompt}
	m.Batch.Jobs = slices.DeleteFunc(m.Batch.Jobs, func(j mem.Job) bool { return j.Kind == JobTranscript })
}
