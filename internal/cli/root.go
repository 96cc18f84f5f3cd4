package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"remanence/internal/config"
	"remanence/internal/fault"
)

// root is the command tree.
func (a *app) root() *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "remanence",
		Short: "memory for coding agents",
		Long: "Remanence remembers what happens in a coding agent's sessions and injects the\n" +
			"right part of it into the next ones. Without a command it shows today.",
		Example: "  remanence install                    put the hooks into Claude Code\n" +
			"  remanence                            what was kept and injected today\n" +
			"  remanence search \"retry backoff\"     find what was remembered\n" +
			"  remanence next                       what the next session will get\n" +
			"  remanence why                        what was injected last, and why",
		SilenceErrors:     true,
		SilenceUsage:      true,
		PersistentPreRunE: a.before,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				fmt.Fprintf(cmd.OutOrStdout(), "remanence %s\n", config.Version)
				return nil
			}
			return runStatus(a, cmd, true)
		},
		DisableSuggestions:         true, // they are part of the error, see suggest
		SuggestionsMinimumDistance: 2,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	// A flag of ours: with a template of cobra's the linker would have to keep every method of every type.
	root.Flags().BoolVar(&version, "version", false, "print the version")
	a.globalFlags(root)
	root.AddCommand(
		demoCommand(a), installCommand(a), uninstallCommand(a), statusCommand(a), doctorCommand(a), openCommand(a),
		searchCommand(a), showCommand(a), whyCommand(a), nextCommand(a), timelineCommand(a), recapCommand(a), blameCommand(a),
		trailersCommand(a),
		proposeCommand(a),
		handoffCommand(a), statsCommand(a),
		statusLineCommand(a),
		addCommand(a), editCommand(a), forgetCommand(a), markCommand(a, "restore"), markCommand(a, "pin"),
		markCommand(a, "unpin"), feedbackCommand(a), vaultCommand(a),
		checkpointCommand(a), lintCommand(a), consolidateCommand(a), mergeCommand(a), reviewCommand(a),
		purgeCommand(a), privacyCommand(a), evalCommand(a), digestCommand(a), pauseCommand(a), resumeCommand(a),
		mindCommand(a), trustCommand(a), shareCommand(a),
		exportCommand(a), importCommand(a), backfillCommand(a), configCommand(a), mcpCommand(a),
		daemonCommand(a), dbCommand(a),
		completionCommand(a), manCommand(a), upgradeCommand(a), versionCommand(a),
	)
	root.SetHelpCommand(helpCommand(a))
	root.SetHelpFunc(a.help)
	root.SetUsageFunc(func(cmd *cobra.Command) error { a.help(cmd, nil); return nil })
	root.SetFlagErrorFunc(flagError)
	return root
}

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.BoolVar(&a.flags.JSON, "json", false, "answer with one JSON object")
	f.BoolVar(&a.flags.JSONLines, "jsonl", false, "answer with one JSON value per item and line")
	f.StringVar(&a.flags.Color, "color", "auto", "colours: auto, always or never")
	f.BoolVar(&a.flags.NoColor, "no-color", false, "no colours")
	f.BoolVarP(&a.flags.Quiet, "quiet", "q", false, "only data, no messages")
	f.BoolVarP(&a.flags.Verbose, "verbose", "v", false, "print more")
	f.StringVar(&a.Project, "project", "", "project: id, name, directory or all (default: of this directory)")
	f.StringVar(&a.flags.Config, "config", "", "configuration file")
	f.StringVar(&a.flags.DataDir, "data-dir", "", "directory of the database")
	f.BoolVar(&a.NoDaemon, "no-daemon", false, "work without the daemon, in this process")
	f.BoolVar(&a.flags.NoInput, "no-input", false, "never ask")
	f.BoolVar(&a.flags.NoPager, "no-pager", false, "never page long output")
	f.DurationVar(&a.Timeout, "timeout", 0, "give up after this long, e.g. 5s")
}

// reachesHooks refuses flags that hooks do not run with: all would be kept somewhere else.
func reachesHooks(a *app) error {
	for _, f := range []struct{ name, given, variable string }{
		{"--data-dir", a.flags.DataDir, "REMANENCE_DATA_DIR"}, {"--config", a.flags.Config, "REMANENCE_CONFIG"},
	} {
		if f.given != "" {
			return fault.Usage.WithMessage("install takes no %s: hooks run without it", f.name).
				FixedBy("set "+f.variable+" where the agent is started", "remanence install")
		}
	}
	return nil
}

// flagError is a mistake in the flags, with the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && strings.Trim(unknown.GetSpecifiedShortnames(), "0123456789.") == "" &&
		unknown.GetSpecifiedShortnames() != "" {
		line := append([]string{cmd.CommandPath()}, cmd.Flags().Args()...)
		return fault.Usage.WithMessage("-%s was taken for a flag",
			unknown.GetSpecifiedShortnames()).Because("a value that begins with - stands after --").
			FixedBy(strings.Join(line, " ")+" -- -"+unknown.GetSpecifiedShortnames(), cmd.CommandPath()+" --help")
	}
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		takes := map[string]string{
			"int": "a whole number", "float64": "a number", "duration": "a length of time such as 5s",
			"bool": "true or false",
		}
		return fault.Usage.WithMessage("%q is no value for --%s", wrong.GetValue(), wrong.GetFlag().Name).
			Because("it takes %s", cmp.Or(takes[wrong.GetFlag().Value.Type()],
				wrong.GetFlag().Value.Type())).FixedBy(cmd.CommandPath() + " --help")
	}
	return fault.Usage.WithMessage("%s", err).FixedBy(nearestFlag(cmd, err), cmd.CommandPath()+" --help")
}

// atLeast requires arguments and names them in its fault.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= n {
			return nil
		}
		return fault.Usage.WithMessage("%s needs %s", cmd.CommandPath(), what).FixedBy(cmd.CommandPath() + " --help")
	}
}

// atMost refuses arguments that would be ignored. With n of 0 it also catches misspelt commands of a group.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fault.Usage.WithMessage("%s does not take %q", cmd.CommandPath(), args[n]).FixedBy(suggest(cmd, args[n])...)
	}
}

// exactly demands n arguments.
func exactly(n int, what string) cobra.PositionalArgs {
	return cobra.MatchAll(atLeast(n, what), atMost(n))
}
