package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
)

// chapter is a group of commands in the help.
type chapter struct {
	title string
	first []string // shown by plain --help
	more  []string // shown by help --all
}

func chapters() []chapter {
	return []chapter{
		{"start", []string{"demo", "install", "uninstall", "status", "doctor", "open"}, nil},
		{"find", []string{"search", "show", "why", "next"}, []string{
			"timeline", "recap", "blame", "trailers", "propose", "handoff", "stats",
		}},
		{"keep", []string{"add", "forget", "review"}, []string{
			"edit", "restore", "pin", "unpin", "mark", "checkpoint",
			"lint", "merge", "consolidate", "purge", "privacy", "pause", "resume", "mind", "trust", "share",
		}},
		{"move", nil, []string{"export", "import", "backfill"}},
		{"run", nil, []string{
			"config", "vault", "mcp", "statusline", "daemon", "db",
			"digest", "eval", "completion", "man", "upgrade", "version", "help",
		}},
	}
}

func helpCommand(a *app) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:     "help [command | REM-code]",
		Short:   "explain a command or an error code",
		Example: "  remanence help search\n  remanence help REM-D004\n  remanence help --all",
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch {
			case len(args) == 0:
				return a.out.Show(overview(root, all))
			case strings.HasPrefix(strings.ToUpper(args[0]), "REM-"):
				return helpCode(a, strings.ToUpper(args[0]))
			}
			if ui.NamesEmbeddings(args) {
				return a.out.Show(ui.HelpOfEmbeddings())
			}
			found, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 || found == root {
				return fault.Usage.WithMessage("no help on %q", strings.Join(args, " ")).FixedBy(suggest(root, args[0])...)
			}
			return a.showHelp(found)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "list every command and every global flag")
	return cmd
}

// help prints the page of a command. It is called before the flags are in force.
func (a *app) help(cmd *cobra.Command, _ []string) {
	a.out = ui.NewPrinter(a.Sys, a.flags)
	_ = a.showHelp(cmd) // the printer knows what failed
}

// showHelp shows the page of a command, examples first.
func (a *app) showHelp(cmd *cobra.Command) error {
	if cmd == cmd.Root() {
		return a.out.Show(overview(cmd, false))
	}
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s: %s\n", cmd.CommandPath(), cmd.Short)
	if cmd.Example != "" {
		fmt.Fprintf(out, "\nExamples\n%s\n", cmd.Example)
	}
	fmt.Fprintf(out, "\nUsage\n  %s\n", cmd.UseLine())
	if cmd.Long != "" {
		fmt.Fprintf(out, "\n%s\n", cmd.Long)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(out, "\nCommands\n")
		for _, sub := range cmd.Commands() {
			fmt.Fprintf(out, "  %s%s\n", ui.Pad(sub.Name(), 12), sub.Short)
		}
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(out, "\nFlags\n%s", cmd.LocalFlags().FlagUsagesWrapped(ui.HelpWidth))
	}
	fmt.Fprint(out, "\nFlags of every command: remanence help --all")
	return a.out.Show(ui.HelpView{Topic: cmd.CommandPath(), Text: out.String()})
}

// overview is the first page of the help.
func overview(root *cobra.Command, all bool) ui.HelpView {
	out := &strings.Builder{}
	fmt.Fprintf(out, "%s\n\nExamples\n%s\n", root.Long, root.Example)
	for _, c := range chapters() {
		names := c.first
		if all {
			names = append(slices.Clone(c.first), c.more...)
		}
		if len(names) > 0 {
			fmt.Fprintf(out, "\n%s\n", strings.ToUpper(c.title[:1])+c.title[1:])
		}
		for _, name := range names {
			if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
				fmt.Fprintf(out, "  %s%s\n", ui.Pad(name, 12), cmd.Short)
			}
		}
	}
	if all {
		fmt.Fprintf(out, "\nFlags of every command\n%s", root.PersistentFlags().FlagUsagesWrapped(ui.HelpWidth))
		fmt.Fprint(out, "\nExit statuses; a hook always ends with 0\n")
		for _, e := range fault.ExitStatuses() {
			fmt.Fprintf(out, "  %3d  %s\n", e.Status, e.Meaning)
		}
	} else {
		fmt.Fprint(out, "\nMore commands and flags: remanence help --all · one command: remanence help NAME")
	}
	return ui.HelpView{Topic: root.Name(), Text: strings.TrimRight(out.String(), "\n")}
}

// helpCode explains one error code.
func helpCode(a *app, code string) error {
	for _, f := range fault.All() {
		if f.Code == code {
			return a.out.Show(ui.FaultView{Code: f.Code, Exit: f.Exit, Message: f.What, About: f.About, Fix: ui.NotNil(f.Fix)})
		}
	}
	return fault.Usage.WithMessage("no error has the code %q", code).FixedBy("remanence help --all")
}

// nearestFlag names the flag that is most like the unknown one of an error.
func nearestFlag(cmd *cobra.Command, err error) string {
	_, word, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	best, dist := "", 3
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if d := chars.EditDistance(word, f.Name); d < dist && !f.Hidden {
			best, dist = f.Name, d
		}
	})
	if best == "" {
		return ""
	}
	return cmd.CommandPath() + " --" + best
}
