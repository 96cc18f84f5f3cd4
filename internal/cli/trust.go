package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/workstate"
)

func trustCommand(a *app) *cobra.Command {
	var revoke, list bool
	cmd := &cobra.Command{
		Use:   "trust [path]",
		Short: "let a repository's own memory be read",
		Long: "What a repository says about itself, in " + workstate.Dir + "/ and " + mem.SharedDir + ", may have been\n" +
			"written by anyone. Hooks read it, inject it and keep it up to date only once you declare\n" +
			"it trusted. That applies to this directory and this repository,\n" +
			"known by its first commit: another one in the same place needs a new decision.\n" +
			"It also counts for the worktrees of the repository, and after a rename of the\n" +
			"directory; not for a copy, another clone or a submodule.\n" +
			"What \"remanence mind init\" makes is trusted from the start.",
		Example: "  remanence trust\n  remanence trust ~/src/shop --revoke\n  remanence trust --list",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return listTrusted(a)
			}
			return runTrust(a, cmd, args, revoke)
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take it back")
	cmd.Flags().BoolVar(&list, "list", false, "list what is trusted")
	cmd.MarkFlagsMutuallyExclusive("revoke", "list")
	return cmd
}

func runTrust(a *app, _ *cobra.Command, args []string, revoke bool) error {
	p, err := a.checks().ProjectHere(args)
	if err != nil {
		return err
	}
	v := trustView{Did: "trusted", Repositories: []trustItemView{}}
	switch {
	case revoke:
		off, ok, err := daemon.DistrustProject(a.Paths, p)
		if err != nil {
			return err
		}
		v.Did = "revoked"
		if !ok {
			v.Did, off = "unchanged", []daemon.TrustedRepo{{Root: p.Root}}
		}
		for _, t := range off {
			v.add(t, false)
		}
	case a.agent() != "":
		return fault.PersonOnly
	default:
		t, err := daemon.TrustProject(a.Paths, p, "", a.Sys.Now())
		if err != nil {
			return err
		}
		v.add(t, true)
	}
	return a.out.Show(v)
}

func listTrusted(a *app) error {
	list, err := daemon.ReadTrusted(a.Paths)
	if err != nil {
		return err
	}
	v := trustView{Did: "list", Repositories: []trustItemView{}}
	for _, t := range list {
		p, err := project.Identify(t.Root)
		v.add(t, err == nil && t.Covers(p))
	}
	return a.out.Show(v)
}

type trustView struct {
	Did          string          `json:"did"` // trusted, revoked, unchanged, list
	Repositories []trustItemView `json:"repositories"`
}

type trustItemView struct {
	Root  string    `json:"root"`
	First string    `json:"first"` // commit; empty outside of git and before there is one
	Made  bool      `json:"made"`  // this machine made the files
	At    time.Time `json:"at"`
	Holds bool      `json:"holds"` // it is still that repository
	Files bool      `json:"files"` // there is something to read
	Gone  bool      `json:"gone"`  // there is no such directory any more
}

func (v *trustView) add(t daemon.TrustedRepo, holds bool) {
	_, err := os.Lstat(filepath.Join(t.Root, workstate.Dir, "STATE.md"))
	there := !errors.Is(err, fs.ErrNotExist) || config.Exists(filepath.Join(t.Root, filepath.FromSlash(mem.SharedDir)))
	v.Repositories = append(v.Repositories, trustItemView{
		t.Root, t.First, t.Made, t.At, holds, there, !there && !config.Exists(t.Root),
	})
}

func (trustView) SchemaName() string { return "trust" }

func (v trustView) List() []any { return ui.Items(v.Repositories) }

func (v trustView) Print(p *ui.Printer) {
	if len(v.Repositories) == 0 {
		p.Line("No repository is trusted.")
		return
	}
	for _, t := range v.Repositories {
		switch v.Did {
		case "unchanged":
			p.Line("not trusted  %s", ui.OneLine(t.Root))
		case "revoked":
			p.Line("revoked  %s", ui.OneLine(t.Root))
			p.Say("What was learned from its files is not injected any more.")
		case "list":
			p.Line("%s  %s", t.state(), ui.OneLine(t.Root))
			if t.Gone {
				p.Say("There is no such directory. If it was renamed, it is still trusted at its new place.")
			}
			t.firstCommit(p)
		default:
			p.Line("%s  %s", t.state(), ui.OneLine(t.Root))
			t.firstCommit(p)
		}
		if v.Did == "trusted" && !t.Files {
			p.Say("There is nothing to read yet. Make state files with: remanence mind init")
		}
		if v.Did == "trusted" && t.First == "" {
			p.Say("It has no commit yet; it needs a new decision after the first one.")
		}
	}
}

// state is what has become of an entry, in a word or two.
func (t trustItemView) state() string {
	switch {
	case t.Holds:
		return "trusted"
	case t.Gone:
		return "gone"
	}
	return "asks again"
}

func (t trustItemView) firstCommit(p *ui.Printer) {
	if t.First != "" && p.Flags.Verbose {
		p.Line("  first commit %s", t.First)
	}
}
