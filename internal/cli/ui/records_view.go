package ui

import (
	"io"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

// RecordsView shows what was written to a file, or read from one.
type RecordsView struct {
	File   string         `json:"file"`
	Rows   map[string]int `json:"rows"` // by table
	Bytes  int64          `json:"bytes,omitempty"`
	DryRun bool           `json:"dry_run,omitempty"`
	Known  map[string]int `json:"known,omitempty"`  // rows of an import that were there already
	Backup string         `json:"backup,omitempty"` // made before an import
	ID     string         `json:"id,omitempty"`     // of an import that took over memories

	Imported bool `json:"-"`
}

// SchemaName returns the name of the view's schema.
func (v RecordsView) SchemaName() string {
	if v.Imported {
		return "import_records"
	}
	return "export_records"
}

// Print writes the view for a person.
func (v RecordsView) Print(p *Printer) {
	text := func(rows map[string]int) string {
		parts := []string{
			Plural(rows["memory"], "memory", "memories"), Plural(rows["session"], "session", "sessions"),
			Plural(rows["event"], "event", "events"), Plural(rows["receipt"], "receipt", "receipts"),
		}
		return strings.Join(parts, ", ")
	}
	switch {
	case !v.Imported:
		p.Line("written: %s, %s, %s", OneLine(v.File), text(v.Rows), BytesText(v.Bytes))
	case v.DryRun:
		p.Line("Dry run: %s are in the file; nothing was taken over.", text(v.Rows))
	default:
		p.Line("Taken over: %s. Known already: %s.", text(v.Rows), text(v.Known))
		if v.ID != "" {
			p.Hint("undo: remanence import --undo %s", v.ID)
		}
		if v.Backup != "" {
			p.Hint("to have all as it was before, without what was stored since: remanence db restore %s", OneLine(v.Backup))
		}
	}
}

// MarkdownView shows how many memories were written into a directory.
type MarkdownView struct {
	Dir      string `json:"dir"`
	Memories int    `json:"memories"`
}

// SchemaName returns the name of the view's schema.
func (MarkdownView) SchemaName() string { return "export_markdown" }

// Print writes the view for a person.
func (v MarkdownView) Print(p *Printer) {
	p.Line("written: %s in %s", Plural(v.Memories, "memory", "memories"), Safe(v.Dir))
}

// ExportView shows what was written.
type ExportView struct {
	File     string `json:"file"`
	Format   string `json:"format"`
	Projects int    `json:"projects"`
	Bytes    int    `json:"bytes"`
}

// SchemaName returns the name of the view's schema.
func (ExportView) SchemaName() string { return "export" }

// Print writes the view for a person.
func (v ExportView) Print(p *Printer) {
	p.Line("written: %s, %s, %s", OneLine(v.File), Plural(v.Projects, "project", "projects"),
		BytesText(int64(v.Bytes)))
}

// PathHider returns a function that replaces the directories of projects by their names, and a home directory by ~.
// written says how a text is written where that is done, as html.EscapeString in a page; nil means as it is.
func PathHider(projects []mem.Project, home string, written func(string) string) func(string) string {
	if written == nil {
		written = strings.Clone
	}
	byLength := slices.SortedFunc(slices.Values(projects), func(a, b mem.Project) int { return len(b.Root) - len(a.Root) })
	var pairs []string
	for _, p := range byLength {
		if len(p.Root) > 1 {
			pairs = append(pairs, written(p.Root), written(p.Name))
		}
	}
	if len(home) > 1 {
		pairs = append(pairs, written(home), "~")
	}
	return strings.NewReplacer(pairs...).Replace
}

// FolderName returns the name of a folder for a project: its name, and if another one has that, too, the key.
func FolderName(p mem.Project, all []mem.Project) string {
	plain := func(s string) string {
		return strings.Trim(strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.", r) {
				return unicode.ToLower(r)
			}
			return '-'
		}, s), "-.")
	}
	name := plain(p.Name)
	if name == "" || p.Key != "" && slices.ContainsFunc(all, func(o mem.Project) bool {
		return o.Key != p.Key && plain(o.Name) == name
	}) {
		name = strings.TrimPrefix(name+"-"+p.Key, "-")
	}
	return name
}

// CountingWriter counts the bytes that were written to W.
type CountingWriter struct {
	W io.Writer
	N int64
}

// Write implements io.Writer.
func (c *CountingWriter) Write(b []byte) (int, error) {
	n, err := c.W.Write(b)
	c.N += int64(n)
	return n, err
}
