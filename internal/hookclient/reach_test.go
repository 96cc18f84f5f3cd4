//go:build unix

package hookclient

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/mem"
)

// station is a runtime file and a socket, which a test answers at or not.
type station struct {
	paths    config.Paths
	listener net.Listener
	reach    *client
}

func newStation(t *testing.T) station {
	t.Helper()
	dir, err := os.MkdirTemp("", "rem") // short: a socket's path may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	getenv := environment(map[string]string{"HOME": dir})
	p, err := config.FindPaths(getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.Run, 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(p.Run, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	rt := api.Runtime{Data: p.Data, Socket: l.Addr().String(), Token: "t", Build: config.BuildID()}
	return station{p, l, &client{sys: config.System{Getenv: getenv, Now: time.Now}, paths: p, rt: rt}}
}

// answers makes the station answer events from now on.
func (s station) answers(t *testing.T) {
	srv := &http.Server{Handler: api.Mux(api.Config{Bindings: []api.Binding{
		api.On(api.Event, func(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
	}})}
	go func() { _ = srv.Serve(s.listener) }()
	t.Cleanup(func() { _ = srv.Close() })
}

// shortWait is less than the wait that counts as a long one, and enough to get as
// far as waiting.
const shortWait = 3 * longWait / 4

func (s station) capture(limit time.Duration) error {
	ctx, stop := context.WithTimeout(context.Background(), limit)
	defer stop()
	_, err := s.reach.Handle(ctx, mem.Event{Kind: mem.PostToolUse, Session: "s"})
	return err
}

// waits captures until the wait leaves its stamp: on a busy machine the time of
// one may be up before it has begun to wait, which is not the worker's fault.
func (s station) waits(t *testing.T, stamp string) {
	t.Helper()
	for range 20 {
		if err := s.capture(shortWait); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %v, want a time out", err)
		}
		if config.Exists(stamp) {
			return
		}
	}
	t.Fatalf("20 waits left no %s", filepath.Base(stamp))
}

func TestAWorkerThatTakesCallsAndNeverAnswersIsLeftAloneAfterTwo(t *testing.T) {
	s := newStation(t) // the system accepts the connections, but no process reads
	s.waits(t, s.reach.slowStamp())
	if config.Exists(s.reach.captureHold()) {
		t.Error("captures are held off after one slow call")
	}
	s.waits(t, s.reach.captureHold())
	if err := s.capture(shortWait); !errors.Is(err, errHeldOff) {
		t.Errorf("the third: got %v, want it held off", err)
	}
	// When the hold is over, one more wait is enough.
	if config.Exists(s.reach.holdStamp()) {
		t.Error("questions are held off too, which have more time")
	}
	if err := os.Remove(s.reach.captureHold()); err != nil {
		t.Fatal(err)
	}
	s.waits(t, s.reach.captureHold())
	if err := s.capture(shortWait); !errors.Is(err, errHeldOff) {
		t.Errorf("after the hold: got %v, want it held off", err)
	}
}

func TestAnAnswerInBetweenForgivesASlowOne(t *testing.T) {
	s := newStation(t)
	s.waits(t, s.reach.slowStamp())
	s.answers(t)
	if err := s.capture(time.Minute); err != nil {
		t.Fatal(err)
	}
	if config.Exists(s.reach.slowStamp()) || config.Exists(s.reach.captureHold()) || config.Exists(s.reach.holdStamp()) {
		t.Error("a stamp is left after an answer")
	}
}

func TestOneLongWaitIsEnough(t *testing.T) {
	s := newStation(t)
	if err := s.capture(5 * longWait); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a time out", err)
	}
	if !config.Exists(s.reach.holdStamp()) {
		t.Error("a long wait left no stamp")
	}
}

func TestWhatABusyMachineAddsToAWaitIsNotTheWorkersFault(t *testing.T) {
	begun := time.Now().Add(-time.Minute)
	ctx, stop := context.WithDeadline(t.Context(), begun.Add(shortWait))
	defer stop()
	if got := waitedFor(ctx, begun); got != shortWait {
		t.Errorf("a wait of %s that was looked at a minute later counts as %s", shortWait, got)
	}
	if got := waitedFor(t.Context(), begun); got < time.Minute {
		t.Errorf("a wait of a minute without a limit counts as %s", got)
	}
}

func TestTheWaitEndsBeforeItsTimeSoThatItIsNoted(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	inner, stopInner := withMargin(ctx)
	defer stopInner()
	all, _ := ctx.Deadline()
	if got, ok := inner.Deadline(); !ok || !got.Before(all) {
		t.Errorf("got an end at %v, want it before %v", got, all)
	}
	if free, stopFree := withMargin(t.Context()); free.Err() != nil {
		t.Error("a wait without a limit has ended")
	} else {
		stopFree()
	}
}

func TestOnlyTheOptionsOffMakesEventsQuiet(t *testing.T) {
	for option, want := range map[string]bool{"": false, "on": false, "off": true, "OFF": true, "often": false} {
		if got := isOff(option); got != want {
			t.Errorf("%q: got %v, want %v", option, got, want)
		}
	}
	seen := &seenEvent{}
	if _, err := (injectionOff{seen}).Handle(t.Context(), mem.Event{ID: "e"}); err != nil || !seen.event.InjectionOff ||
		seen.event.ID != "e" {
		t.Errorf("got %+v, %v", seen.event, err)
	}
}

type seenEvent struct{ event mem.Event }

func (s *seenEvent) Handle(_ context.Context, e mem.Event) (mem.Reply, error) {
	s.event = e
	return mem.Reply{}, nil
}

func TestWhoHandsAnEventInAgainSaysSo(t *testing.T) {
	s := newStation(t)
	var got mem.Event
	mux := api.Mux(api.Config{
		Bindings: []api.Binding{api.On(api.Event, func(_ context.Context, e mem.Event) (mem.Reply, error) {
			got = e
			return mem.Reply{Context: "injected"}, nil
		})},
		Health: func() api.Health { return api.Health{Status: api.OK} },
	})
	var calls atomic.Int32
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			panic(http.ErrAbortHandler) // the worker ends before it has answered
		}
		mux.ServeHTTP(w, r)
	}), ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = srv.Serve(s.listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	if err := s.reach.rt.Write(s.paths.Runtime()); err != nil {
		t.Fatal(err)
	}
	touch(s.reach.startStamp()) // another hook starts the next worker
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	r, err := s.reach.Handle(ctx, mem.Event{ID: "e", Kind: mem.UserPromptSubmit, Session: "s"})
	if err != nil || r.Context != "injected" {
		t.Fatalf("got %+v, %v", r, err)
	}
	if !got.Redelivered || got.ID != "e" {
		t.Errorf("the next worker saw %+v", got)
	}
}

// A hook that read the runtime file just before a new worker wrote it has the old
// token: its question is asked again.
func TestAQuestionIsAskedAgainOfAWorkerThatJustCame(t *testing.T) {
	s := newStation(t)
	now := s.reach.rt
	now.Token = "new"
	srv := &http.Server{Handler: api.Guard(api.Access{Hosts: []string{api.SocketHost}, Token: now.Token},
		api.Mux(api.Config{Bindings: []api.Binding{
			api.On(api.Event, func(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{Context: "known"}, nil }),
		}}))}
	go func() { _ = srv.Serve(s.listener) }()
	t.Cleanup(func() { _ = srv.Close() })
	if err := now.Write(s.paths.Runtime()); err != nil {
		t.Fatal(err)
	}
	got, err := s.reach.Handle(t.Context(), mem.Event{Kind: mem.UserPromptSubmit, Session: "s"})
	if err != nil || got.Context != "known" {
		t.Errorf("got %+v, %v; want the answer", got, err)
	}
}
