//go:build fire

package soak

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sample is what a process takes at one time, in bytes unless named otherwise.
type sample struct {
	at      time.Time
	events  int64 // given so far
	rss     int64
	anon    int64 // memory that belongs to no file
	wal     int64
	threads int
	files   int           // descriptors
	conns   int           // those of them that are sockets
	slept   int64         // times its threads went to sleep by themselves
	cpu     time.Duration // used so far
}

// look measures a process that must be there.
func look(t testing.TB, pid int, database string) sample {
	t.Helper()
	s, err := measure(pid, database)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func measure(pid int, database string) (sample, error) {
	dir := fmt.Sprintf("/proc/%d", pid)
	s := sample{at: time.Now()}
	status, err := fields(filepath.Join(dir, "status"))
	if err != nil {
		return s, err
	}
	s.rss, s.threads = status["VmRSS"]<<10, int(status["Threads"])
	memory, err := fields(filepath.Join(dir, "smaps_rollup"))
	if err != nil {
		return s, err
	}
	s.anon = memory["Anonymous"] << 10
	tasks, _ := filepath.Glob(filepath.Join(dir, "task/*/status"))
	for _, task := range tasks {
		if status, err := fields(task); err == nil { // a thread may have ended
			s.slept += status["voluntary_ctxt_switches"]
		}
	}
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		return s, err
	}
	for _, fd := range fds {
		s.files++
		if to, err := os.Readlink(filepath.Join(dir, "fd", fd.Name())); err == nil && strings.HasPrefix(to, "socket:") {
			s.conns++
		}
	}
	if info, err := os.Stat(database + "-wal"); err == nil {
		s.wal = info.Size()
	}
	s.cpu, err = cpu(dir)
	return s, err
}

// fields reads the numbers of a file of lines "Name: number …".
func fields(file string) (map[string]int64, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	out := map[string]int64{}
	for line := range strings.Lines(string(b)) {
		name, rest, _ := strings.Cut(line, ":")
		if f := strings.Fields(rest); len(f) > 0 {
			out[name], _ = strconv.ParseInt(f[0], 10, 64)
		}
	}
	return out, nil
}

// cpu is the time a process has used, from the clock ticks (100 a second on
// every Linux) of its 14th and 15th field, counted after the name.
func cpu(dir string) (time.Duration, error) {
	b, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0, err
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond, nil
}

// slope is the growth of y for each x, by least squares.
func slope(x, y []float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for i := range x {
		n, sx, sy, sxx, sxy = n+1, sx+x[i], sy+y[i], sxx+x[i]*x[i], sxy+x[i]*y[i]
	}
	if d := n*sxx - sx*sx; d != 0 {
		return (n*sxy - sx*sy) / d
	}
	return 0
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }
