package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/fault"
)

// app is one run of the command line.
type app struct {
	*daemon.Connection
	flags ui.Flags
	out   *ui.Printer
}

// newApp returns the command line over the outside of one run. Its output is that of no flags until they are read.
func newApp(sys config.System) *app {
	a := &app{Connection: &daemon.Connection{Sys: sys, Close: func() {}, Extra: daemon.Extension{
		Bindings: pagesOf,
		MCP:      mcpOf,
	}}, out: ui.NewPrinter(sys, ui.Flags{})}
	a.Connected = func(ctx context.Context) {
		a.sayAside()
		a.sayNamesakes(ctx)
	}
	a.Notify = func(format string, args ...any) { a.out.Say(format, args...) }
	return a
}

// checks returns the checks of doctor, over this command's connection.
func (a *app) checks() *doctor.Checks { return &doctor.Checks{Connection: a.Connection, Out: a.out} }

// execute runs one command and returns its exit status.
func execute(ctx context.Context, sys config.System) int {
	a := newApp(sys)
	root := a.root()
	root.SetArgs(sys.Args)
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	a.Close()
	if err == nil {
		err = a.out.Failed
	}
	if err == nil {
		return 0
	}
	// also where the command line was not understood
	if slices.Contains(sys.Args, "--json") || slices.Contains(sys.Args, "--jsonl") {
		a.flags.JSON = true
	}
	a.out = ui.NewPrinter(sys, a.flags)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fault.ExitInterrupted
	}
	f := explain(root, err)
	if f.Code != "" && len(f.Fix) == 0 {
		f = f.FixedBy(cmd.CommandPath() + " --help")
	}
	return a.out.Fail(f)
}

// before runs after the flags are read and before any command.
func (a *app) before(*cobra.Command, []string) error {
	a.out = ui.NewPrinter(a.Sys, a.flags)
	switch a.flags.Color {
	case "auto", "always", "never":
	default:
		return fault.Usage.WithMessage("--color %q is unknown", a.flags.Color).FixedBy("use auto, always or never")
	}
	var err error
	a.Paths, err = config.FindPaths(a.Sys.Getenv, a.flags.DataDir)
	if err == nil && a.flags.Config != "" {
		a.Paths.Config, err = filepath.Abs(a.flags.Config)
	}
	return err
}

// Exclusively runs do while no daemon has the database open, and shows on a terminal that it takes long.
func (a *app) Exclusively(ctx context.Context, do func() error) error {
	defer a.out.Waiting("database")()
	return a.ExclusiveFile(ctx, do)
}

// ask sends a request to the daemon, or with --no-daemon to an engine in this process.
func ask[Req, Rep any](ctx context.Context, a *app, r api.Route[Req, Rep], req Req) (Rep, error) {
	defer a.out.Waiting(r.Name)()
	return daemon.Ask(ctx, a.Connection, r, req)
}
