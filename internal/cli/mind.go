package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mind"
	"remanence/internal/workstate"
)

func mindCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mind",
		Short: "where the work stands, in files of the project",
		Long: "State files are plain text in " + workstate.Dir + "/ of a project: STATE.md, PROGRESS.md,\n" +
			"DECISIONS.md and SESSION-LOG.md. People, agents and hooks write in them; a\n" +
			"person's words are never written over. They are made only by \"remanence mind\n" +
			"init\", and read only where they are trusted.",
		Example: "  remanence mind init --template cli\n  remanence mind show\n  remanence mind compress --dry-run",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.showHelp(cmd) },
	}
	cmd.AddCommand(mindInitCommand(a), mindShowCommand(a), mindCompressCommand(a))
	return cmd
}

func mindInitCommand(a *app) *cobra.Command {
	var template string
	var protocol bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "make the state files of this project",
		Long: "Makes the files that are not there yet and leaves the others as they are. With\n" +
			"--protocol five rules on how to work with them are put into CLAUDE.md too, as\n" +
			"one marked block.",
		Example: "  remanence mind init\n  remanence mind init --template web-app --protocol",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			return mindInit(a, template, protocol)
		},
	}
	cmd.Flags().StringVar(&template, "template", "default", "what to begin with: "+strings.Join(mind.Templates(), ", "))
	cmd.Flags().BoolVar(&protocol, "protocol", false, "put the rules for agents into CLAUDE.md")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(mind.Templates(),
		cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func mindInit(a *app, template string, protocol bool) error {
	if !mind.Known(template) {
		return fault.Input.WithMessage("no such template: %q", template).FixedBy("use " + strings.Join(mind.Templates(),
			", "))
	}
	p, err := a.checks().ProjectHere(nil)
	if err != nil {
		return err
	}
	_, err = os.Lstat(filepath.Join(p.Root, workstate.Dir))
	own := errors.Is(err, fs.ErrNotExist)
	v := ui.MindInitView{Dir: filepath.Join(p.Root, workstate.Dir), Made: []string{}}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	mark := hex.EncodeToString(salt)
	made, err := mind.Init(p.Root, template, mark)
	v.Made = append(v.Made, made...)
	if err != nil {
		return err
	}
	book := daemon.TrustList{Paths: a.Paths}
	if own {
		if _, err := daemon.TrustProject(a.Paths, p, mark, a.Sys.Now()); err != nil {
			return err
		}
	}
	v.Trusted = book.Trusts(p)
	if protocol {
		if v.Protocol, err = putProtocol(p.Root); err != nil {
			return err
		}
	}
	return a.out.Show(v)
}

func mindShowCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "where the work of this project stands",
		Long:    "Shows the state files. Without any, or where they are not trusted, what\nis stored.",
		Example: "  remanence mind show\n  remanence mind show --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := ask(cmd.Context(), a, api.State, workstate.Request{
				ProjectRef: a.ProjectRef(), Op: workstate.OpGet,
				Agent: a.agent(),
			})
			if err != nil {
				return a.noProject(err)
			}
			return a.out.Show(ui.StateView(got))
		},
	}
}

func mindCompressCommand(a *app) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "compress",
		Short: "make old entries of the state files short",
		Long: "Leaves the newest sessions and decisions whole and makes a line or two of each\n" +
			"older one. What they said moves to ARCHIVE.md, with tasks completed long ago. A\n" +
			"copy from before is kept beside each file.",
		Example: "  remanence mind compress --dry-run\n  remanence mind compress",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return mindCompress(a, cmd, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only show what would be done")
	return cmd
}

func mindCompress(a *app, cmd *cobra.Command, dry bool) error {
	p, err := a.checks().ProjectHere(nil)
	if err != nil {
		return err
	}
	files, err := a.Files()
	if err != nil {
		return err
	}
	m, err := files.Look(p)
	switch {
	case err != nil:
		return err
	case !m.Present:
		return fault.NoFile.WithMessage("this project has no state files").FixedBy("remanence mind init")
	case !m.Trusted:
		return fault.NotTrusted.Because("%s", filepath.Join(p.Root, workstate.Dir))
	}
	done, err := files.Compress(cmd.Context(), p, dry)
	if err != nil {
		return err
	}
	return a.out.Show(compressView(done))
}

type compressView mind.Compressed

func (compressView) SchemaName() string { return "mind_compress" }

func (v compressView) Print(p *ui.Printer) {
	if v.Sessions+v.Decisions+v.Tasks == 0 {
		p.Line("Nothing is old enough to be made short.")
		return
	}
	did, moved := "made short", "moved to"
	if v.DryRun {
		did, moved = "would make short", "would move to"
	}
	p.Line("%s: %s, %s", did, ui.Plural(v.Sessions, "session", "sessions"),
		ui.Plural(v.Decisions, "decision", "decisions"))
	p.Line("%s ARCHIVE.md: what they said, whole, and %s", moved, ui.Plural(v.Tasks, "completed task", "completed tasks"))
	p.Line("%s before, %s after", ui.BytesText(v.Before), ui.BytesText(v.After))
	for _, b := range v.Backups {
		p.Line("copy  %s", b)
	}
}

// The block of rules in CLAUDE.md.
const (
	protocolBegin = "<!-- remanence: mind protocol -->"
	protocolEnd   = "<!-- /remanence: mind protocol -->"
)

const protocolText = protocolBegin + `
## Mind protocol

1. Read .mind/STATE.md before anything else.
2. Take work from .mind/PROGRESS.md; what is not there is put there first.
3. Keep to .mind/DECISIONS.md; whoever wants another decision asks for it.
4. Before a session ends, bring STATE.md, PROGRESS.md and SESSION-LOG.md up to date.
5. Check, do not assume: what these files say was true when it was written.
` + protocolEnd + "\n"

// putProtocol adds the rules to CLAUDE.md, once.
func putProtocol(root string) (string, error) {
	file := filepath.Join(root, "CLAUDE.md")
	info, err := os.Lstat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mindProtocolMax) {
		return "", fault.StateFile.Because("%s is no plain file below 1 MB", file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var old []byte
	if err == nil {
		if old, err = os.ReadFile(file); err != nil {
			return "", err
		}
	}
	if bytes.Contains(old, []byte(protocolBegin)) {
		return "unchanged", nil
	}
	text := string(old)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if text != "" {
		text += "\n"
	}
	return "added", config.ReplaceAs(file, []byte(text+protocolText), 0o644)
}

const mindProtocolMax = 1 << 20
