package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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
	v := dbInfoView{
		Path: a.Paths.Database(), Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: sizes.Bytes,
		Parts:    ui.NotNil(sizes.Parts),
		Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions, Events: o.Stats.Events,
		Receipts: o.Stats.Receipts,
		Copies:   copyItems(copies), LastBackup: lastBackup(up, copies), LastVacuum: ui.TimeOrNil(up.Vacuum),
	}
	return a.out.Show(v)
}

// dbInfoView describes the database.
type dbInfoView struct {
	Path       string     `json:"path"`
	Schema     int        `json:"schema_version"`
	SQLite     string     `json:"sqlite"`
	Journal    string     `json:"journal"`
	Bytes      int64      `json:"bytes"` // of everything in the data and state directories
	Parts      []mem.Part `json:"parts"`
	Memories   int        `json:"memories"`
	Hidden     int        `json:"hidden"`
	Sessions   int        `json:"sessions"`
	Events     int        `json:"events"`
	Receipts   int        `json:"receipts"`
	Copies     []copyItem `json:"copies"`
	LastBackup *time.Time `json:"last_backup"`
	LastVacuum *time.Time `json:"last_vacuum"`
}

// copyItem is a copy of the database that lies beside it.
type copyItem struct {
	File  string     `json:"file"`
	Kind  string     `json:"kind"` // runBackup, migration or aside
	Made  *time.Time `json:"made"`
	Bytes int64      `json:"bytes"`
}

func copyItems(copies []sqlite.Copy) []copyItem {
	out := []copyItem{}
	for _, c := range copies {
		out = append(out, copyItem{c.Path, c.Kind, ui.TimeOrNil(c.Made), c.Bytes})
	}
	return out
}

func (dbInfoView) SchemaName() string { return "db_info" }

func (v dbInfoView) Print(p *ui.Printer) {
	p.Line("%s", ui.Safe(v.Path))
	p.Field("holds", "%s · %s · %s", ui.Plural(v.Memories+v.Hidden, "memory", "memories"),
		ui.Plural(v.Sessions, "session", "sessions"), ui.Plural(v.Events, "event", "events"))
	p.Field("format", "schema %d · SQLite %s · %s journal", v.Schema, v.SQLite, v.Journal)
	p.Field("size", "%s in all", ui.BytesText(v.Bytes))
	for _, part := range v.Parts {
		if part.Bytes > 0 {
			p.Line("    %s%10s", ui.Pad(string(part.Name), 12), ui.BytesText(part.Bytes))
		}
	}
	p.Field("last backup", "%s", sinceText(v.LastBackup, p.Now()))
	p.Field("last vacuum", "%s", sinceText(v.LastVacuum, p.Now()))
	for _, c := range v.Copies {
		p.Line("    %s  %s, %s, %s", ui.Safe(filepath.Base(c.File)), c.Kind, ui.BytesText(c.Bytes),
			ui.DateTime(*c.Made, p.Now()))
	}
}

// sinceText is when something was done last.
func sinceText(t *time.Time, now time.Time) string {
	if t == nil {
		return "never"
	}
	return ui.DateTime(*t, now)
}

// upkeep is what was done to the database last. It lies in a file of its own,
// since a restore must not turn it back.
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
