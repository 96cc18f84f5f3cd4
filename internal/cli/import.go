package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/fault"
	"remanence/internal/foreign"
	"remanence/internal/mem"
	"remanence/internal/transfer"
)

// importFlags is how an import is to be done.
type importFlags struct {
	dry         bool
	trust, undo string
	redo        string
}

func importCommand(a *app) *cobra.Command {
	var o importFlags
	cmd := &cobra.Command{
		Use:   "import [file or folder]",
		Short: "take over what another memory kept; can be undone",
		Long: "Takes over, and recognises by itself:\n\n" +
			"  claude-mem, engram   the database, or an export of it\n" +
			"  basic-memory         the folder of its notes\n" +
			"  Claude Code          ~/.claude/projects, or a folder memory in it\n" +
			"  SurrealDB plugin     what surreal export writes, or rows as JSON\n" +
			"  .mind, a vault       the folder\n" +
			"  JSON                 one value or one on each line; memories as show --json\n" +
			"                       writes them; without a file, or with -, standard input\n\n" +
			"An export of Remanence is taken over whole, with sessions, times, ids and trust;\nwhat is there already stays " +
			"as it is. All else:\n\n" +
			"Each memory keeps its project: the one here with that name, remote or directory.\nWhat fits none is kept under " +
			"its name, until a session of that name starts.\nSessions and prompts come along. What is there already is left " +
			"out: twice is\nonce. What cannot be taken over is named with its number and the reason.\n\n" +
			"Imported memories are found by a search, and not injected before you accept them\nin review, or say with " +
			"--trust assistant that they come from a tool of yours.\nWhat reads like an instruction to a model waits " +
			"for the review even then.",
		Example: "  remanence import ~/.claude-mem/claude-mem.db --dry-run\n  remanence import ~/.engram/engram.db --trust " +
			"assistant\n  remanence import ~/basic-memory --project example/api\n  remanence import --undo " +
			"import-20260302-090000.000\n  remanence show m_7k2q --json | ssh host remanence import",
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), a, args) },
	}
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "only show how many, and of which projects")
	cmd.Flags().StringVar(&o.trust, "trust", "", "assistant: may be injected, as what the assistant said; or none")
	cmd.Flags().StringVar(&o.undo, "undo", "", "hide what the import with this id took over")
	cmd.Flags().StringVar(&o.redo, "redo", "", "bring back what --undo hid")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "undo", "redo")
	cmd.MarkFlagsMutuallyExclusive("trust", "undo", "redo")
	return cmd
}

func (o importFlags) run(ctx context.Context, a *app, args []string) error {
	switch {
	case o.undo+o.redo != "" && len(args) > 0:
		return fault.Usage.WithMessage("--undo and --redo take no file").FixedBy("remanence import --help")
	case o.undo != "":
		return a.undoImport(ctx, curate.ProposeForget, o.undo)
	case o.redo != "":
		return a.undoImport(ctx, curate.ProposeRestore, o.redo)
	case o.trust != "" && o.trust != trustAssistant && o.trust != "none":
		return fault.Input.WithMessage("--trust %q is unknown", o.trust).FixedBy("use assistant or none")
	case o.trust == trustAssistant && a.agent() != "":
		return fault.PersonOnly
	}
	in, name, end, err := a.importSource(args)
	if err != nil {
		return err
	}
	defer end()
	if in != nil && transfer.IsExport(in) {
		return importRecords(ctx, a, cmp.Or(name, "standard input"), in, o.dry)
	}
	read, err := readForeign(ctx, in, name)
	if err != nil {
		return err
	}
	v, parts, err := placeImport(ctx, a, read)
	if err != nil {
		return err
	}
	if v.Trusted, err = o.trusts(a, read); err != nil {
		return err
	}
	tag := "" // one for all parts, so that one command reverts them
	shown := a.progress()
	defer a.endProgress()
	for i, part := range parts {
		if shown != nil {
			shown("part", i+1, len(parts))
		}
		part.DryRun, part.Tag, part.Assistant, part.Agent = o.dry, tag, v.Trusted, a.agent()
		got, err := ask(ctx, a, api.Import, part)
		if err != nil {
			return err
		}
		v.Add(got)
		if tag = got.Tag; got.Imported > 0 && !o.dry {
			v.Undo = []string{"remanence import --undo " + tag}
		}
	}
	a.endProgress()
	v.DryRun = o.dry
	return a.out.Show(v)
}

const trustAssistant = "assistant"

// trusts reports whether the person counts what is imported as the assistant's words. At a terminal she is asked once.
func (o importFlags) trusts(a *app, read api.ExportedMemories) (bool, error) {
	if o.trust != "" || o.dry || a.agent() != "" || a.flags.NoInput || !ui.IsTerminal(a.Sys.Stdin) {
		return o.trust == trustAssistant, nil
	}
	answer, err := a.prompt(ui.Plural(len(read.Memories), "memory", "memories") + " were read. If they come from a tool " +
		"of yours on this machine, may they be injected as what the assistant said? [y/N]")
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(answer)), err
}

// importSource is a file or standard input, and its name; in is nil for a folder. end closes it.
func (a *app) importSource(args []string) (in *bufio.Reader, name string, end func(), err error) {
	if len(args) > 0 && args[0] != "-" {
		if config.IsDir(args[0]) {
			return nil, args[0], func() {}, nil
		}
		f, err := os.Open(args[0])
		if err != nil {
			return nil, "", nil, fault.NoFile.Because("%s", err)
		}
		return bufio.NewReader(f), args[0], func() { _ = f.Close() }, nil
	}
	if ui.IsTerminal(a.Sys.Stdin) {
		return nil, "", nil, fault.Usage.WithMessage("no file was given").FixedBy("remanence import --help")
	}
	return bufio.NewReader(a.Sys.Stdin), "", func() {}, nil
}

// readForeign reads what another program wrote.
func readForeign(ctx context.Context, in *bufio.Reader, name string) (api.ExportedMemories, error) {
	var from io.Reader
	if in != nil {
		from = in
	}
	read, err := foreign.Read(ctx, name, from)
	name = cmp.Or(name, "standard input")
	switch {
	case errors.Is(err, foreign.ErrTooLarge):
		return read, fault.Input.WithMessage("%s is larger than %d MB", name,
			foreign.MaxFile>>20).Because("nothing was taken over").FixedBy("import it in parts, of whole lines")
	case err != nil:
		return read, fault.Input.WithMessage("%s cannot be read", name).Because("%s; nothing was taken over",
			err).FixedBy("remanence import --help")
	case len(read.Memories)+len(read.Sessions) == 0:
		return read, fault.Input.WithMessage("%s holds no memories", name).Because("%s", ui.ImportFormat(read)).
			FixedBy("remanence import --help")
	}
	return read, nil
}

// placeImport says which project each memory goes to, in requests that can be sent.
func placeImport(ctx context.Context, a *app, read api.ExportedMemories) (ui.ImportView, []curate.ImportRequest,
	error,
) {
	v := ui.ImportView{Undo: []string{}, Projects: []ui.ImportedProject{}, LeftOut: read.LeftOut, Dropped: read.Dropped()}
	maps.DeleteFunc(v.LeftOut, func(_ string, n int) bool { return n == 0 })
	known, err := ask(ctx, a, api.Projects, api.Nothing{})
	if err != nil {
		return v, nil, err
	}
	here, err := ask(ctx, a, api.ReadState, a.ProjectRef())
	if err != nil {
		return v, nil, a.noProject(err)
	}
	c, err := a.checks().SetupConfig()
	if err != nil {
		return v, nil, err
	}
	places := foreign.NewPlaces(read, known.Projects, here.Project, foreign.Agents{
		Folder: filepath.Join(c.AgentDir(), "projects"), Home: c.Home,
	})
	parts, all, err := foreign.Requests(read, places, a.Project != "" && a.Project != "all")
	for _, p := range all {
		v.Projects = append(v.Projects, ui.ImportedProject(p))
	}
	return v, parts, err
}

// undoImport hides the memories of an import, or brings back those that this hid.
func (a *app) undoImport(ctx context.Context, verb, id string) error {
	order := curate.MarkRequest{
		ProjectRef: mem.ProjectRef{Project: "all"}, Verb: verb, Agent: a.agent(), DryRun: true, SkipUnknown: true,
	}
	none := fault.NoID.WithMessage("no import has the id %q, or nothing is left to change", id).
		FixedBy("give the id that the import printed; its memories have it as a tag: remanence show ID")
	hides, list, status := verb == curate.ProposeForget, id, mem.Active
	if !hides {
		list, status = id+config.Undone, mem.Forgotten
	}
	ids, listed, err := a.Paths.ReadImport(list)
	if order.IDs = ids; hides && !listed {
		order.Query = &mem.Query{Tags: []string{id}}
	}
	switch {
	case err != nil:
		return err
	case !curate.IsImportTag(id), order.Query == nil && len(ids) == 0:
		return none
	}
	found, err := ask(ctx, a, api.Mark, order)
	if err != nil {
		return err
	}
	order.Query, order.DryRun, order.IDs = nil, false, found.IDs(status)
	if len(order.IDs) == 0 {
		return none
	}
	if hides {
		err = a.Paths.AddUndone(id, order.IDs)
	}
	if err != nil {
		return err
	}
	got, err := ask(ctx, a, api.Mark, order)
	if err == nil && !hides {
		err = a.Paths.SaveImport(list, []string{})
	}
	if err != nil {
		return err
	}
	return a.out.Show(ui.ImportUndoneView{ID: id, Verb: verb, Memories: len(got.Memories)})
}
