package cli

import (
	"context"
	"encoding/json"
	"os"
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
	up := readUpkeep(a.Paths)
	v := ui.DBInfoView{
		Path: a.Paths.Database(), Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: sizes.Bytes,
		Parts:    ui.NotNil(sizes.Parts),
		Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions, Events: o.Stats.Events,
		Receipts: o.Stats.Receipts,
		Copies:   copyItems(copies), LastBackup: lastBackup(up, copies), LastVacuum: ui.TimeOrNil(up.Vacuum),
	}
	if h.Server != nil {
		v.Path, v.Server = h.Server.Address, "PostgreSQL "+h.Server.Version
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

// upkeep is what was done to the database last. It lies in a file of its own, since a restore must not turn it back.
type upkeep struct {
	Backup time.Time `json:"backup,omitzero"`
	Vacuum time.Time `json:"vacuum,omitzero"`
}

// readUpkeep returns what is known; nothing if the file cannot be read.
func readUpkeep(p config.Paths) upkeep {
	var u upkeep
	if b, err := config.ReadSmall(p.Upkeep()); err == nil {
		_ = json.Unmarshal(b, &u) // a damaged one counts as none
	}
	return u
}

// write is best effort: what was done was done all the same.
func (u upkeep) write(p config.Paths) {
	if b, err := json.Marshal(u); err == nil && os.MkdirAll(p.Work, 0o700) == nil {
		_ = os.WriteFile(p.Upkeep(), b, 0o600)
	}
}

// lastBackup is when the newest backup was made, wherever it went.
func lastBackup(u upkeep, copies []sqlite.Copy) *time.Time {
	last := u.Backup
	for _, c := range copies {
		if c.Kind == sqlite.CopyBackup && c.Made.After(last) {
			last = c.Made
		}
	}
	return ui.TimeOrNil(last)
}
