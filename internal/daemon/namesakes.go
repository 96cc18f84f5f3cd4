package daemon

import (
	"context"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// ProjectsNamed asks which projects a place's project names, last active first.
var ProjectsNamed = api.Route[mem.ProjectRef, []mem.Project]{
	Name: "namesakes", Summary: "Find projects of one name",
}

func (h *Daemon) projectsNamed(ctx context.Context, at mem.ProjectRef) ([]mem.Project, error) {
	return h.Store.Projects(ctx, at.Project)
}
