//go:build fire && linux

// Package fault proves that whatever is wrong with the machine, a hook call
// ends in time, with status 0, and with an answer that the agent understands or
// none; that what it received is stored, or counted as lost; and that what was
// held back arrives once, when the fault is over.
package fault

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/test/tier"
	"remanence/test/world"
)

// fault is one thing that can be wrong.
type fault struct {
	name string
	lay  func(*scene) // brings it about
	each func(*scene) // brings it about again before every call; nil means that it lasts
	call func(*scene, []byte) world.Answer
	// ends are the ends that the event of a call may come to.
	ends string
	dies bool // the system itself may end the call: its status is recorded, not judged
	slow bool // a tracer makes the call slow
}

// The ends that an event may come to.
const (
	stored  = "W" // the worker has it
	spooled = "S" // the spool has it
	dropped = "D" // lost, and counted
	unsure  = "?" // the worker has it, too late: it is counted as lost all the same
	nothing = "-" // there was none
)

// hardStop is above what any call may take on a busy machine.
func (f fault) hardStop() time.Duration {
	stop := 3 * time.Second
	if f.slow {
		stop = 8 * time.Second
	}
	return world.Stretched(stop)
}

// cell is one call under one fault.
type cell struct {
	event   string
	kind    mem.EventKind
	session string
	answer  world.Answer
	waits   bool // in the spool right after the call
	counted int  // by how much the count of the lost grew
	late    bool // its time was up before the event could be counted
}

// happening is a recorded payload that the installer's hooks would see.
type happening struct {
	payload string
	kind    mem.EventKind // "" where the event is none of ours
}

func happenings() []happening {
	return []happening{
		{"SessionStart.startup", mem.SessionStart},
		{"UserPromptSubmit", mem.UserPromptSubmit},
		{"PostToolUse.Bash", mem.PostToolUse},
		{"PreCompact.manual", mem.PreCompact},
		{"Stop", mem.Stop},
		{"SessionStart.resume", mem.SessionStart},
		{"SessionStart.clear", mem.SessionStart},
		{"SessionStart.compact", mem.SessionStart},
		{"SessionStart.fork", mem.SessionStart},
		{"PreToolUse.Agent", mem.PreToolUse},
		{"PostToolUseFailure", mem.PostToolUseFailure},
		{"StopFailure", mem.StopFailure},
		{"SubagentStart", mem.SubagentStart},
		{"SubagentStop", mem.SubagentStop},
		{"TaskCompleted", mem.TaskCompleted},
		{"PostCompact", mem.PostCompact},
		{"SessionEnd.other", mem.SessionEnd},
		{"Notification.idle_prompt", mem.Notification},
		{"Setup.init", mem.Setup},
		{"WorktreeCreate", ""},
	}
}

// always is how many happenings, from the first on, every fault meets.
const always = 5

func TestEveryHookedEventIsInTheMatrix(t *testing.T) {
	entries, err := setup.Entries(setup.Full, "/bin/remanence")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(happenings(), func(h happening) bool { return string(h.kind) == e.Event }) {
			t.Errorf("the installer hooks %s, and no fault meets it", e.Event)
		}
	}
}

// drawn are the happenings that a fault meets in this run: all of them in the
// long one, else the most important ones and one more.
func drawn(r *rand.Rand) []happening {
	all := happenings()
	if tier.IsLong() {
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all
	}
	some := append(slices.Clone(all[:always]), all[always+r.IntN(len(all)-always)])
	r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
	return some
}

func TestHooksSurviveFaults(t *testing.T) {
	r := tier.Rand(t)
	var late lateness
	t.Cleanup(func() { late.judge(t) })
	for round := range tier.Runs(1, 5) {
		for _, f := range faults(r) {
			events := drawn(r)
			t.Run(fmt.Sprintf("%s %d", f.name, round+1), func(t *testing.T) {
				t.Parallel()
				late.add(meet(t, f, events))
			})
		}
	}
}

// lateness counts the calls whose time was up before they could even count
// their event: on a machine that gives them no time there are some, of a program
// that takes too long there are many.
type lateness struct{ calls, late atomic.Int64 }

func (l *lateness) add(cells []*cell) {
	l.calls.Add(int64(len(cells)))
	for _, c := range cells {
		if c.late {
			l.late.Add(1)
		}
	}
}

func (l *lateness) judge(t *testing.T) {
	t.Logf("%d calls, %d of them too late to count their event, %.1f programs for a core", l.calls.Load(), l.late.Load(),
		world.Crowd())
	if l.late.Load()*20 > l.calls.Load() && world.Crowd() < world.Crowded {
		t.Errorf("%d of %d calls came too late to count their event", l.late.Load(), l.calls.Load())
	}
}

// meet lets events happen under a fault and judges what became of each.
func meet(t *testing.T, f fault, events []happening) []*cell {
	s := newScene(t)
	f.lay(s)
	var cells []*cell
	for i, h := range events {
		c := &cell{event: h.payload, kind: h.kind, session: fmt.Sprintf("fa%06x-0000-4000-8000-%012x", i,
			time.Now().UnixNano()&0xffffffffffff)}
		cells = append(cells, c)
		s.forget()
		if f.each != nil {
			f.each(s)
		}
		before := s.lost()
		payload := s.Payload(h.payload, map[string]any{"session_id": c.session})
		c.answer = f.met(s, payload)
		c.waits, c.counted = s.waits(c.session), s.lost()-before
		f.judge(t, c)
	}
	s.onlyOneWorker()
	s.recover()
	f.settle(t, cells, s.kept())
	return cells
}

// settle compares what became of every event with what had to. But where the
// worker has to have them it must have some.
func (f fault) settle(t *testing.T, cells []*cell, rows map[string]int) {
	t.Helper()
	ends := map[string]int{}
	for _, c := range cells {
		got := c.end(rows[c.session])
		ends[got]++
		if c.late = got == nothing && c.kind != "" && !strings.Contains(f.ends, nothing) && c.answer.Took >= allUp; c.late {
			continue
		}
		if !strings.Contains(f.allowed(c), got) {
			t.Errorf("%s: came to %s, want one of %s (rows %d, in the spool %v, counted %d, took %v)",
				c.event, got, f.ends, rows[c.session], c.waits, c.counted, c.answer.Took)
		}
	}
	if f.ends == stored && ends[stored] == 0 {
		t.Errorf("the worker had none in time: %v", ends)
	}
	t.Logf("ends: %v", ends)
}

// allowed are the ends that a cell may come to. A busy machine may take longer
// to store an event than its hook waits: then it is in the spool too. And where
// the hook's whole time is up the event is counted as lost, whether or not the
// worker has it.
func (f fault) allowed(c *cell) string {
	ends := f.ends
	switch {
	case c.kind == "" && (strings.Contains(ends, dropped) || c.answer.Took >= timeUp): // it may not have been read so far
		return nothing + dropped
	case c.kind == "":
		return nothing
	}
	if strings.Contains(ends, stored) {
		ends += spooled
	}
	if c.answer.Took >= timeUp || strings.Contains(f.ends, stored+dropped) {
		ends += dropped + unsure
	}
	return ends
}

// How long a call takes at least whose time was up, and one in which the time
// for counting was up as well.
const (
	timeUp = 250 * time.Millisecond
	allUp  = 300 * time.Millisecond
)

// end says what became of a cell's event, given how often it is in the store.
func (c *cell) end(rows int) string {
	switch {
	case rows == 1 && c.counted == 1:
		return unsure
	case rows == 1 && c.counted == 0 && c.waits:
		return spooled
	case rows == 1 && c.counted == 0:
		return stored
	case rows == 0 && c.counted == 1: // of which half may lie in the spool
		return dropped
	case rows == 0 && c.counted == 0 && !c.waits:
		return nothing
	}
	return "no good end"
}

// met is how the agent's call goes under the fault.
func (f fault) met(s *scene, payload []byte) world.Answer {
	if f.call == nil {
		return s.hook(payload)
	}
	return f.call(s, payload)
}

// judge looks at what the agent sees of a call.
func (f fault) judge(t *testing.T, c *cell) {
	t.Helper()
	a := c.answer
	if f.dies {
		t.Logf("%s: status %d, stdout %d bytes, stderr %.60q", c.event, a.Status, len(a.Stdout), a.Stderr)
	} else if a.Status != 0 || len(a.Stderr) > 0 {
		t.Errorf("%s: status %d, stderr %.300q; want 0 and none", c.event, a.Status, a.Stderr)
	}
	if a.Took > f.hardStop() {
		t.Errorf("%s: took %v", c.event, a.Took)
	}
	if err := legal(c.kind, a.Stdout); err != nil {
		t.Errorf("%s: %v: %.200q", c.event, err, a.Stdout)
	}
}
