package cli

import (
	"context"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// namesakes asks which projects a place's project names, last active first.
var namesakes = api.Route[mem.Place, []mem.Project]{Name: "namesakes"}

func (h *house) namesakes(ctx context.Context, at mem.Place) ([]mem.Project, error) {
	return h.store.Projects(ctx, at.Project)
}

// sayNamesakes says which project is meant where --project gives a name that
// several have. It never fails: the command itself will.
func (a *app) sayNamesakes(ctx context.Context) {
	where := a.place()
	if where.Project == "" || where.Project == "all" {
		return
	}
	ps, err := namesakes.Call(ctx, a.caller, where)
	if err != nil || len(ps) < 2 {
		return
	}
	used := ""
	if last := ps[0].LastEvent; !last.IsZero() {
		used = ", last used " + at(last, a.sys.Now())
	}
	a.out.say("%d projects are called %s; this is %s%s", len(ps), oneLine(where.Project), ps[0].Key, used)
}
