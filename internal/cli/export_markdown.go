package cli

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/filesync"
	"remanence/internal/foreign"
	"remanence/internal/mem"
	"remanence/internal/move"
	"remanence/internal/vault"
)

// exportPage is how many memories are read at a time.
const exportPage = 500

// exportMarkdown writes one file a memory into a new directory: with --project as one vault, otherwise as one for each
// project and one for what holds in all. Hidden memories and messages are left out.
func (o recordExport) exportMarkdown(cmd *cobra.Command, a *app, dir string) error {
	if dir == "" {
		return fault.Usage.WithMessage("--format markdown needs a directory").
			FixedBy("remanence export --format markdown -o DIR")
	}
	if config.Exists(dir) || !config.IsDir(filepath.Dir(filepath.Clean(dir))) {
		return fault.Input.WithMessage("%s is there already, or is in no directory", dir).FixedBy("name a new directory")
	}
	q, projects, err := o.query(cmd.Context(), a)
	if err != nil {
		return err
	}
	store, err := move.Open(cmd.Context(), a.Connection)
	if err != nil {
		return err
	}
	defer store.Close()
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fault.Denied.Because("%s", err)
	}
	v := ui.MarkdownView{Dir: dir}
	hide := o.hider(a, projects, nil)
	everywhere := mem.Project{Name: foreign.AllProjects}
	vaults := map[string]*vault.Vault{"": {Dir: filepath.Join(dir, ui.FolderName(everywhere, nil))}}
	for _, p := range projects {
		vaults[p.Key] = &vault.Vault{Dir: filepath.Join(dir, ui.FolderName(p, projects))}
	}
	for list := (mem.Query{Project: q.Project, Within: "*", Limit: exportPage}); ; list.Offset += exportPage {
		ms, err := store.List(cmd.Context(), list)
		if err != nil {
			return err
		}
		for _, mm := range ms {
			to := cmp.Or(vaults[mm.Project], vaults[""])
			if q.Project != "" {
				to = &vault.Vault{Dir: dir}
			}
			if mm.Updated.Before(q.Since) {
				continue
			}
			mm.Title, mm.Body = hide(mm.Title), hide(mm.Body)
			file, c := filesync.ExportedNote(mm)
			if err = os.MkdirAll(to.Dir, 0o700); err == nil {
				_, err = to.Write(mem.Note{File: file}, c)
			}
			if err != nil {
				return fault.Other.WithMessage("the export is incomplete").Because("%s", err)
			}
			v.Memories++
		}
		if len(ms) < exportPage {
			return a.out.Show(v)
		}
	}
}
