package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/mem"
	"remanence/internal/project"
)

func (a *app) trustCommand() *cobra.Command {
	var revoke, list bool
	cmd := &cobra.Command{
		Use:   "trust [path]",
		Short: "let a repository's own memory be read",
		Long: "What a repository says about itself, in " + mem.MindDir + "/, may have been written by\n" +
			"anybody. It is read, told to agents and kept up to date by hooks only once you\n" +
			"said that you stand for it. That counts for this directory and this repository,\n" +
			"known by its first commit: another one in the same place is asked about again.\n" +
			"It also counts for the worktrees of the repository, and after a rename of the\n" +
			"directory; not for a copy, another clone or a submodule.\n" +
			"What \"remanence mind init\" makes is trusted from the start.",
		Example: "  remanence trust\n  remanence trust ~/src/shop --revoke\n  remanence trust --list",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				return a.listTrusted()
			}
			return a.trust(cmd, args, revoke)
		},
	}
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take it back")
	cmd.Flags().BoolVar(&list, "list", false, "list what is trusted")
	cmd.MarkFlagsMutuallyExclusive("revoke", "list")
	return cmd
}

// projectHere is the project of a directory, or of the one a command is about.
func (a *app) projectHere(args []string) (mem.Project, error) {
	dir := a.place().Dir
	if len(args) > 0 {
		dir = args[0]
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return mem.Project{}, err
	}
	if !isDir(dir) {
		return mem.Project{}, faultNoFile.about("there is no directory %s", oneLine(dir))
	}
	return project.Identify(dir)
}

func (a *app) trust(_ *cobra.Command, args []string, revoke bool) error {
	p, err := a.projectHere(args)
	if err != nil {
		return err
	}
	v := trustView{Did: "trusted", Repositories: []trustItemView{}}
	switch {
	case revoke:
		off, ok, err := a.paths.distrust(p)
		if err != nil {
			return err
		}
		v.Did = "revoked"
		if !ok {
			v.Did, off = "unchanged", []trusted{{Root: p.Root}}
		}
		for _, t := range off {
			v.add(t, false)
		}
	case a.agent() != "":
		return faultPersonOnly
	default:
		t, err := a.paths.trust(p, "", a.sys.Now())
		if err != nil {
			return err
		}
		v.add(t, true)
	}
	return a.out.show(v)
}

func (a *app) listTrusted() error {
	list, err := a.paths.readTrusted()
	if err != nil {
		return err
	}
	v := trustView{Did: "list", Repositories: []trustItemView{}}
	for _, t := range list {
		p, err := project.Identify(t.Root)
		v.add(t, err == nil && t.stands(p))
	}
	return a.out.show(v)
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

func (v *trustView) add(t trusted, holds bool) {
	_, err := os.Lstat(filepath.Join(t.Root, mem.MindDir, "STATE.md"))
	there := !errors.Is(err, fs.ErrNotExist)
	v.Repositories = append(v.Repositories, trustItemView{
		t.Root, t.First, t.Made, t.At, holds, there, !there && !exists(t.Root),
	})
}

func (trustView) schema() string { return "trust" }

func (v trustView) list() []any { return items(v.Repositories) }

func (v trustView) human(p *printer) {
	if len(v.Repositories) == 0 {
		p.line("No repository is trusted.")
		return
	}
	for _, t := range v.Repositories {
		switch v.Did {
		case "unchanged":
			p.line("not trusted  %s", oneLine(t.Root))
		case "revoked":
			p.line("revoked  %s", oneLine(t.Root))
			p.say("What was learned from its files is told to no agent any more.")
		case "list":
			p.line("%s  %s", t.state(), oneLine(t.Root))
			if t.Gone {
				p.say("There is no such directory. If it was renamed, it is still trusted at its new place.")
			}
			t.firstCommit(p)
		default:
			p.line("%s  %s", t.state(), oneLine(t.Root))
			t.firstCommit(p)
		}
		if v.Did == "trusted" && !t.Files {
			p.say("There is nothing to read yet. Make state files with: remanence mind init")
		}
		if v.Did == "trusted" && t.First == "" {
			p.say("It has no commit yet; it is asked about again after the first one.")
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

func (t trustItemView) firstCommit(p *printer) {
	if t.First != "" && p.flags.verbose {
		p.line("  first commit %s", t.First)
	}
}
