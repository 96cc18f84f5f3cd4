package event

import (
	"context"
	"fmt"

	"remanence/internal/mem"
)

// StateFiles are the state files of projects.
type StateFiles interface {
	// Look reads the state files of a project, if it has any that are trusted.
	Look(p mem.Project) (mem.Mind, error)
	// Change does what ask says to trusted state files and nothing else to them.
	Change(ctx context.Context, p mem.Project, ask mem.StateRequest) (mem.WorkState, error)
	// Note leaves what an event has to leave there.
	Note(ctx context.Context, p mem.Project, n mem.MindNotes) error
}

// MindOf looks at the state files of a project.
func (e *Service) MindOf(p mem.Project) (mem.Mind, error) {
	if e.Minds == nil || p.Root == "" {
		return mem.Mind{}, nil
	}
	m, err := e.Minds.Look(p)
	if err != nil {
		return m, fmt.Errorf("state files: %w", err)
	}
	return m, nil
}
