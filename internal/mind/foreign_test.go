//go:build unix

package mind

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/workstate"
)

func (d *fixture) tries(ask workstate.Request) error {
	ctx, done := context.WithTimeout(d.t.Context(), 2*time.Second)
	defer done()
	_, err := d.Change(ctx, d.p, ask)
	return err
}

func (d *fixture) update(phase string) error {
	return d.tries(workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Phase: &phase}})
}

// TestAFileThatIsNoneIsLeftAlone puts in the place of STATE.md what a hostile or
// damaged repository may: nothing is read of it, nothing written, nothing
// outside touched, and it is said.
func TestAFileThatIsNoneIsLeftAlone(t *testing.T) {
	for name, lay := range map[string]func(d *fixture, outside string) error{
		"link to a file outside": func(d *fixture, outside string) error { return os.Symlink(outside, d.path(stateFile)) },
		"link to a file inside":  func(d *fixture, _ string) error { return os.Symlink(logFile, d.path(stateFile)) },
		"second name of a file":  func(d *fixture, outside string) error { return os.Link(outside, d.path(stateFile)) },
		"pipe":                   func(d *fixture, _ string) error { return syscall.Mkfifo(d.path(stateFile), 0o600) },
		"huge": func(d *fixture, _ string) error {
			return os.WriteFile(d.path(stateFile), []byte(strings.Repeat("## Current Phase\nOkapi\n", 60_000)), 0o600)
		},
		"binary": func(d *fixture, _ string) error {
			return os.WriteFile(d.path(stateFile), []byte("## Current Phase\nOkapi\x00"), 0o600)
		},
		"an open merge": func(d *fixture, _ string) error {
			return os.WriteFile(d.path(stateFile),
				[]byte("## Current Phase\n<<<<<<< HEAD\nOkapi\n=======\nZebra\n>>>>>>> other\n"), 0o600)
		},
		"not UTF-8": func(d *fixture, _ string) error {
			return os.WriteFile(d.path(stateFile), []byte("## Current Phase\nOkapi\xff"), 0o600)
		},
	} {
		d := newFixture(t, "forge")
		outside := filepath.Join(t.TempDir(), "mine.md")
		if err := os.WriteFile(outside, []byte("## Current Phase\nOkapi\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(d.path(stateFile)), lay(d, outside)); err != nil {
			t.Fatal(err)
		}
		before, _ := os.Lstat(d.path(stateFile))
		m := d.look()
		if m.Phase != "" || len(m.Decisions) != 2 {
			t.Errorf("%s: phase %q, %d decisions; want nothing of that file and all of the others", name, m.Phase,
				len(m.Decisions))
		}
		if len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "STATE.md is not read: ") ||
			strings.Count(m.Warnings[0], ":") > 2 || strings.Count(m.Warnings[0], "STATE.md") != 1 {
			t.Errorf("%s: warnings %q", name, m.Warnings)
		}
		if err := d.update("x"); !errors.Is(err, mem.ErrUnsafe) {
			t.Errorf("%s: written: %v", name, err)
		}
		after, err := os.Lstat(d.path(stateFile))
		if err != nil || !os.SameFile(before, after) {
			t.Errorf("%s: replaced, %v", name, err)
		}
		if b, err := os.ReadFile(outside); err != nil || string(b) != "## Current Phase\nOkapi\n" {
			t.Errorf("%s: what lies outside is now %q, %v", name, b, err)
		}
		if b, _ := os.ReadFile(d.path(logFile)); !strings.HasPrefix(string(b), "# Session Log\n") {
			t.Errorf("%s: the log is now %q", name, b)
		}
	}
}

func TestADirectoryThatLeadsAwayIsNotEntered(t *testing.T) {
	outside := newFixture(t, "forge")
	for _, name := range []string{workstate.Dir, checkpointDir} {
		for _, inside := range []bool{false, true} {
			d := newFixture(t, "")
			at, to := filepath.Join(d.p.Root, workstate.Dir), filepath.Join(outside.p.Root, workstate.Dir)
			if name == checkpointDir {
				d.write(stateFile, "# S\n\n## Current Phase\nx\n")
				at = d.path(checkpointDir)
			}
			if inside { // of the project, and not of its state files
				to = filepath.Join(d.p.Root, "src")
				if err := os.CopyFS(to, os.DirFS("testdata/forge")); err != nil {
					t.Fatal(err)
				}
				if rel, err := filepath.Rel(filepath.Dir(at), to); err == nil {
					to = rel
				}
			}
			if err := os.Symlink(to, at); err != nil {
				t.Fatal(err)
			}
			watched := outside.p.Root
			if inside {
				watched = filepath.Join(d.p.Root, "src")
			}
			before := tree(t, watched)
			_ = d.Note(t.Context(), d.p, workstate.Notes{
				At: d.now, TurnEnded: true, Compaction: "auto", EndReason: "other",
				Files: []string{"a"},
			})
			if m := d.look(); m.Present && name == workstate.Dir {
				t.Errorf("%s: it is taken for state files", name)
			}
			if after := tree(t, watched); after != before {
				t.Errorf("%s, inside %v: written there:\n%s", name, inside, after)
			}
		}
	}
}

func TestALockLeftBehindIsTakenAwayAndAFreshOneWaitedFor(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(lockName, "left behind")
	d.old(lockName, 31*time.Second)
	if err := d.update("after the lock"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(d.path(lockName)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock is still there: %v", err)
	}
	d.write(lockName, "held")
	ctx, done := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer done()
	if _, err := d.Change(ctx, d.p, workstate.Request{
		Op:     workstate.OpUpdate,
		Update: workstate.Update{Phase: new("x")},
	}); !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	if d.look().Phase != "after the lock" || d.file(lockName) != "held" {
		t.Error("it was written past the lock")
	}
}

func TestALockOfAClockThatWasWrongIsTakenAway(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(lockName, "left behind")
	d.old(lockName, -48*time.Hour)
	ctx, done := context.WithTimeout(t.Context(), 10*time.Second) // which it would wait for
	defer done()
	if _, err := d.Change(ctx, d.p, workstate.Request{
		Op:     workstate.OpUpdate,
		Update: workstate.Update{Phase: new("x")},
	}); err != nil {
		t.Error(err)
	}
}

func TestALockThatCannotBeTakenAwayIsNotTriedWithoutEnd(t *testing.T) {
	d := newFixture(t, "forge")
	d.write(lockName+"/file", "a directory in its place, which is not empty")
	d.old(lockName, 31*time.Second)
	if err := d.update("x"); err == nil {
		t.Error("it was written past the lock")
	}
}

func TestALockThatAnotherTookSinceIsLeftAlone(t *testing.T) {
	d := newFixture(t, "forge")
	f, err := openFolder(d.p.Root, workstate.Dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.close()
	unlock, err := f.lock(t.Context(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	d.write(lockName, "another's") // who found it left behind
	unlock()
	if got := d.file(lockName); got != "another's" {
		t.Errorf("the lock holds %q", got)
	}
}

// TestOfTwoThatFindALockLeftBehindOneTakesIt lets a second one come in between
// the looks of the first at the lock and what it does.
func TestOfTwoThatFindALockLeftBehindOneTakesIt(t *testing.T) {
	for look := 2; look <= 3; look++ {
		d := newFixture(t, "forge")
		d.write(lockName, "left behind")
		d.old(lockName, 31*time.Second)
		first, err := openFolder(d.p.Root, workstate.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer first.close()
		second, err := openFolder(d.p.Root, workstate.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer second.close()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		over, end := context.WithCancel(t.Context())
		end()
		looks, both := 0, 0
		_, err = first.lock(ctx, func() time.Time {
			if looks++; looks == look {
				if _, err := second.lock(over, time.Now); err == nil {
					both++
					cancel()
				}
			}
			return time.Now()
		})
		if err == nil {
			both++
		}
		if both != 1 {
			t.Errorf("at look %d: %d hold the lock, want one", look, both)
		}
	}
}

// TestWhereNothingCanBeWrittenNothingIsLost lets every write end half way, as
// on a full disk or one that may not be written.
func TestWhereNothingCanBeWrittenNothingIsLost(t *testing.T) {
	for cause, want := range map[error]error{
		syscall.ENOSPC: mem.ErrFull, syscall.EDQUOT: mem.ErrFull,
		syscall.EROFS: mem.ErrReadOnly, syscall.EACCES: mem.ErrReadOnly,
	} {
		for _, first := range []int{0, 1} { // the lock itself, or the first file
			d := newFixture(t, "forge")
			before := tree(t, d.p.Root)
			n := 0
			d.put = func(f *os.File, b []byte) (int, error) {
				if n++; n <= first {
					return f.Write(b)
				}
				written, _ := f.Write(b[:len(b)/2])
				return written, cause
			}
			if err := d.update("x"); !errors.Is(err, want) {
				t.Errorf("%v: update: %v", cause, err)
			}
			n = 0
			if _, err := d.Compress(t.Context(), d.p, false); first == 0 && !errors.Is(err, want) {
				t.Errorf("%v: compress: %v", cause, err)
			}
			n = 0
			err := d.Note(t.Context(), d.p, workstate.Notes{
				At: d.now, TurnEnded: true, Compaction: "auto", EndReason: "other",
				Files: []string{"a.go"}, Done: []string{"Token rotation"},
			})
			if !errors.Is(err, want) {
				t.Errorf("%v: note: %v", cause, err)
			}
			if after := tree(t, d.p.Root); after != before {
				t.Errorf("%v: got\n%s", cause, after)
			}
		}
	}
}

func TestConcurrentEditByAPersonIsMerged(t *testing.T) {
	d := newFixture(t, "forge")
	hand := true
	d.put = func(f *os.File, b []byte) (int, error) {
		if hand && strings.Contains(f.Name(), stateFile) { // it saves while we write ours
			hand = false
			d.write(stateFile, strings.Replace(d.file(stateFile), "Ask Ines before", "Ask Ines and Jo before", 1))
		}
		return f.Write(b)
	}
	if err := d.update("Phase 3"); err != nil {
		t.Fatal(err)
	}
	got := d.file(stateFile)
	if !strings.Contains(got, "Ask Ines and Jo before") || !strings.Contains(got, "## Current Phase\nPhase 3\n") {
		t.Errorf("got\n%s", got)
	}
}

func TestAStateFileKeepsItsMode(t *testing.T) {
	d := newFixture(t, "forge")
	if err := os.Chmod(d.path(stateFile), 0o666); err != nil { // more than a new file would get
		t.Fatal(err)
	}
	if err := d.update("x"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(d.path(stateFile)); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("got %v, %v", info.Mode(), err)
	}
}

func TestAReadOnlyFileIsReadAndNotWritten(t *testing.T) {
	d := newFixture(t, "forge")
	if err := os.Chmod(d.path(stateFile), 0o444); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(d.path(stateFile))
	if err != nil {
		t.Fatal(err)
	}
	if m := d.look(); m.Phase == "" || len(m.Warnings) > 0 {
		t.Errorf("phase %q, warnings %q; want it read", m.Phase, m.Warnings)
	}
	if err := d.update("Okapi"); !errors.Is(err, mem.ErrUnsafe) || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("written: %v, want an error that says why not", err)
	}
	if after, err := os.ReadFile(d.path(stateFile)); err != nil || !slices.Equal(before, after) {
		t.Errorf("it is now %q, %v", after, err)
	}
}
