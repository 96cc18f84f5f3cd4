package cli

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/gitblame"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func blameCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:        "blame FILE[:LINE[-LINE]]",
		SuggestFor: []string{"annotate", "praise"},
		Short:      "which session and prompt wrote a line, and why",
		Long: "Shows for lines of a file the commit, the session and prompt that wrote them,\n" +
			"and the decision, fix or rule behind them. It runs git blame and\n" +
			"changes nothing.",
		Example: "  remanence blame retry.go\n  remanence blame internal/retry.go:40-60 --json",
		Args:    exactly(1, "a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, from, to, ok := gitblame.Range(args[0])
			if !ok {
				return fault.Input.WithMessage("%q names no lines", args[0]).FixedBy("use FILE:40 or FILE:40-60")
			}
			file, err := filepath.Abs(name)
			if err != nil {
				return fault.Input.WithMessage("%s: %v", name, err)
			}
			read, err := gitblame.Read(cmd.Context(), file, from, to)
			if err != nil {
				return unreadable(name, err)
			}
			ref := a.ProjectRef()
			if ref.Project == "" {
				ref = mem.ProjectRef{Dir: filepath.Dir(file)}
			}
			got, err := ask(cmd.Context(), a, api.Blame, views.BlameRequest{
				ProjectRef: ref, File: file, Top: read.Top, Lines: read.Lines,
			})
			if err != nil {
				return err
			}
			return a.out.Show(ui.BlameView{BlameResponse: got})
		},
	}
}

// unreadable is the fault of a file that cannot be attributed.
func unreadable(name string, err error) error {
	var beyond gitblame.RangeError
	switch {
	case errors.As(err, &beyond):
		return fault.Input.WithMessage("%s has %d lines, and the range begins at %d", name, beyond.Lines, beyond.From)
	case errors.Is(err, os.ErrNotExist):
		return fault.Input.WithMessage("there is no file %s", name).FixedBy("give its path from here")
	case errors.Is(err, gitblame.ErrNoGit):
		return fault.Input.WithMessage("git is not installed").FixedBy("install git: blame asks it for the commits")
	}
	return fault.Input.WithMessage("cannot read %s: %v", name, err).FixedBy("name a text file of at most 4 MB")
}
