package recall

import (
	"remanence/internal/event"
	"remanence/internal/mem"
)

// VaultHints are the vault's hints on the event's project; the zero value without a vault.
func (e *Service) VaultHints(ec event.Context) mem.Hints {
	v := e.Event.CurrentVault()
	if v == nil {
		return mem.Hints{}
	}
	h, err := v.Hints(ec.Project.Root)
	e.Event.LogDegraded("project hints", err)
	return h
}
