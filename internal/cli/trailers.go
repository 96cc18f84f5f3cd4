package cli

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/trailer"
)

func trailersCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "trailers [on | off]",
		Short: "name an agent's session in the commits that it makes",
		Long: "Shows whether commits of this repository get a trailer with the session that\n" +
			"makes them, by which \"remanence blame\" finds it in every clone. \"on\" installs\n" +
			"the hook of git that adds it and \"off\" removes that. Both it and the setting\n" +
			"blame.trailers are needed, and both are off unless you turn them on. The hook\n" +
			"runs \"remanence trailers add FILE\".",
		Example: "  remanence trailers on\n  remanence config set blame.trailers true\n  remanence trailers off",
		Args:    atMost(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := config.LoadConfig(a.Paths.Config, a.Sys.Getenv)
			if err != nil {
				return err
			}
			v := ui.TrailersView{Setting: config.Get[bool](cfg, "blame.trailers")}
			dir, err := filepath.Abs(a.ProjectRef().Dir)
			if err != nil {
				return err
			}
			program := cmp.Or(daemon.OwnProgram(), "remanence")
			switch {
			case len(args) == 2 && args[0] == "add":
				if session := a.session(); session != "" && v.Setting {
					err = trailer.Add(cmd.Context(), dir, args[1], session)
				}
				return err
			case len(args) == 0:
				v.Hook, v.Installed, err = trailer.Installed(cmd.Context(), dir)
			case len(args) == 2 || args[0] != "on" && args[0] != "off":
				return fault.Usage.WithMessage("%q is neither on nor off", args[len(args)-1]).FixedBy("remanence trailers --help")
			case a.agent() != "":
				return fault.PersonOnly.WithMessage("only a person can install or remove the hook").
					FixedBy("run it in a terminal of your own: remanence trailers " + args[0])
			case args[0] == "on":
				v.Hook, err = trailer.Install(cmd.Context(), dir, program)
				v.Installed = err == nil
			default:
				v.Hook, v.Removed, err = trailer.Uninstall(cmd.Context(), dir)
			}
			if err != nil {
				return hookFault(v.Hook, program, err)
			}
			return a.out.Show(v)
		},
	}
}

// hookFault describes an error about the hook in a file to a person.
func hookFault(file, program string, err error) error {
	switch {
	case errors.Is(err, trailer.ErrNoRepository):
		return fault.Input.WithMessage("this directory is in no git repository").FixedBy("cd into one")
	case errors.Is(err, trailer.ErrTracked), errors.Is(err, trailer.ErrTaken):
		return fault.Input.WithMessage("%v: %s", err, file).FixedBy("add this line to that hook: " + trailer.Line(program))
	}
	return fault.Input.WithMessage("no hook: %v", err)
}
