package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"remanence/internal/daemon"
	"remanence/internal/fault"
)

// explain turns any error into a fault. Without a root nothing is suggested for misspelt commands.
func explain(root *cobra.Command, err error) fault.Fault {
	if f, ok := daemon.KnownFault(err); ok {
		return f
	}
	if word, ok := unknownCommand(err); ok {
		return fault.Usage.WithMessage("unknown command %q", word).FixedBy(suggest(root, word)...)
	}
	if flags, ok := exclusive(err); ok {
		return fault.Usage.WithMessage("%s exclude each other", flags).FixedBy()
	}
	return daemon.Explain(err)
}

// exclusive returns the flags that were given and exclude each other. Cobra has no type for that error either.
func exclusive(err error) (string, bool) {
	given, ok := strings.CutSuffix(err.Error(), "] were all set")
	names := strings.Fields(given[strings.LastIndexByte(given, '[')+1:])
	return "--" + strings.Join(names, " and --"), ok
}

// unknownCommand returns the word that cobra took for a command. It has no type for that error.
func unknownCommand(err error) (string, bool) {
	rest, ok := strings.CutPrefix(err.Error(), "unknown command \"")
	word, _, quoted := strings.Cut(rest, "\"")
	return word, ok && quoted
}

// suggest names the commands beside or below cmd that the person may have meant.
func suggest(cmd *cobra.Command, word string) []string {
	if cmd == nil {
		return fault.Usage.Fix
	}
	for _, c := range cmd.Commands() {
		if slices.Contains(c.SuggestFor, word) { // by another name
			return []string{c.CommandPath()}
		}
	}
	var out []string
	cmd.SuggestionsMinimumDistance = 2
	for _, near := range cmd.SuggestionsFor(word) {
		out = append(out, cmd.CommandPath()+" "+near)
	}
	if len(out) == 0 && cmd.HasParent() {
		return []string{cmd.CommandPath() + " --help"}
	}
	if len(out) == 0 {
		return fault.Usage.Fix
	}
	slices.Sort(out)
	return out
}
