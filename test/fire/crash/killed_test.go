//go:build fire

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/test/tier"
	"remanence/test/world"
)

// What the clients of the killed know of an event.
const (
	sent    = iota // given to a process that may have died with it
	ended          // its hook ended by itself, in time: kept, or counted as lost
	durable        // the worker or the spool acknowledged it
)

// storm is a number of clients that report events while their hooks and the
// worker are killed. They keep a history of their own.
type storm struct {
	*world.Person
	spool *spool.Spool
	next  atomic.Int64
	over  atomic.Bool
	late  atomic.Int64 // hooks that did not end in time

	mu      sync.Mutex
	history map[string]int // fate by mark
	hooks   map[int]bool   // pids of the running ones
	spooled int            // acknowledged by the spool, of the direct clients
}

const (
	hookClients   = 2
	socketClients = 6
	sessionEvents = 150 // events of one session
	// vain is how often in a row no process is found to kill before it is given up.
	vain = 2000
	// patience of a socket client with the worker.
	patience = 500 * time.Millisecond
	// pause of a socket client after an event that no worker took, so that
	// what is spooled can be taken in again.
	pause = 25 * time.Millisecond
	// glance is how long the person waits for the overview before asking again.
	glance = 250 * time.Millisecond
)

func TestKilledProcessesLoseNothingAndStoreNothingTwice(t *testing.T) {
	r := tier.Rand(t)
	kills := killsAsked(t, tier.Runs(100, 1000))
	p := newPerson(t)
	p.Env = append(p.Env, "REMANENCE_SPOOL_MAX_BYTES=2000000000")
	s := &storm{Person: p, spool: p.Spool(), history: map[string]int{}, hooks: map[int]bool{}}
	begun := time.Now()

	var all sync.WaitGroup
	for range hookClients {
		r := split(r)
		all.Go(func() { s.callHooks(r) })
	}
	for range socketClients {
		r := split(r)
		all.Go(func() { s.callWorker(r) })
	}
	all.Go(s.lookAtIt)
	workers, hooks := s.kill(r, kills)
	s.over.Store(true)
	all.Wait()
	stormed := time.Since(begun)

	left := s.takeIn()
	db := openDatabase(t, p)
	got := stored(t, db)
	var lost, doubled, unsent, acknowledged, exits int
	for m, fate := range s.history {
		switch {
		case fate == durable && got[m] == 0:
			lost++
		case fate == ended && got[m] == 0:
			exits++
		}
		if fate >= ended {
			acknowledged++
		}
		if got[m] > 1 {
			doubled++
		}
	}
	for m := range got {
		if _, ok := s.history[m]; !ok {
			unsent++
			t.Logf("kept and never sent: %q", m)
		}
	}
	dropped := 0
	for reason, n := range spool.Counters(p.State() + "/spool") {
		dropped += int(n)
		t.Logf("counted as lost: %d %s", n, reason)
	}
	t.Logf("%d kills (%d workers, %d hooks) in %s: %d events, %d acknowledged (%d by the spool to socket clients), %d "+
		"kept, %d lost, %d doubled; %d hooks ended in time without their event, %d late ones, %d counted; left in the "+
		"spool %d",
		workers+hooks, workers, hooks, stormed.Round(time.Second), len(s.history), acknowledged, s.spooled, len(got), lost,
		doubled, exits, s.late.Load(), dropped, left)
	if lost > 0 || doubled > 0 || unsent > 0 || left > 0 {
		t.Errorf("lost %d, doubled %d, never sent %d, left %d: want none", lost, doubled, unsent, left)
	}
	if exits > dropped {
		t.Errorf("%d hooks ended in time without their event and only %d events are counted as lost", exits, dropped)
	}
	checkWhole(t, db)
}

// kill kills workers and hooks at random times, so many in all. Between two kills
// there are events: what is at stake is what is on its way then, and all that
// a worker took in since it was started.
func (s *storm) kill(r *rand.Rand, kills int) (workers, hooks int) {
	eventsPerKill := int64(tier.Runs(40, 101))
	for none := 0; workers+hooks < kills; {
		time.Sleep(time.Duration(15+r.IntN(141)) * time.Millisecond)
		if s.next.Load() < eventsPerKill*int64(workers+hooks) {
			continue
		}
		if none++; none > vain {
			s.T.Errorf("only %d of %d kills found a process to kill", workers+hooks, kills)
			return workers, hooks
		}
		if r.IntN(4) == 0 {
			if s.killHook() {
				hooks, none = hooks+1, 0
			}
			continue
		}
		if pids := s.Workers(); len(pids) > 0 && syscall.Kill(pids[r.IntN(len(pids))], syscall.SIGKILL) == nil {
			workers, none = workers+1, 0
		}
	}
	return workers, hooks
}

func (s *storm) killHook() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for pid := range s.hooks {
		return syscall.Kill(pid, syscall.SIGKILL) == nil
	}
	return false
}

// scenes makes the events of one client.
func (s *storm) scenes(r *rand.Rand, client string) func() scene {
	n := 0
	return func() scene {
		n++
		sc := scene{mark: mark(s.next.Add(1)), kind: kinds[r.IntN(len(kinds))], session: fmt.Sprintf("%s-%d", client,
			n/sessionEvents)}
		s.note(sc, sent)
		return sc
	}
}

func (s *storm) note(sc scene, fate int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.history[sc.mark] = fate
}

// callHooks calls one hook after the other.
func (s *storm) callHooks(r *rand.Rand) {
	next := s.scenes(r, fmt.Sprintf("hooks-%x", r.Uint32()))
	for !s.over.Load() {
		sc := next()
		cmd := s.HookCommand(sc.payload(s.Person))
		begun := time.Now()
		if err := s.startHook(cmd); err != nil {
			s.T.Errorf("start a hook: %v", err)
			return
		}
		err := cmd.Wait()
		s.mu.Lock()
		delete(s.hooks, cmd.Process.Pid)
		s.mu.Unlock()
		var exit *exec.ExitError
		switch {
		case err == nil && time.Since(begun) < inTime:
			s.note(sc, ended)
		case err == nil: // its hard limit may have come before it could even count what it lost
			s.late.Add(1)
		case !errors.As(err, &exit) || exit.Exited():
			s.T.Errorf("hook: %v, want status 0", err)
		}
	}
}

func (s *storm) startHook(cmd *exec.Cmd) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return err
	}
	s.hooks[cmd.Process.Pid] = true
	return nil
}

// lookAtIt is a person who asks for the overview, again and again. Commands
// start a worker as hooks do, and hooks leave one alone for seconds that was
// killed before it could answer.
func (s *storm) lookAtIt() {
	for !s.over.Load() {
		ctx, stop := context.WithTimeout(context.Background(), glance)
		cmd := s.Command("status")
		killed := exec.CommandContext(ctx, cmd.Path, cmd.Args[1:]...)
		killed.Env, killed.Dir = cmd.Env, cmd.Dir
		_ = killed.Run() // it may find no process in time
		<-ctx.Done()
		stop()
	}
}

// callWorker speaks to the worker's socket as a hook does, without its process.
func (s *storm) callWorker(r *rand.Rand) {
	next := s.scenes(r, fmt.Sprintf("socket-%x", r.Uint32()))
	for !s.over.Load() {
		sc := next()
		e := sc.event(s.Person)
		if s.answered(e) {
			s.note(sc, durable)
			continue
		}
		if r.IntN(8) == 0 {
			continue // as a hook that dies before it could spool
		}
		if _, err := s.spool.Handle(context.Background(), e); err != nil {
			s.T.Errorf("spool: %v", err)
			continue
		}
		s.note(sc, durable)
		s.mu.Lock()
		s.spooled++
		s.mu.Unlock()
		time.Sleep(pause)
	}
}

func (s *storm) answered(e mem.Event) bool {
	rt, err := s.Runtime()
	if err != nil {
		return false
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	_, err = api.Event.Call(ctx, rt.Client("test"), e)
	return err == nil
}

// takeIn has what is spooled taken in and returns how many events are left. A
// worker gives a backlog a share of its time only; without it all goes at once.
func (s *storm) takeIn() int {
	s.StartWorker()
	s.StopWorker()
	last := -1
	for {
		st, err := s.spool.Stat()
		if err != nil {
			s.T.Fatal(err)
		}
		if st.Records == 0 || st.Records == last {
			return st.Records
		}
		last = st.Records
		_, _ = s.Command("doctor", "--fix", "--no-daemon").Output() // finding something is a status of its own
	}
}
