// Package cli is the command line. Each command has a file of its own.
package cli

import (
	"context"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/hook"
	"remanence/internal/hookclient"
)

// Main runs the program and returns its exit status. A hook always ends with 0
// and is dispatched before anything else is built. So is the bare program that is
// given a hook's payload: some clients ignore the "args" with which older versions
// registered hooks, and would show what it prints to the model. It answers nothing,
// because nothing says here which client calls.
func Main(ctx context.Context, sys config.System) int {
	if len(sys.Args) > 0 && sys.Args[0] == "hook" {
		hookclient.Run(sys, sys.Args[1:])
		return 0
	}
	if len(sys.Args) == 0 && !ui.IsTerminal(sys.Stdin) && hook.TakePayload(ctx, sys.Stdin) {
		return 0
	}
	return execute(ctx, sys)
}
