package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/hookclient"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

func completionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print the script that completes commands in a shell",
		Example: "  source <(remanence completion bash)\n  remanence completion fish > " +
			"~/.config/fish/completions/remanence.fish",
		Args:      exactly(1, "a shell: bash, zsh, fish or powershell"),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), a.Sys.Stdout
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			}
			return fault.Usage.WithMessage("no completion for %q", args[0]).FixedBy("use bash, zsh, fish or powershell")
		},
	}
}

func completeKinds(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return kindNames(), cobra.ShellCompDirectiveNoFileComp
}

func completeKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, o := range config.Options() {
		if len(args) == 0 {
			out = append(out, o.Key+"\t"+o.Doc)
		} else if o.Key == args[0] {
			out = o.One
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// completeWithin bounds what a completion may take; later it stays silent.
const completeWithin = 50 * time.Millisecond

// completeIDs offers the newest memories of a running daemon. It starts none.
func (a *app) completeIDs(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	if a.before(cmd, nil) != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	rt, err := hookclient.ReadRuntime(a.Paths)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, stop := context.WithTimeout(context.Background(), completeWithin)
	defer stop()
	found, err := api.Search.Call(ctx, rt.Client(config.Version), recall.SearchRequest{
		ProjectRef: a.ProjectRef(),
		Query:      mem.Query{Limit: 50},
	})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, h := range found.Hits {
		out = append(out, h.Memory.ID+"\t"+strings.ReplaceAll(ui.OneLine(chars.Clip(h.Memory.Title, 60)), "\t", " "))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
