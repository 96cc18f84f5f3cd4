// Do not read the container's CPU limit: it costs a fifteenth of a hook's time. The
// kernel enforces the limit in any case.

//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

// Command remanence is a memory for coding agents: hook command, background
// worker and command line in one program.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"remanence/internal/cli"
	"remanence/internal/config"
)

func main() {
	os.Exit(run())
}

// slack is added to a hook's time limits and to those of its recall and briefing,
// such as "20s". Only tests set it, some of them at link time.
var slack string

func run() int {
	sys := config.System{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Now: func() time.Time { return time.Now().UTC() }, Exit: os.Exit,
	}
	if slack != "" {
		sys.Slack, _ = time.ParseDuration(slack)
	}
	if len(sys.Args) > 0 && sys.Args[0] == "hook" {
		// A hook's end is its own: signals must not give it another exit status.
		return cli.Main(context.Background(), sys)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return cli.Main(ctx, sys)
}
