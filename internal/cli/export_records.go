package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/move"
	"remanence/internal/transfer"
	"remanence/internal/when"
)

const (
	exportHTML  = "html"
	exportJSONL = "jsonl"

	exportMarkdownFiles = "markdown"
)

// recordExport is an order to write all that is stored.
type recordExport struct {
	file      toFile
	since     string
	hidePaths bool
	fromAPI   bool // the database file is not read
}

// run writes the rows of one project or of all as lines of JSON.
func (o recordExport) run(cmd *cobra.Command, a *app) error {
	ctx := cmd.Context()
	if o.file.path == "" && (a.flags.JSON || a.flags.JSONLines) {
		return fault.Usage.WithMessage("the export itself goes to standard output").FixedBy("remanence export -o FILE --json")
	}
	if err := o.file.check(); err != nil {
		return err
	}
	q, projects, err := o.query(ctx, a)
	if err != nil {
		return err
	}
	store, err := move.Open(ctx, a.Connection)
	if err != nil {
		return err
	}
	defer store.Close()
	v := ui.RecordsView{File: o.file.path, Rows: map[string]int{}}
	write := func(to io.Writer) error {
		if o.file.path != "" {
			defer a.out.Waiting("export")()
		}
		counted := &ui.CountingWriter{W: to}
		buffered := bufio.NewWriter(counted)
		w, err := transfer.NewWriter(buffered)
		if err != nil {
			return err
		}
		w.Change = o.hider(a, projects, nil)
		if q != (mem.RecordQuery{}) {
			if w.Has, err = transfer.IDs(ctx, store, q); err != nil {
				return err
			}
		}
		err = store.Records(ctx, q, func(r mem.Record) error {
			v.Rows[r.Table]++
			return w.Put(r)
		})
		if err = errors.Join(err, w.Close(), buffered.Flush()); err != nil {
			return fault.Other.WithMessage("the export is incomplete").Because("%s", err)
		}
		v.Bytes = counted.N
		return nil
	}
	if o.file.path == "" {
		return write(a.Sys.Stdout)
	}
	pending, err := fsx.Create(fsx.Host{}, o.file.path, fsx.Replacement{Mode: 0o600})
	if err != nil {
		return fault.Denied.Because("%s", err)
	}
	if err := write(pending); err != nil {
		return errors.Join(err, pending.Discard())
	}
	if err := pending.Commit(); err != nil {
		return err
	}
	return a.out.Show(v)
}

// query says which rows are written. What waits in the spool is taken in first.
func (o recordExport) query(ctx context.Context, a *app) (q mem.RecordQuery, projects []mem.Project, err error) {
	if err := a.hasDatabase(); err != nil && !o.fromAPI && !daemon.OnServer(a.Paths, a.Sys.Getenv) {
		return q, nil, err
	}
	if q.Since, err = when.Since(o.since, a.Sys.Now()); err != nil {
		return q, nil, err
	}
	known, err := ask(ctx, a, api.Projects, api.Nothing{})
	if err != nil {
		return q, nil, err
	}
	projects = known.Projects
	if a.Project != "" && a.Project != "all" {
		here, err := a.state(ctx)
		if err != nil {
			return q, nil, err
		}
		q.Project = here.Project.Key
	}
	return q, projects, nil
}

// hider replaces the directories of projects by their names, and the home directory by ~, if that is asked for. For
// written see [ui.PathHider].
func (o recordExport) hider(a *app, projects []mem.Project, written func(string) string) func(string) string {
	if !o.hidePaths {
		return func(s string) string { return s }
	}
	return ui.PathHider(projects, a.Sys.Getenv("HOME"), written)
}

// importRecords takes over an export of Remanence: all of it, or nothing.
func importRecords(ctx context.Context, a *app, name string, in *bufio.Reader, dry bool) error {
	if a.agent() != "" && !dry {
		return fault.PersonOnly
	}
	r, err := transfer.NewReader(in)
	if err != nil {
		return transferFault(name, err)
	}
	redactor := a.readOnlyRedactor()
	r.Clean = func(table string, object []byte) (json.RawMessage, error) {
		if table != "receipt" { // whose text is an injected block
			return redactor.JSON(object), nil
		}
		clean, _, err := redactor.ScrubJSON(object)
		return clean, err
	}
	v := ui.RecordsView{File: name, Rows: map[string]int{}, Known: map[string]int{}, DryRun: dry, Imported: true}
	if dry {
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				return a.out.Show(v)
			}
			if err != nil {
				return transferFault(name, err)
			}
			v.Rows[row.Table]++
		}
	}
	done, err := move.ImportRecords(ctx, a.Connection, r.Next)
	v.Rows, v.Known, v.Backup, v.ID = done.Taken, done.Known, done.Backup, done.ID
	if err != nil {
		return transferFault(name, err)
	}
	return a.out.Show(v)
}

// transferFault says why an export cannot be taken over.
func transferFault(name string, err error) error {
	f := fault.Input.WithMessage("%s cannot be taken over", name).Because("%s; nothing was changed", err)
	switch {
	case errors.Is(err, transfer.ErrNewer):
		return f.FixedBy("remanence upgrade")
	case errors.Is(err, transfer.ErrCut):
		return f.FixedBy("copy the file again, whole")
	}
	if _, ok := errors.AsType[fault.Fault](err); ok || errors.Is(err, mem.ErrAway) {
		return err
	}
	return f.FixedBy("remanence export --format jsonl -o FILE, where it came from")
}
