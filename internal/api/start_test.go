//go:build unix

package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"remanence/internal/api"
)

// seen is what a started program finds around it.
type seen struct {
	Env      []string
	Dir      string
	Session  bool // leads a session of its own
	Null     bool // 0, 1 and 2 are the null device
	Inherits bool // the file that its starter had open is open here
	PID      int
}

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "look-around" {
		lookAround(os.Args[2], os.Args[3])
		return
	}
	goleak.VerifyTestMain(m)
}

func TestStartedProgramInheritsNothing(t *testing.T) {
	t.Setenv("SECRET", "x")
	fd, err := syscall.Dup(1) // what an agent left open for us: without the mark that Go sets
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report")
	err = api.Start(api.Program{
		Binary: binary,
		Args:   []string{"look-around", report, strconv.Itoa(fd)},
		Env:    []string{"HOME=/h"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := await(t, report)
	buried(t, got.PID)
	want := seen{Env: []string{"HOME=/h"}, Dir: "/", Session: true, Null: true}
	if !slices.Equal(got.Env, want.Env) || got.Dir != want.Dir || got.Session != want.Session || got.Null != want.Null ||
		got.Inherits != want.Inherits {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A server of tools runs for days, in which workers start, go idle and end.
func TestStartedProgramThatEndsLeavesNoZombie(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(t.TempDir(), "report")
	if err := api.Start(api.Program{Binary: binary, Args: []string{"look-around", report, "0"}}); err != nil {
		t.Fatal(err)
	}
	buried(t, await(t, report).PID)
}

func TestMissingProgramIsAnError(t *testing.T) {
	if err := api.Start(api.Program{Binary: filepath.Join(t.TempDir(), "none")}); err == nil {
		t.Error("got nil, want an error")
	}
}

// lookAround is the started program.
func lookAround(report, fd string) {
	n, _ := strconv.Atoi(fd)
	var st syscall.Stat_t
	s := seen{PID: os.Getpid(), Env: os.Environ(), Null: true, Inherits: syscall.Fstat(n, &st) == nil}
	s.Dir, _ = os.Getwd()
	pgid, _ := syscall.Getpgid(0)
	s.Session = pgid == os.Getpid()
	null, _ := os.Stat(os.DevNull)
	for _, f := range []*os.File{os.Stdin, os.Stdout, os.Stderr} {
		info, err := f.Stat()
		s.Null = s.Null && err == nil && os.SameFile(info, null)
	}
	body, _ := json.Marshal(s)
	_ = os.WriteFile(report+".part", body, 0o600)
	_ = os.Rename(report+".part", report)
}

func await(t *testing.T, report string) seen {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if body, err := os.ReadFile(report); err == nil {
			var s seen
			if err := json.Unmarshal(body, &s); err != nil {
				t.Fatal(err)
			}
			return s
		}
	}
	t.Fatal("the program never reported")
	return seen{}
}

// buried waits until a process has ended and was waited for.
func buried(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d has ended, and is not waited for", pid)
		}
	}
}
