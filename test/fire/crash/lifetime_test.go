//go:build fire

package crash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/test/tier"
	"remanence/test/world"
)

func TestDaemonEndsWhenItsFilesAreRemoved(t *testing.T) {
	for name, take := range map[string]func(*world.Person, api.Runtime) error{
		"its program is gone":     func(p *world.Person, _ api.Runtime) error { return os.Remove(p.Program) },
		"its program is replaced": func(p *world.Person, _ api.Runtime) error { return replace(p.Program) },
		"its socket is gone":      func(_ *world.Person, rt api.Runtime) error { return os.Remove(rt.Socket) },
		"its data is gone": func(p *world.Person, _ api.Runtime) error {
			return os.Rename(p.Data(), p.Data()+".away")
		},
		"its database is gone": func(p *world.Person, _ api.Runtime) error {
			return os.Remove(filepath.Join(p.Data(), "remanence.db"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t)
			own := filepath.Join(t.TempDir(), "remanence")
			if err := copyFile(world.Binary, own); err != nil {
				t.Fatal(err)
			}
			p.Program = own
			rt := p.StartWorker()
			if err := take(p, rt); err != nil {
				t.Fatal(err)
			}
			if !p.Eventually(func() bool { return len(p.Workers()) == 0 }) {
				t.Error("it runs on")
			}
			p.Program = world.Binary // for the end
		})
	}
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o700)
}

// replace puts another file in the place of one, as an update does.
func replace(file string) error {
	if err := copyFile(file, file+".new"); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

func TestAnIdleDaemonEndsAndTheNextHookStartsOne(t *testing.T) {
	p := patient(t)
	p.Env = append(p.Env, "REMANENCE_WORKER_IDLE_EXIT=1s")
	for n := range 2 {
		p.Hook(scene{mark: mark(int64(n)), session: "s", kind: kinds[0]}.payload(p))
		bring(t, p, n)
		if got := served(t, p); got != n+1 {
			t.Fatalf("%d workers served after %d times", got, n+1)
		}
		if !p.Eventually(func() bool { return len(p.Workers()) == 0 }) {
			t.Fatal("it does not end")
		}
		rt, err := p.Runtime()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(rt.Socket); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("its socket is left: %v", err)
		}
		time.Sleep(1100 * time.Millisecond) // a start is not tried twice in a second
	}
	got := stored(t, openDatabase(t, p))
	if got[mark(0)] != 1 || got[mark(1)] != 1 {
		t.Errorf("kept %v, want both events once", got)
	}
}

func TestAStoppedDaemonHasStoredWhatItAcknowledged(t *testing.T) {
	for round := range tier.Runs(3, 50) {
		p := newPerson(t)
		rt := p.StartWorker()
		var all sync.WaitGroup
		var mu sync.Mutex
		acknowledged, refused := map[string]bool{}, 0
		for n := range 8 {
			all.Go(func() {
				for i := range 10_000 {
					s := scene{mark: mark(int64(n*10_000 + i)), session: fmt.Sprint("s", n), kind: kinds[i%len(kinds)]}
					ctx, stop := context.WithTimeout(context.Background(), 10*time.Second)
					_, err := api.Event.Call(ctx, rt.Client("test"), s.event(p))
					stop()
					mu.Lock()
					if err == nil {
						acknowledged[s.mark] = true
					} else {
						refused++
					}
					mu.Unlock()
					if errors.Is(err, api.ErrUnreachable) {
						return
					}
				}
			})
		}
		time.Sleep(300 * time.Millisecond)
		if err := syscall.Kill(rt.PID, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		all.Wait()
		if !p.Eventually(func() bool { return len(p.Workers()) == 0 }) {
			t.Fatal("it does not end")
		}
		db := openDatabase(t, p)
		got := stored(t, db)
		lost := 0
		for m := range acknowledged {
			if got[m] != 1 {
				lost++
			}
		}
		t.Logf("round %d: %d acknowledged, %d refused or cut off, %d kept, %d lost or doubled", round+1, len(acknowledged),
			refused, len(got), lost)
		// What was cut off may be kept or not; it is one call a client at most.
		if lost > 0 || len(acknowledged) == 0 || len(got) > len(acknowledged)+8 {
			t.Errorf("%d acknowledged, %d kept, %d lost or doubled", len(acknowledged), len(got), lost)
		}
		checkWhole(t, db)
	}
}
