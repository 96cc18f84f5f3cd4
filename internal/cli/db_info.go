package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

func (a *app) dbInfoCommand() *cobra.Command {
	return &cobra.Command{
		Use: "info", Short: "where it is, how large, what is in it", Example: "  remanence db info\n  remanence db info --json", Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.dbInfo(cmd.Context()) },
	}
}

func (a *app) dbInfo(ctx context.Context) error {
	h, err := ask(ctx, a, describeStore, api.Nothing{})
	if err != nil {
		return err
	}
	o, err := ask(ctx, a, api.Status, mem.Place{})
	if err != nil {
		return err
	}
	sizes, err := ask(ctx, a, api.Sizes, api.Nothing{})
	if err != nil {
		return err
	}
	copies, err := sqlite.Copies(a.paths.Database())
	if err != nil {
		return err
	}
	up := readUpkeep(a.paths)
	v := dbInfoView{
		Path: a.paths.Database(), Schema: h.Schema, SQLite: h.SQLite, Journal: h.Journal, Bytes: sizes.Bytes, Parts: some(sizes.Parts),
		Memories: o.Stats.Memories, Hidden: o.Stats.Hidden, Sessions: o.Stats.Sessions, Events: o.Stats.Events, Receipts: o.Stats.Receipts,
		Copies: copyItems(copies), LastBackup: lastBackup(up, copies), LastVacuum: moment(up.Vacuum),
	}
	return a.out.show(v)
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
	Kind  string     `json:"kind"` // backup, migration or aside
	Made  *time.Time `json:"made"`
	Bytes int64      `json:"bytes"`
}

func copyItems(copies []sqlite.Copy) []copyItem {
	out := []copyItem{}
	for _, c := range copies {
		out = append(out, copyItem{c.Path, c.Kind, moment(c.Made), c.Bytes})
	}
	return out
}

func (dbInfoView) schema() string { return "db_info" }

func (v dbInfoView) human(p *printer) {
	p.line("%s", safe(v.Path))
	p.field("holds", "%s · %s · %s", plural(v.Memories+v.Hidden, "memory", "memories"), plural(v.Sessions, "session", "sessions"), plural(v.Events, "event", "events"))
	p.field("format", "schema %d · SQLite %s · %s journal", v.Schema, v.SQLite, v.Journal)
	p.field("size", "%s in all", bytesText(v.Bytes))
	for _, part := range v.Parts {
		if part.Bytes > 0 {
			p.line("    %s%10s", pad(part.Name, 12), bytesText(part.Bytes))
		}
	}
	p.field("last backup", "%s", sinceText(v.LastBackup, p.now()))
	p.field("last vacuum", "%s", sinceText(v.LastVacuum, p.now()))
	for _, c := range v.Copies {
		p.line("    %s  %s, %s, %s", safe(filepath.Base(c.File)), c.Kind, bytesText(c.Bytes), at(*c.Made, p.now()))
	}
}

// sinceText is when something was done last.
func sinceText(t *time.Time, now time.Time) string {
	if t == nil {
		return "never"
	}
	return at(*t, now)
}

// describeStore asks for the database's format, without reading all of it.
var describeStore = api.Route[api.Nothing, storeHealth]{Name: "describe"}

func (h *house) describe(ctx context.Context, _ api.Nothing) (storeHealth, error) {
	return healthOf(h.store.Describe(ctx))
}

// upkeep is what was done to the database last. It lies in a file of its own,
// since a restore must not turn it back.
type upkeep struct {
	Backup time.Time `json:"backup,omitzero"`
	Vacuum time.Time `json:"vacuum,omitzero"`
}

func (p Paths) upkeep() string { return filepath.Join(p.Work, "upkeep.json") }

// readUpkeep returns what is known; nothing if the file cannot be read.
func readUpkeep(p Paths) upkeep {
	var u upkeep
	if b, err := readSmall(p.upkeep()); err == nil {
		_ = json.Unmarshal(b, &u) // a damaged one says nothing
	}
	return u
}

// write is best effort: what was done was done all the same.
func (u upkeep) write(p Paths) {
	if b, err := json.Marshal(u); err == nil && os.MkdirAll(p.Work, 0o700) == nil {
		_ = os.WriteFile(p.upkeep(), b, 0o600)
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
	return moment(last)
}
