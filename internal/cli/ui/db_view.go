package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/transfer"
)

// The parts of a database that are looked at.
const (
	PartTables     = "pages and tables"
	PartReferences = "references"
	PartRows       = "rows"
	PartIndex      = "index"
)

// DBInfoView describes the database.
type DBInfoView struct {
	Path       string     `json:"path"`
	Schema     int        `json:"schema_version"`
	SQLite     string     `json:"sqlite"`
	Server     string     `json:"server,omitempty"` // program and version of the database server, if one has the store
	Journal    string     `json:"journal"`
	Bytes      int64      `json:"bytes"` // of everything in the data and state directories
	Parts      []mem.Part `json:"parts"`
	Memories   int        `json:"memories"`
	Hidden     int        `json:"hidden"`
	Sessions   int        `json:"sessions"`
	Events     int        `json:"events"`
	Receipts   int        `json:"receipts"`
	Copies     []CopyItem `json:"copies"`
	LastBackup *time.Time `json:"last_backup"`
	LastVacuum *time.Time `json:"last_vacuum"`
}

// CopyItem is a copy of the database that lies beside it.
type CopyItem struct {
	File  string     `json:"file"`
	Kind  string     `json:"kind"` // runBackup, migration or aside
	Made  *time.Time `json:"made"`
	Bytes int64      `json:"bytes"`
}

// SchemaName returns the name of the view's schema.
func (DBInfoView) SchemaName() string { return "db_info" }

// Print writes the view for a person.
func (v DBInfoView) Print(p *Printer) {
	p.Line("%s", Safe(v.Path))
	p.Field("holds", "%s · %s · %s", Plural(v.Memories+v.Hidden, "memory", "memories"),
		Plural(v.Sessions, "session", "sessions"), Plural(v.Events, "event", "events"))
	if v.Server != "" {
		p.Field("format", "schema %d · %s", v.Schema, v.Server)
	} else {
		p.Field("format", "schema %d · SQLite %s · %s journal", v.Schema, v.SQLite, v.Journal)
	}
	p.Field("size", "%s in all", BytesText(v.Bytes))
	for _, part := range v.Parts {
		if part.Bytes > 0 {
			p.Line("    %s%10s", Pad(string(part.Name), 12), BytesText(part.Bytes))
		}
	}
	if v.Server != "" {
		return // its own programs look after it
	}
	p.Field("last backup", "%s", sinceText(v.LastBackup, p.Now()))
	p.Field("last vacuum", "%s", sinceText(v.LastVacuum, p.Now()))
	for _, c := range v.Copies {
		p.Line("    %s  %s, %s, %s", Safe(filepath.Base(c.File)), c.Kind, BytesText(c.Bytes),
			DateTime(*c.Made, p.Now()))
	}
}

// sinceText is when something was done last.
func sinceText(t *time.Time, now time.Time) string {
	if t == nil {
		return "never"
	}
	return DateTime(*t, now)
}

// DBBackupView is a backup that was made.
type DBBackupView struct {
	File   string `json:"file"`
	Bytes  int64  `json:"bytes"`
	Schema int    `json:"schema_version"`
}

// SchemaName returns the name of the view's schema.
func (DBBackupView) SchemaName() string { return "db_backup" }

// Print writes the view for a person.
func (v DBBackupView) Print(p *Printer) {
	p.Line("Backup made and checked: %s, %s", Safe(v.File), BytesText(v.Bytes))
	p.Hint("back to it: remanence db restore %s", Safe(v.File))
}

// DBCheckView is what a closer look at the database found.
type DBCheckView struct {
	OK       bool     `json:"ok"`
	Path     string   `json:"path"`
	Full     bool     `json:"full"`
	Schema   int      `json:"schema_version"`
	Damage   []string `json:"damage"`
	Dangling int      `json:"dangling"` // rows that name others which are not there
	Index    []string `json:"index"`
	Spoilt   []string `json:"spoilt"` // rows that cannot be read
	Unseen   []string `json:"unseen"` // parts that were not looked at
}

// SchemaName returns the name of the view's schema.
func (DBCheckView) SchemaName() string { return "db_check" }

// Print writes the view for a person.
func (v DBCheckView) Print(p *Printer) {
	p.Line("%s", Safe(v.Path))
	v.verdict(p, PartTables, v.Damage, fault.Corrupt)
	var dangling []string
	if v.Dangling > 0 {
		dangling = []string{Plural(v.Dangling, "row names", "rows name") + " others that are not there"}
	}
	v.verdict(p, PartReferences, dangling, fault.Corrupt)
	v.verdict(p, PartRows, v.Spoilt, fault.Rows)
	v.verdict(p, PartIndex, v.Index, fault.Index)
}

// verdict prints one line on a part, and what is wrong with it.
func (v DBCheckView) verdict(p *Printer, part string, problems []string, f fault.Fault) {
	if slices.Contains(v.Unseen, part) {
		p.Line("  · not looked at: %s", part)
		return
	}
	if len(problems) == 0 {
		p.Line("  %s %s", p.Style(Green, "✓ ok  "), part)
		return
	}
	p.Line("  %s %s  %s", p.Style(Red, "✗ fail"), part, f.Code)
	for _, s := range problems {
		p.Line("           %s", OneLine(s))
	}
	p.Line("           fix: %s", f.Fix[0])
}

// DBRestoreView is what a restore will do, or did.
type DBRestoreView struct {
	DryRun bool           `json:"dry_run"`
	Path   string         `json:"path"`
	From   *string        `json:"from"`           // null: salvaged from the present database
	Made   *time.Time     `json:"made"`           // when the copy was made; null: not one of ours
	Schema int            `json:"schema_version"` // of the file; 0: salvaged, or not yet done
	Aside  *string        `json:"aside"`          // where the database of before is
	Rows   map[string]int `json:"rows"`           // by table, where salvaged
	Gaps   int            `json:"gaps"`           // places that could not be read
	Empty  bool           `json:"empty"`          // nothing at all could be read: the new database is empty
}

// Needs is how much space it takes, in bytes.
func (v DBRestoreView) Needs() int64 {
	if v.From == nil {
		return 2 * config.SizeOfFile(v.Path)
	}
	return config.SizeOfFile(*v.From)
}

// Will says what a restore will do.
func (v DBRestoreView) Will() string {
	if v.From == nil {
		return fmt.Sprintf("No sound copy is there. What can still be read of %s goes into a new database; the present "+
			"one is kept aside.", v.Path)
	}
	return fmt.Sprintf("%s takes the place of %s, which is kept aside. What was remembered since then is not in it.",
		*v.From, v.Path)
}

// SchemaName returns the name of the view's schema.
func (DBRestoreView) SchemaName() string { return "db_restore" }

// Print writes the view for a person.
func (v DBRestoreView) Print(p *Printer) {
	if v.DryRun {
		p.Line("%s", Safe(v.Will()))
		p.Line("Dry run: nothing was written.")
		return
	}
	switch {
	case v.Empty:
		p.Line("Nothing could be read of it: a new, empty database is in its place.")
	case v.From == nil:
		p.Line("Saved: %s, %s, %s, %s.", Plural(v.Rows["memory"], "memory", "memories"),
			Plural(v.Rows["session"], "session", "sessions"),
			Plural(v.Rows["event"], "event", "events"), Plural(v.Rows["receipt"], "receipt", "receipts"))
		if v.Gaps > 0 {
			p.Line("Not everything could be read: %s.", Plural(v.Gaps, "gap", "gaps"))
		} else {
			p.Line("Every row could be read.")
		}
	default:
		p.Line("Restored from %s", Safe(*v.From))
	}
	if v.Aside != nil {
		p.Line("The database of before is kept as %s", Safe(*v.Aside))
		holds := "it holds what was remembered: "
		if v.Empty {
			holds = ""
		}
		p.Hint("%sremove it when you do not need it; a purge removes it too", holds)
	}
}

// DBMigrateView is what a migration will do, or did.
type DBMigrateView struct {
	DryRun bool     `json:"dry_run"`
	From   int      `json:"from"`
	To     int      `json:"to"`
	Steps  []string `json:"steps"`
	Copy   *string  `json:"copy"` // of the database as it was
}

// SchemaName returns the name of the view's schema.
func (DBMigrateView) SchemaName() string { return "db_migrate" }

// Print writes the view for a person.
func (v DBMigrateView) Print(p *Printer) {
	if len(v.Steps) == 0 {
		p.Line("Nothing to do: schema %d is this version's.", v.From)
		return
	}
	does := "Done"
	if v.DryRun {
		does = "To do"
	}
	for _, s := range v.Steps {
		p.Line("%s  %s", does, s)
	}
	if v.Copy != nil {
		p.Line("The database as it was: %s", Safe(*v.Copy))
	}
}

// DBVacuumView is what a vacuum did, in bytes.
type DBVacuumView struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	Freed  int64 `json:"freed"`
}

// SchemaName returns the name of the view's schema.
func (DBVacuumView) SchemaName() string { return "db_vacuum" }

// Print writes the view for a person.
func (v DBVacuumView) Print(p *Printer) {
	p.Line("%s freed: from %s to %s", BytesText(v.Freed), BytesText(v.Before), BytesText(v.After))
}

// DBMoveView is what a move of the store did, or would do.
type DBMoveView struct{ transfer.Moved }

// SchemaName returns the name of the view's schema.
func (DBMoveView) SchemaName() string { return "db_move" }

// Print writes the view for a person.
func (v DBMoveView) Print(p *Printer) {
	if v.DryRun {
		p.Line("Would move %s from %s to %s.", Plural(v.Rows, "row", "rows"), Safe(v.From), Safe(v.To))
		if v.Server != "" {
			p.Field("server", "%s, and nothing is there yet", v.Server)
		}
		v.tables(p)
		p.Line("Dry run: nothing was written.")
		return
	}
	p.Line("Moved %s to %s, and compared: both are the same.", Plural(v.Rows, "row", "rows"), Safe(v.To))
	if v.Known > 0 {
		p.Field("there already", "%s", Plural(v.Known, "row", "rows"))
	}
	if v.Cleaned > 0 {
		p.Field("changed", "%s: bytes that are no text were replaced", Plural(v.Cleaned, "row", "rows"))
	}
	v.tables(p)
	if v.Before != "" {
		p.Line("The file of before is kept as %s", Safe(v.Before))
	}
	p.Line("What was there before stays as it is: %s", Safe(v.From))
	back := "remanence db move --to sqlite:"
	if !strings.Contains(v.To, "://") {
		back = "without what was stored since: remanence config set store.dsn '" + Safe(v.From) + "'"
	}
	p.Hint("back: %s · a purge does not reach what stays; remove it when you do not need it", back)
}

// tables lists the tables with their numbers of rows.
func (v DBMoveView) tables(p *Printer) {
	for _, t := range v.Tables {
		sum := ""
		if !v.DryRun {
			sum = "  " + t.Sum[:16]
		}
		p.Line("    %s%10d%s", Pad(t.Table, 16), t.Rows, sum)
	}
}

// moveLine is the time between two lines about the progress of a move.
const moveLine = 5 * time.Second

// MoveProgress shows how far a move is: on a terminal in one line, otherwise in a line from time to time.
type MoveProgress struct {
	*Printer
	shown time.Time // when the last line was printed
}

// Show shows what was copied so far.
func (p *MoveProgress) Show(table string, rows int) {
	now := p.Now()
	switch {
	case p.onScreen():
		fmt.Fprintf(p.Err, "\rcopying %s: %d rows in all\x1b[K", table, rows)
	case now.Sub(p.shown) >= moveLine:
		p.shown = now
		p.Say("copying %s: %d rows in all", table, rows)
	}
}

// End clears the line.
func (p *MoveProgress) End() {
	if p.onScreen() {
		fmt.Fprint(p.Err, "\r\x1b[K")
	}
}

func (p *MoveProgress) onScreen() bool {
	return IsTerminal(p.Err) && !p.Flags.JSON && !p.Flags.JSONLines && !p.Flags.Quiet
}
