package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
)

// helpWidth is the width of every help page.
const helpWidth = 80

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
			"timeline", "recap", "blame", "propose", "handoff", "stats",
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
			if slices.Contains(embedTopics, strings.ToLower(args[0])) && len(args) == 1 {
				return a.out.Show(helpOfEmbeddings())
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

// embedTopics are the words by which help on embeddings is asked for.
var embedTopics = []string{"embed", "embedding", "embeddings"}

// helpView is a page of help.
type helpView struct {
	Topic string `json:"topic"` // the command
	Text  string `json:"text"`
}

func (helpView) SchemaName() string { return "help" }

func (v helpView) Print(p *ui.Printer) { p.Line("%s", v.Text) }

// helpOfEmbeddings explains embeddings, which are settings and no command.
func helpOfEmbeddings() helpView {
	out := &strings.Builder{}
	fmt.Fprint(out, `embeddings: find memories by meaning as well as by words

Examples
  remanence config set embed.provider ollama
  remanence config set embed.model nomic-embed-text
  remanence doctor

They are off until you choose a provider, and no connection is made until then.
A server on this machine turns memories and questions into vectors. One on
another machine is asked only with embed.allow_remote. Without an answer in
time, or at all, words alone are searched for.

Settings
`)
	for _, o := range config.Options() {
		if strings.HasPrefix(o.Key, "embed.") || o.Key == "recall.vector_floor" {
			head := o.Key + " = " + config.SettingOf(config.Value{Option: o, Value: o.Def}).ValueText()
			fmt.Fprintf(out, "  %s\n%s", strings.TrimRight(head, " ="), paragraph(o.Doc))
		}
	}
	fmt.Fprint(out, "\nAll of it: docs/embedding.md, in the repository")
	return helpView{"embeddings", out.String()}
}

// paragraph is a text in indented lines that fit a help page.
func paragraph(s string) string {
	const indent = "      "
	out, line := "", indent
	for _, word := range strings.Fields(s) {
		if line != indent && len(line)+1+len(word) > helpWidth {
			out, line = out+line+"\n", indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return out + line + "\n"
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
		fmt.Fprintf(out, "\nFlags\n%s", cmd.LocalFlags().FlagUsagesWrapped(helpWidth))
	}
	fmt.Fprint(out, "\nFlags of every command: remanence help --all")
	return a.out.Show(helpView{cmd.CommandPath(), out.String()})
}

// overview is the first page of the help.
func overview(root *cobra.Command, all bool) helpView {
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
		fmt.Fprintf(out, "\nFlags of every command\n%s", root.PersistentFlags().FlagUsagesWrapped(helpWidth))
		fmt.Fprint(out, "\nExit statuses; a hook always ends with 0\n")
		for _, e := range fault.ExitStatuses() {
			fmt.Fprintf(out, "  %3d  %s\n", e.Status, e.Meaning)
		}
	} else {
		fmt.Fprint(out, "\nMore commands and flags: remanence help --all · one command: remanence help NAME")
	}
	return helpView{root.Name(), strings.TrimRight(out.String(), "\n")}
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
