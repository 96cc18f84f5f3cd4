package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
			"written by anyone. Hooks read it, inject it and keep it up to date only once you\n" +
			"declare it trusted. That applies to this directory and this repository,\n" +
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
	v := ui.TrustView{Did: "trusted", Repositories: []ui.TrustItem{}}
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
			addTrust(&v, t, false)
		}
	case a.agent() != "":
		return fault.PersonOnly
	default:
		t, err := daemon.TrustProject(a.Paths, p, "", a.Sys.Now())
		if err != nil {
			return err
		}
		addTrust(&v, t, true)
	}
	return a.out.Show(v)
}

func listTrusted(a *app) error {
	list, err := daemon.ReadTrusted(a.Paths)
	if err != nil {
		return err
	}
	v := ui.TrustView{Did: "list", Repositories: []ui.TrustItem{}}
	for _, t := range list {
		p, err := project.Identify(t.Root)
		addTrust(&v, t, err == nil && t.Covers(p))
	}
	return a.out.Show(v)
}

// addTrust adds a repository to a view.
func addTrust(v *ui.TrustView, t daemon.TrustedRepo, holds bool) {
	_, err := os.Lstat(filepath.Join(t.Root, workstate.Dir, "STATE.md"))
	there := !errors.Is(err, fs.ErrNotExist) || config.Exists(filepath.Join(t.Root, filepath.FromSlash(mem.SharedDir)))
	v.Repositories = append(v.Repositories, ui.TrustItem{
		Root: t.Root, First: t.First, Made: t.Made, At: t.At, Holds: holds, Files: there,
		Gone: !there && !config.Exists(t.Root),
	})
}
