package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
)

func (a *app) purgeCommand() *cobra.Command {
	var yes, dry bool
	cmd := &cobra.Command{
		Use:     "purge <id>...",
		Short:   "erase memories or sessions for good",
		Long:    "Erases every byte of them that Remanence keeps. This cannot be undone.\nTo hide instead: remanence forget.",
		Example: "  remanence purge m_19fx\n  remanence purge s_4d --dry-run\n  remanence purge s_4d --yes",
		Args:    atLeast(1, "an id"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, titles, err := a.meant(cmd, args)
			if err != nil {
				return err
			}
			if dry {
				return a.out.show(purgeView{DryRun: true, IDs: ids, Unreached: []string{}})
			}
			if !yes {
				if err := a.retype(ids, titles); err != nil {
					return err
				}
			}
			got, err := ask(cmd.Context(), a, api.Purge, mem.IDs{Place: a.place(), IDs: ids})
			if err != nil {
				return err
			}
			return a.out.show(purgeView{IDs: ids, Erased: erasedCounts(got.Purged), Unreached: some(got.Unreached)})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would go")
	cmd.ValidArgsFunction = a.completeIDs
	return cmd
}

// meant finds the whole ids of memories, and a line on each thing that will go.
func (a *app) meant(cmd *cobra.Command, args []string) (ids, lines []string, err error) {
	for _, id := range args {
		if !strings.HasPrefix(id, "m_") {
			ids, lines = append(ids, id), append(lines, id+"  a session with all that belongs to it")
			continue
		}
		got, err := ask(cmd.Context(), a, api.Show, mem.IDs{Place: a.place(), IDs: []string{id}})
		if err != nil {
			return nil, nil, err
		}
		m := got.Memories[0]
		ids, lines = append(ids, m.ID), append(lines, m.ID+"  "+string(m.Kind)+"  "+clip(oneLine(m.Title), 80))
	}
	return ids, lines, nil
}

// retype has the ids typed again, which no habit does.
func (a *app) retype(ids, lines []string) error {
	a.out.say("This erases for good:")
	for _, l := range lines {
		a.out.say("  %s", l)
	}
	answer, err := a.prompt("Type " + strings.Join(ids, " ") + " again to erase:")
	if err != nil {
		return err
	}
	if !slices.Equal(strings.Fields(answer), ids) {
		return faultDeclined
	}
	return nil
}

type purgeView struct {
	DryRun    bool     `json:"dry_run"`
	IDs       []string `json:"ids"`
	Erased    erased   `json:"erased"`
	Unreached []string `json:"unreached"`
}

type erased struct {
	Memories    int `json:"memories"`
	Events      int `json:"events"`
	Turns       int `json:"turns"`
	Receipts    int `json:"receipts"`
	Checkpoints int `json:"checkpoints"`
}

func erasedCounts(p mem.Purged) erased { return erased(p) }

func (purgeView) schema() string { return "purge" }

func (v purgeView) human(p *printer) {
	if v.DryRun {
		p.line("Would be erased for good: %s", strings.Join(v.IDs, " "))
		return
	}
	e := v.Erased
	p.line("Erased for good: %s, %s, %s, %s, %s.", plural(e.Memories, "memory", "memories"), plural(e.Events, "event", "events"),
		plural(e.Turns, "prompt", "prompts"), plural(e.Receipts, "receipt", "receipts"), plural(e.Checkpoints, "checkpoint", "checkpoints"))
	for _, u := range v.Unreached {
		p.line("  not reached: %s", safe(u))
	}
}
