package api

import (
	"fmt"
	"os"
)

// Program is the command line of a daemon.
type Program struct {
	Binary string   // absolute path
	Args   []string // without the program's name
	Env    []string // the complete environment
}

// Start starts a daemon and does not wait until it answers: see Wait. The process
// gets its own session, the null device for standard input, output and error, and no
// other open file of this process, so that readers of our output do not wait for it.
// A goroutine reaps the process when it ends. That goroutine cannot be stopped: an
// MCP server outlives many daemons, and each would remain as a zombie.
func Start(p Program) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	defer null.Close()
	closeFilesOnExec()
	proc, err := os.StartProcess(p.Binary, append([]string{p.Binary}, p.Args...), &os.ProcAttr{
		Dir:   rootDir,
		Env:   append([]string{}, p.Env...), // nil would inherit ours
		Files: []*os.File{null, null, null},
		Sys:   detached(),
	})
	if err != nil {
		return fmt.Errorf("start daemon: %w", err)
	}
	go func() { _, _ = proc.Wait() }()
	return nil
}
