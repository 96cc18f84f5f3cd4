package api

import (
	"fmt"
	"os"
)

// Program is how to run a worker.
type Program struct {
	Binary string   // absolute path
	Args   []string // without the program's name
	Env    []string // the whole environment, nothing is added
}

// Start starts a worker and does not wait for its answer: see Wait. It has its
// own session, the null device for standard input, output and error, and no other
// open file of this process, so that nobody who reads our output waits for it.
// Its end is waited for by a goroutine that nobody stops: a server of tools
// outlives many workers, and each would stay as a zombie.
func Start(p Program) error {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	defer null.Close()
	keepFilesHome()
	proc, err := os.StartProcess(p.Binary, append([]string{p.Binary}, p.Args...), &os.ProcAttr{
		Dir:   rootDir,
		Env:   append([]string{}, p.Env...), // nil would mean our own
		Files: []*os.File{null, null, null},
		Sys:   detached(),
	})
	if err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	go func() { _, _ = proc.Wait() }()
	return nil
}
