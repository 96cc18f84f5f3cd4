package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func purgeCommand(a *app) *cobra.Command {
	var yes, dry bool
	cmd := &cobra.Command{
		Use:   "purge <id>...",
		Short: "erase memories or sessions for good",
		Long: "Erases every byte of them that Remanence keeps, with the backups and set-aside\ndatabases beside the " +
			"database, which hold them too. This cannot be undone.\nTo hide instead: remanence forget.",
		Example: "  remanence purge m_19fx\n  remanence purge s_4d --dry-run\n  remanence purge s_4d --yes",
		Args:    atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := a.purgeTargets(cmd, args)
			if err != nil {
				return err
			}
			if dry || !yes {
				would, err := ask(cmd.Context(), a, api.PurgePreview, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids})
				if err != nil {
					return err
				}
				v := purgePreview(ids, would)
				v.Copies = a.copies()
				if dry {
					return a.out.Show(v)
				}
				if err := retypePurge(a, v); err != nil {
					return err
				}
			}
			copies := a.copies()
			got, err := ask(cmd.Context(), a, api.Purge, event.IDs{ProjectRef: a.ProjectRef(), IDs: ids, Agent: a.agent()})
			if err != nil {
				return err
			}
			return a.out.Show(purgeView{
				IDs: ids, Erased: erasedCounts(got.Purged), Memories: []purgeItem{}, Copies: copies,
				Unreached: ui.NotNil(got.Unreached),
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// purgeTargets finds the whole ids of memories.
func (a *app) purgeTargets(cmd *cobra.Command, args []string) (ids []string, err error) {
	for _, id := range args {
		if !strings.HasPrefix(id, "m_") {
			ids = append(ids, id)
			continue
		}
		got, err := ask(cmd.Context(), a, api.Show, event.IDs{ProjectRef: a.ProjectRef(), IDs: []string{id}})
		if err != nil {
			return nil, err
		}
		ids = append(ids, got.Memories[0].ID)
	}
	return ids, nil
}

// retypePurge has the ids typed again, which no habit does.
func retypePurge(a *app, v purgeView) error {
	a.out.Say("This erases for good:")
	for _, l := range v.lines() {
		a.out.Say("%s", l)
	}
	answer, err := a.prompt("Type " + strings.Join(v.IDs, " ") + " again to erase:")
	if err != nil {
		return err
	}
	if !slices.Equal(strings.Fields(answer), v.IDs) {
		return fault.Declined
	}
	return nil
}

type purgeView struct {
	DryRun    bool        `json:"dry_run"`
	IDs       []string    `json:"ids"`
	Erased    erased      `json:"erased"`
	Memories  []purgeItem `json:"memories"` // with --dry-run: all that would go, also what was not named
	Copies    []string    `json:"copies"`   // of the database beside it, which hold it too and go as well
	Unreached []string    `json:"unreached"`
}

// purgeItem is a memory that would go.
type purgeItem struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Note  string `json:"note,omitempty"` // its file in the vault, which goes too
	Named bool   `json:"named"`          // else it holds the text of one that is, or belongs to a session that is
}

func purgePreview(ids []string, would event.PurgeResponse) purgeView {
	v := purgeView{
		DryRun: true, IDs: ids, Erased: erasedCounts(would.Purged), Memories: []purgeItem{},
		Copies: []string{}, Unreached: ui.NotNil(would.Unreached),
	}
	for _, m := range would.Memories {
		v.Memories = append(v.Memories, purgeItem{m.ID, string(m.Kind), m.Title, m.Note.File, slices.Contains(ids, m.ID)})
	}
	return v
}

// lines name what would go, one thing each.
func (v purgeView) lines() []string {
	var out []string
	for _, id := range v.IDs {
		if !strings.HasPrefix(id, "m_") {
			out = append(out, "  "+ui.Safe(id)+"  a session with all that belongs to it")
		}
	}
	for _, m := range v.Memories {
		with := ""
		if !m.Named {
			with = "  (goes with it)"
		}
		if m.Note != "" {
			with += "  with " + ui.Safe(m.Note) + " in the vault"
		}
		out = append(out, "  "+m.ID+"  "+m.Kind+"  "+ui.Clip(ui.OneLine(m.Title), 80)+with)
	}
	return append(append(out, "  "+v.Erased.String()), copyLines(v.Copies)...)
}

// copyLines name the copies that go with what is erased.
func copyLines(files []string) []string {
	var out []string
	for _, f := range files {
		out = append(out, "  "+ui.Safe(f)+"  a copy of the database, which holds it too")
	}
	return out
}

// copies are the backups and set-aside databases that erasing removes. The
// runBackup of the day is made anew and not worth a word.
func (a *app) copies() []string {
	files := []string{}
	list, _ := sqlite.Copies(a.Paths.Database()) // none that can be listed is none
	for _, c := range list {
		if !c.Daily() {
			files = append(files, c.Path)
		}
	}
	return files
}

type erased struct {
	Memories    int `json:"memories"`
	Events      int `json:"events"`
	Turns       int `json:"turns"`
	Receipts    int `json:"receipts"`
	Checkpoints int `json:"checkpoints"`
}

func erasedCounts(p mem.Purged) erased { return erased(p) }

// String counts what goes.
func (e erased) String() string {
	return strings.Join([]string{
		ui.Plural(e.Memories, "memory", "memories"), ui.Plural(e.Events, "event", "events"),
		ui.Plural(e.Turns, "prompt", "prompts"),
		ui.Plural(e.Receipts, "receipt", "receipts"), ui.Plural(e.Checkpoints, "checkpoint", "checkpoints"),
	}, ", ")
}

func (purgeView) SchemaName() string { return "purge" }

func (v purgeView) Print(p *ui.Printer) {
	if v.DryRun {
		p.Line("Would be erased for good: %s", strings.Join(v.IDs, " "))
		for _, l := range v.lines() {
			p.Line("%s", l)
		}
	} else {
		p.Line("Erased for good: %s.", v.Erased)
		for _, l := range copyLines(v.Copies) {
			p.Line("%s", l)
		}
	}
	for _, u := range v.Unreached {
		p.Line("  not reached: %s", ui.Safe(u))
	}
}
