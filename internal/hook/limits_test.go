package hook_test

import (
	"context"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"remanence/internal/hook"
	"remanence/internal/mem"
)

// The tests of this file run on a clock of their own.

// What the preparation gives and the end of the time come in the same moment.
func TestHardLimitDuringPrepare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFixture(promptPayload, alwaysHasText(mem.Reply{}))
		s.Slack = 0
		s.Prepare = func(c hook.Config) hook.Config { time.Sleep(250 * time.Millisecond); return c }
		ended := make(chan int, 1)
		s.Exit = func(code int) { ended <- code }
		hook.Run(s.Config)
		if code := <-ended; code != 0 {
			t.Errorf("status %d, want 0", code)
		}
	})
}

func TestHardLimitEndsTheProcess(t *testing.T) {
	for _, c := range []struct {
		name, event, payload string
		want                 time.Duration
	}{
		{"nothing to read", "", "", 250 * time.Millisecond},
		{"nothing to read at a session's start", "session-start", "", 950 * time.Millisecond},
		{"half an object", "", promptPayload[:50], 250 * time.Millisecond},
		{"handler hangs", "", promptPayload, 300 * time.Millisecond},
		{"handler hangs at a session's start", "", `{"hook_event_name":"SessionStart","session_id":"s"}`, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFixture("", hangs(t))
				s.Slack = 0
				r, w := io.Pipe()
				s.Stdin, s.Event = r, c.event
				begun := time.Now()
				ended := make(chan time.Duration, 1)
				s.Exit = func(code int) {
					s.exits = append(s.exits, code)
					ended <- time.Since(begun)
				}
				if c.payload != "" {
					go func() { _, _ = io.WriteString(w, c.payload) }()
				}
				go hook.Run(s.Config)
				if got := <-ended; got != c.want || !slices.Equal(s.exits, []int{0}) {
					t.Errorf("ended after %v with %v; want %v with 0", got, s.exits, c.want)
				}
				if !slices.Equal(s.dropped, []string{hook.DroppedTime}) || s.out.Len() != 0 {
					t.Errorf("dropped %v, printed %q; want the event counted and silence", s.dropped, &s.out)
				}
				_ = w.Close()
			})
		})
	}
}

func TestHangingCounterDoesNotDelayExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		s := newFixture("", hangs(t))
		s.Slack = 0
		r, w := io.Pipe()
		s.Stdin = r
		s.Dropped = func(string) { <-never }
		ended := make(chan struct{})
		begun := time.Now()
		s.Exit = func(int) { close(ended) }
		go hook.Run(s.Config)
		<-ended
		if got := time.Since(begun); got > 300*time.Millisecond {
			t.Errorf("ended after %v", got)
		}
		close(never)
		s.Dropped = nil
		_ = w.Close()
	})
}

func TestHandlersGetTheirSoftLimits(t *testing.T) {
	for kind, want := range map[string]time.Duration{
		"SessionStart": 900 * time.Millisecond, "UserPromptSubmit": 250 * time.Millisecond,
		"PostToolUse": 100 * time.Millisecond, "PostToolUseFailure": 100 * time.Millisecond,
		"SubagentStart": 100 * time.Millisecond,
		"Stop":          25 * time.Millisecond, "SessionEnd": 25 * time.Millisecond, "PreCompact": 25 * time.Millisecond,
	} {
		synctest.Test(t, func(t *testing.T) {
			var worker, spool time.Duration
			begun := time.Now()
			waits := func(took *time.Duration) handler {
				return func(ctx context.Context, _ mem.Event) (mem.Reply, error) {
					until, _ := ctx.Deadline()
					*took = until.Sub(begun)
					<-ctx.Done()
					return mem.Reply{}, ctx.Err()
				}
			}
			s := newFixture(`{"session_id":"s","hook_event_name":"`+kind+`"}`, hook.FirstOf(waits(&worker), waits(&spool), 0))
			s.Slack = 0
			hook.Run(s.Config)
			synctest.Wait() // for the handlers left behind
			if worker != want {
				t.Errorf("%s: worker had %v, want %v", kind, worker, want)
			}
			until := 295 * time.Millisecond // nearly all that is left of the hard limit
			if kind == "SessionStart" {
				until = 995 * time.Millisecond
			}
			if spool != until || len(s.exits) != 0 {
				t.Errorf("%s: spool had until %v, exits %v; want %v and none", kind, spool, s.exits, until)
			}
		})
	}
}

func TestSlackIsSharedByWorkerAndSpool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var worker, spool time.Duration
		waits := func(took *time.Duration) handler {
			return func(ctx context.Context, _ mem.Event) (mem.Reply, error) {
				<-ctx.Done()
				*took = time.Since(begun)
				return mem.Reply{}, ctx.Err()
			}
		}
		s := newFixture(promptPayload, hook.FirstOf(waits(&worker), waits(&spool), time.Second))
		s.Slack = time.Second
		hook.Run(s.Config)
		synctest.Wait() // for the handlers left behind
		if worker != 750*time.Millisecond || spool != 1295*time.Millisecond || len(s.exits) != 0 {
			t.Errorf("the worker had until %v, the spool until %v, exits %v; want 750ms, 1.295s and none", worker, spool,
				s.exits)
		}
	})
}

func TestSlowInputLeavesTimeForTheSpool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var spool kept
		s := newFixture(promptPayload, hook.FirstOf(handler(func(ctx context.Context, _ mem.Event) (mem.Reply, error) {
			<-ctx.Done()
			return mem.Reply{}, ctx.Err()
		}), &spool, 0))
		s.Slack = 0
		s.ReadPayload = func(r io.Reader) (hook.Payload, error) {
			time.Sleep(200 * time.Millisecond)
			return redactPayload(r)
		}
		begun := time.Now()
		hook.Run(s.Config)
		if took := time.Since(begun); took >= 300*time.Millisecond || len(spool.events) != 1 || len(s.exits) != 0 {
			t.Errorf("took %v, spool got %d, exits %v; want the spool to have it in time", took, len(spool.events), s.exits)
		}
	})
}

func TestUnreadReplyIsNotADroppedEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // nothing reads from it
		s := newFixture(promptPayload, alwaysHasText(mem.Reply{Context: "c"}))
		s.Slack, s.Stdout = 0, w
		ended := make(chan struct{})
		s.Exit = func(int) { close(ended) }
		go hook.Run(s.Config)
		<-ended
		if len(s.dropped) != 0 {
			t.Errorf("dropped %v", s.dropped)
		}
		_ = r.Close()
	})
}
