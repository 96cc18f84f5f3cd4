package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/internal/transfer"
)

const (
	maxImportFile = 256 << 20 // bytes
	importPart    = 1000      // memories in one order, which can be taken back as one
	importBytes   = 1 << 20   // of them at most, as JSON
)

func importCommand(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "import [file]",
		Short: "take over what another memory kept; can be taken back",
		Long: "Reads JSON, one value or one on each line: an export of claude-mem, rows of its\ntables, memories as show " +
			"--json writes them; or claude-mem's database itself.\nWithout a file, or with -, standard input.\n\n" +
			"An export of Remanence is taken over whole, with sessions, times, ids and trust;\nwhat is there already stays " +
			"as it is. All else:\n\n" +
			"Each keeps its project, if that is known here or the one of this directory, or\nthat it holds in all of them, " +
			"and when it was learned. What is there already is\nleft out: twice is once. What cannot be taken over is named " +
			"with its number and\nthe reason. Imported memories are not trusted: they are\nfound by a search, " +
			"and not injected before you accept them\nin review.",
		Example: "  remanence import ~/.claude-mem/claude-mem.db --dry-run\n  remanence import export.json --project " +
			"example/api\n  remanence show m_7k2q --json | ssh host remanence import",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, name, end, err := a.importSource(args)
			if err != nil {
				return err
			}
			defer end()
			if transfer.IsExport(in) {
				return importRecords(cmd.Context(), a, name, in, dry)
			}
			old, err := readOld(cmd.Context(), in, name)
			if err != nil {
				return err
			}
			v, parts, err := placeImport(cmd.Context(), a, old)
			if err != nil {
				return err
			}
			tag := "" // one for all parts, so that one command reverts them
			shown := a.progress()
			defer a.endProgress()
			for _, part := range parts {
				if shown != nil {
					shown("memories", v.Kept+v.Known+v.Empty, 0)
				}
				part.DryRun, part.Tag = dry, tag
				got, err := ask(cmd.Context(), a, api.Import, part)
				if err != nil {
					return err
				}
				v.Kept, v.Known, v.Empty = v.Kept+got.Imported, v.Known+got.Known, v.Empty+got.Empty
				if tag = got.Tag; got.Imported > 0 && !dry {
					v.Undo = []string{"remanence forget --yes --tag " + tag + " --project all"}
				}
			}
			a.endProgress()
			v.DryRun = dry
			return a.out.Show(v)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show how many, and of which projects")
	return cmd
}

// importSource is a file or standard input, and its name. end closes it.
func (a *app) importSource(args []string) (in *bufio.Reader, name string, end func(), err error) {
	if len(args) > 0 && args[0] != "-" {
		f, err := os.Open(args[0])
		if err != nil {
			return nil, "", nil, fault.NoFile.Because("%s", err)
		}
		return bufio.NewReader(f), args[0], func() { _ = f.Close() }, nil
	}
	if ui.IsTerminal(a.Sys.Stdin) {
		return nil, "", nil, fault.Usage.WithMessage("no file was given").FixedBy("remanence import --help")
	}
	return bufio.NewReader(a.Sys.Stdin), "standard input", func() {}, nil
}

// readOld reads what another program wrote.
func readOld(ctx context.Context, in io.Reader, name string) (api.ExportedMemories, error) {
	within := &io.LimitedReader{R: in, N: maxImportFile}
	r := bufio.NewReader(within)
	var from io.Reader = r
	var others map[string]int // rows of tables that are not read
	if head, _ := r.Peek(len(sqlite.Magic)); string(head) == sqlite.Magic && name != "standard input" {
		b, rows, err := readTables(ctx, name)
		if err != nil {
			return api.ExportedMemories{}, fault.Input.WithMessage("%s cannot be read", name).Because("%s", err)
		}
		from, others = bytes.NewReader(b), rows
	}
	old, err := api.ReadExport(from)
	for table, n := range others {
		old.Drop("rows of "+table, "no table that memories are taken from", n)
	}
	switch {
	case within.N <= 0:
		return old, fault.Input.WithMessage("%s is larger than %d MB", name,
			maxImportFile>>20).Because("nothing was taken over").FixedBy("import it in parts, of whole lines")
	case err != nil:
		return old, fault.Input.WithMessage("%s is no export that can be read", name).Because("%s",
			err).FixedBy("remanence import --help")
	case len(old.Memories) == 0:
		fault := fault.Input.WithMessage("%s holds no memories", name).Because("%s", importFormat(old))
		return old, fault.FixedBy("remanence import --help")
	}
	return old, nil
}

// readTables reads claude-mem's database as an export, and counts the rows of the
// tables that it does not read.
func readTables(ctx context.Context, file string) (export []byte, others map[string]int, err error) {
	names := oldTables()
	tables, err := sqlite.Tables(ctx, file, names)
	if err != nil {
		return nil, nil, err
	}
	if others, err = sqlite.RowCounts(ctx, file); err != nil {
		return nil, nil, err
	}
	maps.DeleteFunc(others, func(table string, _ int) bool { return names[table] != "" })
	export, err = json.Marshal(tables)
	return export, others, err
}

// oldTables are the tables of claude-mem's database that are read, and the lists
// of an export that they are.
func oldTables() map[string]string {
	return map[string]string{
		"observations": "observations", "session_summaries": "summaries",
		"sdk_sessions": "sessions", "user_prompts": "prompts",
	}
}

// importFormat describes what was read if it has no memory.
func importFormat(old api.ExportedMemories) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(old.LeftOut)) {
		if n := old.LeftOut[what]; n > 0 {
			all = append(all, ui.Plural(n, strings.TrimSuffix(what, "s"), what))
		}
	}
	for _, d := range old.Dropped() {
		all = append(all, fmt.Sprintf("%d × %s: %s", d.Count, d.What, d.Why))
	}
	return cmp.Or(strings.Join(all[:min(len(all), maxSniff)], "; "), "it is empty")
}

// maxSniff is how many kinds of content are named.
const maxSniff = 5

// placeImport says which project each memory goes to, in orders that can be sent. What
// names a project that is not known here is left out, and counted.
func placeImport(ctx context.Context, a *app, old api.ExportedMemories) (ui.ImportView, []curate.ImportRequest, error) {
	v := ui.ImportView{Undo: []string{}, Projects: []ui.ImportedProject{}, LeftOut: old.LeftOut, Dropped: old.Dropped()}
	maps.DeleteFunc(v.LeftOut, func(_ string, n int) bool { return n == 0 })
	known, err := ask(ctx, a, api.Projects, api.Nothing{})
	if err != nil {
		return v, nil, err
	}
	here, err := ask(ctx, a, api.ReadState, a.ProjectRef())
	if err != nil {
		return v, nil, a.noProject(err)
	}
	dir := ""
	if isNew := !slices.ContainsFunc(known.Projects, func(p mem.Project) bool {
		return p.Key == here.Project.Key
	}); isNew {
		dir, known.Projects = here.Project.Root, append(known.Projects, here.Project)
	}
	count := map[string]int{}
	parts, size := []curate.ImportRequest{{Dir: dir}}, 0
	for _, m := range old.Memories {
		name := cmp.Or(m.Project, old.Project)
		switch {
		case a.Project != "" && a.Project != "all", name == "" && m.Scope != mem.ScopeUser:
			name, m.Project = here.Project.Name, here.Project.Key
		case name == "":
			name = everyProject
		default:
			i := slices.IndexFunc(known.Projects, func(p mem.Project) bool {
				return name == p.Key || strings.EqualFold(name, p.Name) || name == p.Root
			})
			if i < 0 {
				count["\x00"+name]++
				continue
			}
			name, m.Project = known.Projects[i].Name, known.Projects[i].Key
		}
		count[name]++
		b, err := json.Marshal(m)
		if err != nil {
			return v, nil, err
		}
		last := &parts[len(parts)-1]
		if size += len(b); len(last.Memories) > 0 && (len(last.Memories) == importPart || size > importBytes) {
			parts, size = append(parts, curate.ImportRequest{Dir: dir}), len(b)
			last = &parts[len(parts)-1]
		}
		last.Memories = append(last.Memories, m)
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		short, unknown := strings.CutPrefix(name, "\x00")
		v.Projects = append(v.Projects, ui.ImportedProject{Name: short, Memories: count[name], Known: !unknown})
	}
	if len(parts[0].Memories) == 0 {
		parts = nil
	}
	return v, parts, nil
}

// everyProject is where a memory goes that is about no project.
const everyProject = "all projects"
