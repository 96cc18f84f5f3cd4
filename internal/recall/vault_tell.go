package recall

import (
	"remanence/internal/event"
	"remanence/internal/mem"
)

// Hinted are the vault's hints on the project.
func Hinted(m *event.Context) mem.Hints {
	if m.Hints == nil {
		return mem.Hints{}
	}
	return *m.Hints
}

// Hint asks for the hints once.
func (e *Service) Hint(m *event.Context) {
	v := e.Event.CurrentVault()
	if m.Hints != nil || v == nil {
		return
	}
	h, err := v.Hints(m.Project.Root)
	e.Event.LogDegraded("project hints", err)
	m.Hints = &h
}
