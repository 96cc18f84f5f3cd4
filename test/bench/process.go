package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// programs are the built files.
type programs struct {
	remanence string
	empty     string // does nothing
	starter   string // runs and measures the others, see there
	bash      string
	node      string // empty if there is none
}

// call is one process to run.
type call struct {
	args  []string // with the program's absolute path
	env   []string
	dir   string
	stdin []byte
}

// sample is what one process cost.
type sample struct {
	wall   time.Duration
	cpu    time.Duration // user and system
	rss    int64         // most bytes resident; no less than the starter's own, some 2 MB
	answer []byte        // what it printed
}

// buildAll builds the program as it is released and what is needed to measure it.
func buildAll(ctx context.Context, dir string) (programs, error) {
	p := programs{
		remanence: filepath.Join(dir, "remanence"),
		empty:     filepath.Join(dir, "empty"),
		starter:   filepath.Join(dir, "starter"),
	}
	for file, pkg := range map[string]string{
		p.remanence: "remanence/cmd/remanence",
		p.empty:     "remanence/test/bench/testdata/empty",
		p.starter:   "remanence/test/bench/testdata/starter",
	} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, pkg)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		return p, err
	}
	if node, err := exec.LookPath("node"); err == nil {
		p.node = node
	}
	p.bash, err = filepath.Abs(bash)
	return p, err
}

// run runs c through the starter. A hook that prints to its standard error or
// ends with anything but 0 is an error.
func (p programs) run(ctx context.Context, c call) (sample, error) {
	in, err := filled(c.stdin)
	if err != nil {
		return sample{}, err
	}
	defer in.Close()
	report, reportEnd, err := os.Pipe()
	if err != nil {
		return sample{}, err
	}
	defer report.Close()
	cmd := exec.CommandContext(ctx, p.starter, c.args...)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.ExtraFiles = c.env, c.dir, in, []*os.File{reportEnd}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	err = cmd.Run()
	_ = reportEnd.Close()
	if err != nil || complaint.Len() > 0 {
		return sample{}, fmt.Errorf("run %s: %w\n%s", c.args[0], errors.Join(err, errLoud(complaint.Len())),
			complaint.Bytes())
	}
	cost, err := io.ReadAll(report)
	if err != nil {
		return sample{}, err
	}
	s, err := read(string(cost))
	s.answer = out.Bytes()
	return s, err
}

func errLoud(n int) error {
	if n == 0 {
		return nil
	}
	return errors.New("it printed to its standard error")
}

// filled returns the end of a pipe from which b can be read. What a pipe holds
// is there at once; the rest comes as it is taken, as it does from an agent.
func filled(b []byte) (*os.File, error) {
	const holds = 4096 // everywhere; most systems' hold 64 KB
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	if len(b) > holds {
		go func() { // ends when all is written, or the reading end is closed
			_, _ = w.Write(b)
			_ = w.Close()
		}()
		return r, nil
	}
	_, err = w.Write(b)
	if cerr := w.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		_ = r.Close()
	}
	return r, err
}

// read reads the starter's report.
func read(report string) (sample, error) {
	var n [5]int64
	fields := strings.Fields(report)
	if len(fields) != len(n) {
		return sample{}, fmt.Errorf("report %q", report)
	}
	for i, f := range fields {
		var err error
		if n[i], err = strconv.ParseInt(f, 10, 64); err != nil {
			return sample{}, fmt.Errorf("report %q: %w", report, err)
		}
	}
	if n[4] != 0 {
		return sample{}, fmt.Errorf("exit status %d", n[4])
	}
	s := sample{wall: time.Duration(n[0]), cpu: time.Duration(n[1] + n[2]), rss: n[3]}
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		s.rss *= 1024 // the others count in kilobytes
	}
	return s, nil
}

// noneLeft proves that no process of the built program runs any more. One that
// does is ended. Without /proc nothing can be seen, and the word of
// `daemon stop` has to do.
func (p programs) noneLeft() error {
	var left []int
	for range 100 {
		if left = p.running(); len(left) == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, pid := range left {
		if proc, err := os.FindProcess(pid); err == nil {
			_ = proc.Kill()
		}
	}
	return fmt.Errorf("left behind: processes %v", left)
}

func (p programs) running() []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if exe, err := os.Readlink(filepath.Join("/proc", e.Name(), "exe")); err == nil && exe == p.remanence {
			pids = append(pids, pid)
		}
	}
	return pids
}
