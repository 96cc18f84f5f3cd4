//go:build unix

package spool_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"remanence/internal/mem"
	"remanence/internal/spool"
)

// playScene is what a process of the tests below does.
func playScene(scene, dir string) {
	switch scene {
	case "drain": // says what it keeps, and keeps on until it is killed
		s := spool.Open(spool.Config{Dir: dir})
		_, _ = s.Drain(context.Background(), 0, func(_ context.Context, events []mem.Event) error {
			for _, e := range events {
				fmt.Println(e.PromptID)
			}
			return nil
		})
	case "small files": // no file may grow beyond 1,000 bytes
		limit := syscall.Rlimit{Cur: 1000, Max: 1000}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Println(err)
		}
		fallthrough
	case "no umask":
		syscall.Umask(0o777)
		for i := range 20 {
			if _, err := spool.Open(spool.Config{Dir: dir}).Handle(context.Background(), prompt("a", i)); err != nil {
				fmt.Println(err)
			}
		}
	}
}

func scene(name, dir string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "SPOOL_TEST_DIR="+dir, "SPOOL_TEST_SCENE="+name)
	return cmd
}

func TestKilledDrainsLoseNothing(t *testing.T) {
	s, dir := open(t)
	for i := range 1000 {
		put(t, s, prompt("a", i))
	}
	got := map[string]bool{}
	for _, kill := range []int{1, 199, 200, 201, 555} { // after so many events
		cmd := scene("drain", dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 1; lines.Scan(); n++ {
			got[lines.Text()] = true
			if n == kill {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
	}
	for _, id := range drain(t, spool.Open(spool.Config{Dir: dir})) {
		got[id] = true
	}
	if len(got) != 1000 || !s.Empty() {
		t.Errorf("got %d different events, empty %t; want 1000, true", len(got), s.Empty())
	}
}

func TestLogThatTakesNoMoreCostsNoEvent(t *testing.T) {
	for name, damaged := range map[string]int64{"small files": 1, "no umask": 0} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t)
			if out, err := scene(name, dir).CombinedOutput(); err != nil || len(out) > 0 {
				t.Fatalf("%v: %s", err, out)
			}
			got := drain(t, s)
			if len(got) != 20 || !slices.IsSortedFunc(got, func(a, b string) int { return number(a) - number(b) }) {
				t.Errorf("got %v; want 20 events in order", got)
			}
			if n := spool.Counters(dir)["damaged"]; (n > 0) != (damaged > 0) {
				t.Errorf("counted %d damaged, want %d", n, damaged)
			}
		})
	}
}

func number(id string) (n int) {
	_, _ = fmt.Sscanf(id, "a-%d", &n)
	return n
}

func TestOddFileInPlaceOfTheLogIsLeftAlone(t *testing.T) {
	for name, place := range map[string]func(path string) error{
		"fifo":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":   func(path string) error { return os.Symlink("/dev/full", path) },
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := open(t)
			if err := os.MkdirAll(filepath.Join(dir, "pending"), 0o700); err != nil {
				t.Fatal(err)
			}
			log := filepath.Join(dir, "pending", "events.log")
			if err := place(log); err != nil {
				t.Fatal(err)
			}
			put(t, s, prompt("a", 1))
			if got, want := drain(t, s), []string{"a-1"}; !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if _, err := os.Lstat(log); err != nil {
				t.Errorf("the odd file is gone: %v", err)
			}
		})
	}
}

func TestSingleRecordsWaitForTheLogTheyCameAfter(t *testing.T) {
	s, dir := open(t)
	put(t, s, prompt("a", 1))
	lock := flock.New(filepath.Join(dir, "log.lock"))
	if ok, err := lock.TryLock(); !ok {
		t.Fatal(err)
	}
	put(t, s, prompt("a", 2))
	if got := drain(t, s); len(got) != 0 {
		t.Errorf("with the log out of reach got %v, want nothing yet", got)
	}
	_ = lock.Close()
	if got, want := drain(t, s), []string{"a-1", "a-2"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLogCutAnywhereKeepsWhatIsWhole(t *testing.T) {
	s, dir := open(t)
	log := filepath.Join(dir, "pending", "events.log")
	put(t, s, prompt("a", 1))
	first, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, prompt("a", 2))
	both, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(both); cut++ {
		if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
			t.Fatal(err)
		}
		// What was cut is followed by a later append, as after a short write.
		if err := os.WriteFile(log, both[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		put(t, s, prompt("a", 3))
		var want []string
		if cut >= len(first) {
			want = append(want, "a-1")
		}
		if cut == len(both) {
			want = append(want, "a-2")
		}
		want = append(want, "a-3")
		if got := drain(t, s); !slices.Equal(got, want) {
			t.Fatalf("cut at %d of %d: got %v, want %v", cut, len(both), strings.Join(got, " "), want)
		}
	}
}
