package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"remanence/internal/api"
	"remanence/internal/mem"
)

// app is one run of the command line.
type app struct {
	sys   System
	paths Paths
	flags flags
	out   *printer
	// caller is made by the first command that asks the worker; closed by execute.
	caller api.Caller
	close  func()

	brief bool // checks leave out what reads all of the store
}

// flags are the flags every command has.
type flags struct {
	json, jsonl, noColor, quiet, verbose bool
	noDaemon, noInput, noPager           bool
	color, project, config, dataDir      string
	timeout                              time.Duration
}

// execute runs one command and returns its exit status.
func execute(ctx context.Context, sys System) int {
	a := &app{sys: sys, close: func() {}}
	root := a.root()
	root.SetArgs(sys.Args)
	root.SetIn(sys.Stdin)
	root.SetOut(sys.Stdout)
	root.SetErr(sys.Stderr)
	a.out = newPrinter(sys, flags{})
	cmd, err := root.ExecuteContextC(ctx)
	a.close()
	if err == nil {
		err = a.out.failed
	}
	if err == nil {
		return 0
	}
	if slices.Contains(sys.Args, "--json") || slices.Contains(sys.Args, "--jsonl") { // also where the command line was not understood
		a.flags.json = true
	}
	a.out = newPrinter(sys, a.flags)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return 130
	}
	f := explain(root, err)
	if f.Code != "" && len(f.Fix) == 0 {
		f = f.fixedBy(cmd.CommandPath() + " --help")
	}
	return a.out.fail(f)
}

// before runs after the flags are read and before any command.
func (a *app) before(*cobra.Command, []string) error {
	a.out = newPrinter(a.sys, a.flags)
	switch a.flags.color {
	case "auto", "always", "never":
	default:
		return faultUsage.about("--color %q is unknown", a.flags.color).fixedBy("use auto, always or never")
	}
	var err error
	a.paths, err = pathsFrom(a.sys.Getenv, a.flags.dataDir)
	if err == nil && a.flags.config != "" {
		a.paths.Config, err = filepath.Abs(a.flags.config)
	}
	return err
}

// place is what the person's command is about: the project of the working
// directory unless a flag says otherwise.
func (a *app) place() mem.Place {
	if strings.ContainsAny(a.flags.project, `./\`) {
		if dir, err := filepath.Abs(a.flags.project); err == nil && isDir(dir) {
			return mem.Place{Dir: dir}
		}
	}
	dir := a.sys.Getenv("CLAUDE_PROJECT_DIR")
	if dir == "" {
		dir, _ = os.Getwd()
	}
	return mem.Place{Project: a.flags.project, Dir: dir}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ask puts a question to the worker, or to an engine of our own with --no-daemon.
func ask[Req, Rep any](ctx context.Context, a *app, r api.Route[Req, Rep], req Req) (Rep, error) {
	if a.flags.timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, a.flags.timeout)
		defer stop()
	}
	if a.caller == nil {
		caller, closed, err := connect(ctx, a)
		if err != nil {
			var none Rep
			return none, err
		}
		a.caller, a.close = caller, closed
		a.sayAside()
		a.sayNamesakes(ctx)
	}
	return r.Call(ctx, a.caller, req)
}

// environ is the environment a worker is started with: named variables only.
// The hook sees the person's keys and tokens, the worker only those that are named
// in more.
func environ(getenv func(string) string, more ...string) []string {
	var out []string
	for _, name := range []string{
		"HOME", "PATH", "TMPDIR", "LANG", "LC_ALL", "TZ", "USER", "LOGNAME",
		"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR",
		"LOCALAPPDATA", "USERPROFILE", "SystemRoot", "TEMP", "TMP",
	} {
		if v := getenv(name); v != "" {
			out = append(out, name+"="+v)
		}
	}
	for _, name := range more {
		if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
			out = append(out, name+"="+v)
		}
	}
	for _, o := range Options() {
		for _, name := range append(o.Env, EnvName(o.Key)) {
			if v := getenv(name); v != "" && !strings.ContainsRune(v, 0) {
				out = append(out, name+"="+v)
			}
		}
	}
	return out
}
