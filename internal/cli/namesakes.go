package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/mem"
)

// sayNamesakes names the chosen project if --project gives a name that several have.
func (a *app) sayNamesakes(ctx context.Context) {
	where := a.ProjectRef()
	if where.Project == "" || where.Project == "all" {
		return
	}
	ps, err := daemon.ProjectsNamed.Call(ctx, a.Caller, where)
	if err != nil || len(ps) < 2 {
		return
	}
	used := ""
	if last := ps[0].LastEvent; !last.IsZero() {
		used = ", last used " + ui.DateTime(last, a.Sys.Now())
	}
	a.out.Say("%d projects are called %s; this is %s%s", len(ps), ui.OneLine(where.Project), ps[0].Key, used)
}

// movedFrom returns the last used directory outside of git that no longer exists and may be this one before it was
// renamed or moved. That is not certain, so the person decides. The key is empty if there is none.
func movedFrom(ctx context.Context, a *app, here mem.Project) mem.Project {
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
