package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

// stdioGrace is how long the client waits for inherited stdout and stderr to close after a hook has exited.
const stdioGrace = 500 * time.Millisecond

// wrap runs a hook command under test with the same stdin, environment and directory, passes its output and exit code
// on, and records them.
func wrap(args []string) {
	fs := flag.NewFlagSet("wrap", flag.ExitOnError)
	name := fs.String("name", "", "name in the record (default: the event name)")
	dir := fs.String("dir", os.Getenv("CCH_DIR"), "directory of hooks.jsonl")
	_ = fs.Parse(args)
	command := fs.Args()
	if len(command) == 0 {
		die(errors.New("wrap: no command after --"))
	}
	c := begin("wrap", *dir, *name, args)
	os.Exit(c.run(command))
}

// run is wrap's body; it returns the exit status to pass on.
func (c call) run(command []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	var out, errs bytes.Buffer
	x := exec.CommandContext(ctx, command[0], command[1:]...)
	x.Stdin, x.Stdout, x.Stderr = bytes.NewReader(c.in), &out, &errs
	x.Cancel = func() error { return x.Process.Signal(syscall.SIGTERM) } // what the client itself would have sent it
	x.WaitDelay = stdioGrace
	err := x.Run()
	result := obj{"stdout": out.String(), "stderr": errs.String()}
	if ctx.Err() != nil {
		result["killed"] = context.Cause(ctx).Error()
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		result["stdio_held"] = true
	}
	code := 1
	if x.ProcessState == nil {
		result["error"] = err.Error()
	} else {
		result["exit"] = x.ProcessState.ExitCode()
		code = x.ProcessState.ExitCode()
	}
	_, _ = os.Stdout.Write(out.Bytes())
	_, _ = os.Stderr.Write(errs.Bytes())
	c.end(result)
	if code < 0 { // ended by a signal
		return 1
	}
	return code
}
