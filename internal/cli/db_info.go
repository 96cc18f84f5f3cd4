package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func dbInfoCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "where it is, how large, what is in it",
		Example: "  remanence db info\n  remanence db info --json", Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return dbInfo(cmd.Context(), a) },
	}
}

func dbInfo(ctx context.Context, a *app) error {
	h, err := ask(ctx, a, daemon.DescribeStore, api.Nothing{})
	if err != nil {
		return err
	}
	o, err := ask(ctx, a, api.Status, mem.ProjectRef{})
	if err != nil {
		return err
	}
	sizes, err := ask(ctx, a, api.Sizes, api.Nothing{})
	if err != nil {
		return err
	}
	copies, err := sqlite.Copies(a.Paths.Database())
	if err != nil {
		return err
	}
	up := a.Paths.ReadUpkeep()
	v := ui.DBInfoView{
		Path: a.Paths.Database(), Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: sizes.Bytes,
		Parts:    ui.NotNil(sizes.Parts),
		Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions, Events: o.Stats.Events,
		Receipts: o.Stats.Receipts,
		Copies:   copyItems(copies), LastBackup: lastBackup(up, copies), LastVacuum: ui.TimeOrNil(up.Vacuum),
	}
	if h.Server != nil {
		v.Path, v.Server = h.Server.Address, h.Server.Engine+" "+h.Server.Version
	}
	return a.out.Show(v)
}

func copyItems(copies []sqlite.Copy) []ui.CopyItem {
	out := []ui.CopyItem{}
	for _, c := range copies {
		out = append(out, ui.CopyItem{File: c.Path, Kind: c.Kind, Made: ui.TimeOrNil(c.Made), Bytes: c.Bytes})
	}
	return out
}

// lastBackup is when the newest backup was made, wherever it went.
func lastBackup(u config.Upkeep, copies []sqlite.Copy) *time.Time {
	last := u.Backup
	for _, c := range copies {
		if c.Kind == sqlite.CopyBackup && c.Made.After(last) {
			last = c.Made
		}
	}
	return ui.TimeOrNil(last)
}
