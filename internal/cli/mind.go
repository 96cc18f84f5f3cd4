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
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/project"
)

func (a *app) mindCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mind",
		Short: "where the work stands, in files of the project",
		Long: "State files are plain text in " + mem.MindDir + "/ of a project: STATE.md, PROGRESS.md,\n" +
			"DECISIONS.md and SESSION-LOG.md. People, agents and hooks write in them; a\n" +
			"person's words are never written over. They are made only by \"remanence mind\n" +
			"init\", and read only where they are trusted.",
		Example: "  remanence mind init --template cli\n  remanence mind show\n  remanence mind compress --dry-run",
		Args:    atMost(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.mindInitCommand(), a.mindShowCommand(), a.mindCompressCommand())
	return cmd
}

func (a *app) mindInitCommand() *cobra.Command {
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
			return a.mindInit(template, protocol)
		},
	}
	cmd.Flags().StringVar(&template, "template", "default", "what to begin with: "+strings.Join(mind.Templates(), ", "))
	cmd.Flags().BoolVar(&protocol, "protocol", false, "put the rules for agents into CLAUDE.md")
	_ = cmd.RegisterFlagCompletionFunc("template", cobra.FixedCompletions(mind.Templates(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) mindInit(template string, protocol bool) error {
	if !mind.Known(template) {
		return faultInput.about("no such template: %q", template).fixedBy("use " + strings.Join(mind.Templates(), ", "))
	}
	p, err := a.projectHere(nil)
	if err != nil {
		return err
	}
	_, err = os.Lstat(filepath.Join(p.Root, mem.MindDir))
	own := errors.Is(err, fs.ErrNotExist)
	v := mindInitView{Dir: filepath.Join(p.Root, mem.MindDir), Made: []string{}}
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // never fails
	mark := hex.EncodeToString(salt)
	made, err := mind.Init(p.Root, template, mark)
	v.Made = append(v.Made, made...)
	if err != nil {
		return err
	}
	book := trustBook{paths: a.paths}
	if own {
		if _, err := a.paths.trust(p, mark, a.sys.Now()); err != nil {
			return err
		}
	}
	v.Trusted = book.trusts(p)
	if protocol {
		if v.Protocol, err = putProtocol(p.Root); err != nil {
			return err
		}
	}
	return a.out.show(v)
}

type mindInitView struct {
	Dir      string   `json:"dir"`
	Made     []string `json:"made"`
	Trusted  bool     `json:"trusted"`
	Protocol string   `json:"protocol,omitempty"` // what became of CLAUDE.md: added, unchanged
}

func (mindInitView) schema() string { return "mind_init" }

func (v mindInitView) human(p *printer) {
	if len(v.Made) == 0 {
		p.line("All state files are there already.")
	}
	for _, f := range v.Made {
		p.line("made  %s", f)
	}
	switch v.Protocol {
	case "added":
		p.line("added the rules to CLAUDE.md")
	case "unchanged":
		p.line("CLAUDE.md has the rules already")
	}
	if !v.Trusted {
		p.say("The files were here before, so they are not read yet. Look at them, then: remanence trust")
		return
	}
	p.say("The next session is told what they say.")
}

func (a *app) mindShowCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show",
		Short:   "where the work of this project stands",
		Long:    "Shows what the state files say. Without any, or where they are not trusted, what\nis stored.",
		Example: "  remanence mind show\n  remanence mind show --json",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			got, err := ask(cmd.Context(), a, api.State, mem.StateRequest{Place: a.place(), Op: mem.StateGet, Agent: a.agent()})
			if err != nil {
				return a.noProject(err)
			}
			return a.out.show(mindShowView(got))
		},
	}
}

type mindShowView mem.Standing

func (mindShowView) schema() string { return "state" }

func (v mindShowView) human(p *printer) {
	where := "the store"
	if v.Files != "" {
		where = v.Files + "/"
	}
	p.line("%s, from %s", oneLine(v.Project.Name), where)
	field := func(name, text string) {
		if text != "" {
			p.line("%-9s %s", name, oneLine(text))
		}
	}
	field("phase", v.Phase)
	field("status", v.Status)
	field("in work", strings.Join(v.Active, "; "))
	field("blocked", strings.Join(v.Blockers, "; "))
	field("next", v.Next)
	open := 0
	for _, it := range v.Progress {
		if !it.Done {
			field("todo", it.Section+": "+it.Text)
			open++
		}
	}
	for _, d := range v.Decisions[max(0, len(v.Decisions)-5):] {
		field("decided", d.ID+" "+d.Title)
	}
	if n := len(v.Sessions); n > 0 {
		field("last", v.Sessions[n-1].Title+": "+v.Sessions[n-1].Summary)
	}
	if v.Phase == "" && v.Status == "" && v.Next == "" && len(v.Active)+len(v.Blockers)+len(v.Sessions) == 0 && open == 0 && len(v.Decisions) == 0 {
		p.line("nothing is known yet")
	}
	for _, n := range v.Notes {
		p.say("note: %s", oneLine(n))
	}
	if v.Untrusted != "" {
		p.say("%s/ is there and not trusted, so it is not read. Look at it, then: remanence trust", v.Untrusted)
	}
}

func (a *app) mindCompressCommand() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "compress",
		Short: "make old entries of the state files short",
		Long: "Leaves the newest sessions and decisions whole and makes a line or two of each\n" +
			"older one; tasks completed long ago move to ARCHIVE.md. A copy from before is\n" +
			"kept beside each file.",
		Example: "  remanence mind compress --dry-run\n  remanence mind compress",
		Args:    atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.mindCompress(cmd, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be done")
	return cmd
}

// files are the state files as a command of a person uses them.
func (a *app) files() (*mind.Files, error) {
	cfg, err := LoadConfig(a.paths.Config, a.sys.Getenv)
	if err != nil {
		return nil, err
	}
	book := &trustBook{paths: a.paths}
	return mind.New(mind.Config{
		Trusted: book.trusts, Main: project.MainCheckout, Now: a.sys.Now, Limits: cfg.mindLimits,
	}), nil
}

func (a *app) mindCompress(cmd *cobra.Command, dry bool) error {
	p, err := a.projectHere(nil)
	if err != nil {
		return err
	}
	files, err := a.files()
	if err != nil {
		return err
	}
	m, err := files.Look(p)
	switch {
	case err != nil:
		return err
	case !m.Present:
		return faultNoFile.about("this project has no state files").fixedBy("remanence mind init")
	case !m.Trusted:
		return faultNotTrusted.because("%s", filepath.Join(p.Root, mem.MindDir))
	}
	done, err := files.Compress(cmd.Context(), p, dry)
	if err != nil {
		return err
	}
	return a.out.show(compressView(done))
}

type compressView mind.Compressed

func (compressView) schema() string { return "mind_compress" }

func (v compressView) human(p *printer) {
	if v.Sessions+v.Decisions+v.Tasks == 0 {
		p.line("Nothing is old enough to be made short.")
		return
	}
	did := "made short"
	if v.DryRun {
		did = "would make short"
	}
	p.line("%s: %s, %s; %s to ARCHIVE.md", did, plural(v.Sessions, "session", "sessions"), plural(v.Decisions, "decision", "decisions"), plural(v.Tasks, "task", "tasks"))
	p.line("%s before, %s after", bytesText(v.Before), bytesText(v.After))
	for _, b := range v.Backups {
		p.line("copy  %s", b)
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
		return "", faultStateFile.because("%s is no plain file below 1 MB", file)
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
	return "added", replaceAs(file, []byte(text+protocolText), 0o644)
}

const mindProtocolMax = 1 << 20
