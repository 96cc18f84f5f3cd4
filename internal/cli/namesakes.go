package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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

// movedFrom is the last used directory outside of git that is gone and may be
// this one under the name or at the place that it had. Nothing tells for sure:
// the person decides. Without a key there is none.
func (a *app) movedFrom(ctx context.Context, here mem.Project) mem.Project {
	if here.Root == "" || here.Common != "" {
		return mem.Project{}
	}
	all, err := ask(ctx, a, api.Projects, api.Nothing{})
	if err != nil {
		return mem.Project{}
	}
	for _, o := range all.Projects {
		alike := filepath.Base(o.Root) == filepath.Base(here.Root) || filepath.Dir(o.Root) == filepath.Dir(here.Root)
		if o.Common != "" || o.Root == "" || o.Root == here.Root || !alike {
			continue
		}
		if _, err := os.Lstat(o.Root); errors.Is(err, fs.ErrNotExist) {
			return o
		}
	}
	return mem.Project{}
}
