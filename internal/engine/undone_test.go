package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/blame"
	"remanence/internal/mem"
	"remanence/internal/views"
)

const senderFile = "/home/dev/shop/sender.go"

// undone returns the line on a decision that an edit undoes, from its text on; empty if the block has none.
func undone(r mem.Reply) string {
	for line := range strings.Lines(r.Context) {
		if strings.Contains(line, "This edit ") {
			_, text, _ := strings.Cut(line, "score 1.00: ")
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// decided plays a session that decides something and edits a file accordingly, and begins another one.
func decided(t *testing.T, said string, edits ...mem.Event) *stage {
	t.Helper()
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the sender loses mails"))
	s.play(edits...)
	s.play(stop("p1", said), mem.Event{Kind: mem.SessionEnd, Source: "other"})
	s.clock = s.clock.Add(72 * time.Hour)
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "make the sender faster"))
	return s
}

const nineSeconds = "We decided to set the wait of the sender to 9 seconds, because the gateway drops a connection " +
	"after 10 seconds."

func TestAnEditThatUndoesADecisionGetsIt(t *testing.T) {
	s := decided(t, nineSeconds, edited("p1", "t1", senderFile, "\twait := 30 * time.Second", "\twait := 9 * time.Second"))
	if got := undone(s.play(edited("p2", "t2", senderFile, "\tretries := 3", "\tretries := 4"))); got != "" {
		t.Errorf("another edit says %q", got)
	}
	got := undone(s.play(edited("p2", "t3", senderFile, "\twait := 9 * time.Second", "\twait := 45 * time.Second")))
	want := nineSeconds + " This edit changes what it laid down: `wait := 9 * time.Second` becomes `wait := " +
		"45 * time.Second`."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	again := edited("p2", "t4", senderFile, "\twait := 9 * time.Second", "\twait := 30 * time.Second")
	if got := undone(s.play(again)); got != "" {
		t.Errorf("it is said twice in a session: %q", got)
	}
	s.inSession = "three"
	s.play(start("startup"), prompt("p3", "slow the sender down"))
	again.PromptID = "p3"
	if got := undone(s.play(again)); !strings.Contains(got, "This edit takes it back: `wait := 9 * time.Second` becomes") {
		t.Errorf("another session gets %q", got)
	}
}

func TestAFileWrittenAnewThatUndoesADecisionGetsIt(t *testing.T) {
	s := decided(t, "We decided to wait by a timer instead of a sleep in `sender.go`, because a sleep blocks the worker.",
		edited("p1", "t1", senderFile, "\ttime.Sleep(delay)", "\t<-time.NewTimer(delay).C"))
	got := undone(s.play(tool(mem.PostToolUse, "p2", "t2", "Write", map[string]any{
		"file_path": senderFile, "content": "package shop\n\nfunc wait() {\n\ttime.Sleep(delay)\n}\n",
	}, map[string]any{"originalFile": "package shop\n", "structuredPatch": []any{map[string]any{"lines": []string{
		" func wait() {", "-\t<-time.NewTimer(delay).C", "+\ttime.Sleep(delay)", " }",
	}}}})))
	if !strings.Contains(got, "takes it back: `‹-time.NewTimer(delay).C` becomes `time.Sleep(delay)`") {
		t.Errorf("got %q", got)
	}
}

func TestAnEditThatUndoesNoDecisionSaysNothing(t *testing.T) {
	const is = "wait := 9 * time.Second"
	nine := edited("p1", "t1", senderFile, "\twait := 30 * time.Second", "\twait := 9 * time.Second")
	back := edited("p2", "t2", senderFile, "\twait := 9 * time.Second", "\twait := 30 * time.Second")
	for name, tt := range map[string]struct {
		said string
		edit mem.Event
	}{
		"nothing was decided":       {"The sender waits less.", back},
		"something else":            {"We decided to name the queue mails, because letters are something else.", back},
		"another file":              {nineSeconds, edited("p2", "t2", "/home/dev/shop/other.go", is, "wait := 30")},
		"it is refactored":          {nineSeconds, edited("p2", "t2", senderFile, is, "wait := patience(9)")},
		"only the layout":           {nineSeconds, edited("p2", "t2", senderFile, "\t"+is, is)},
		"the line goes with others": {nineSeconds, edited("p2", "t2", senderFile, is+"\n\tx()\n\ty()", "\ty()")},
	} {
		s := decided(t, tt.said, nine)
		if got := undone(s.play(tt.edit)); got != "" {
			t.Errorf("%s: says %q", name, got)
		}
	}
}

// All that was written for a decision is removed, and nothing else. What was moved before, or goes with more, is no
// such removal.
func TestAnEditThatRemovesWhatADecisionLaidDownGetsIt(t *testing.T) {
	const said = "We decided to limit the sender to 9 mails a minute, because the gateway drops more."
	limit := edited("p1", "t1", senderFile, "\tsend(m)", "\tlimit.Wait(9, time.Minute)\n\tsend(m)")
	removal := edited("p2", "t2", senderFile, "\tlimit.Wait(9, time.Minute)\n\tsend(m)", "\tsend(m)")
	s := decided(t, said, limit)
	got := undone(s.play(removal))
	if want := said + " This edit removes it: `limit.Wait(9, time.Minute)`."; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	more := edited("p2", "t3", senderFile, "\tlimit.Wait(9, time.Minute)\n\tsend(m)", "")
	elsewhere := edited("p2", "t4", "/home/dev/shop/queue.go", "\tx()", "\tlimit.Wait(9, time.Minute)")
	for name, c := range map[string]struct {
		said string
		now  []mem.Event
	}{
		"nothing was decided":  {"The gateway is busy.", []mem.Event{removal}},
		"something else":       {"We decided to name the queue mails, as letters are something else.", []mem.Event{removal}},
		"more lines go":        {said, []mem.Event{more}},
		"the line moved first": {said, []mem.Event{elsewhere, removal}},
	} {
		if got := undone(decided(t, c.said, limit).play(c.now...)); got != "" {
			t.Errorf("%s: says %q", name, got)
		}
	}
}

// One line of a removal was moved, the other one is gone.
func TestAMovedLineHidesNoOtherRemoval(t *testing.T) {
	const said = "We decided to limit the sender to 9 mails a minute and to close idle sockets, " +
		"because the gateway drops more."
	s := decided(t, said,
		edited("p1", "t1", senderFile, "\tsend(m)", "\tlimit.Wait(9, time.Minute)\n\tclose(idleSockets)\n\tsend(m)"))
	moved := edited("p2", "t4", "/home/dev/shop/queue.go", "\tx()", "\tclose(idleSockets)")
	removal := edited("p2", "t2", senderFile,
		"\tlimit.Wait(9, time.Minute)\n\tclose(idleSockets)\n\tsend(m)", "\tsend(m)")
	if got := undone(s.play(moved, removal)); !strings.Contains(got, "removes it: `limit.Wait(9, time.Minute)`") {
		t.Errorf("says %q", got)
	}
}

// An edit may name a part of a line; the client's answer has the line.
func TestAnEditOfAPartOfALineIsReadByItsAnswer(t *testing.T) {
	part := func(promptID, toolID, from, to, was, is string) mem.Event {
		return tool(mem.PostToolUse, promptID, toolID, "Edit", map[string]any{
			"file_path": senderFile, "old_string": from, "new_string": to,
		}, map[string]any{"structuredPatch": []any{map[string]any{"lines": []string{" func x() {", "-" + was, "+" + is}}}})
	}
	s := decided(t, nineSeconds,
		part("p1", "t1", "30 *", "9 *", "\twait := 30 * time.Second", "\twait := 9 * time.Second"))
	got := undone(s.play(part("p2", "t2", "= 9", "= 45", "\twait := 9 * time.Second", "\twait := 45 * time.Second")))
	if !strings.Contains(got, "`wait := 9 * time.Second` becomes `wait := 45 * time.Second`") {
		t.Errorf("got %q", got)
	}
	line := blame.Line{Text: "\twait := 9 * time.Second", Commit: "0a1b2c3d4e", Committed: s.clock.Add(time.Hour)}
	req := views.BlameRequest{ProjectRef: shop, File: senderFile, Top: "/home/dev/shop", Lines: []blame.Line{line}}
	if got := must(s.Views.Blame(t.Context(), req)); got.Known != 1 {
		t.Errorf("the line is not traced: %+v", got)
	}
}

// What the agent decides and changes in one session is in its view.
func TestADecisionOfTheSessionIsNotRepeated(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the sender loses mails"),
		edited("p1", "t1", senderFile, "wait := 30", "wait := 9"), stop("p1", nineSeconds), prompt("p2", "no, slower"))
	if got := undone(s.play(edited("p2", "t2", senderFile, "wait := 9", "wait := 30"))); got != "" {
		t.Errorf("says %q", got)
	}
}

// blockingStore answers so many questions for events, and keeps others waiting until their time is over.
type blockingStore struct {
	mem.Store
	t       *testing.T
	answers int
	tools   []string // that were asked for
}

func (b *blockingStore) Events(ctx context.Context, q mem.EventQuery) ([]mem.Event, error) {
	b.tools = append(b.tools, q.Tool)
	if b.answers--; b.answers >= 0 {
		return b.Store.Events(ctx, q)
	}
	if _, ok := ctx.Deadline(); !ok {
		b.t.Error("the search has no time limit")
		return nil, context.DeadlineExceeded
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A hook waits for the search: what was found in time is injected, and an edit is never an error for it.
func TestTheSearchForUndoneDecisionsEnds(t *testing.T) {
	edit := edited("p2", "t3", senderFile, "\twait := 9 * time.Second", "\twait := 45 * time.Second")
	early := edited("p0", "t0", senderFile, "\tretries := 3", "\tretries := 4")
	late := edited("p1", "t1", senderFile, "\twait := 30 * time.Second", "\twait := 9 * time.Second")
	for answers, slack := range map[int]time.Duration{0: 0, 2: 5 * time.Second} { // two questions for each turn
		s := newStage(t)
		s.play(start("startup"), prompt("p0", "the sender gives up"), early, stop("p0", "It tries once more."))
		s.clock = s.clock.Add(time.Hour)
		s.play(prompt("p1", "the sender loses mails"), late, stop("p1", nineSeconds),
			mem.Event{Kind: mem.SessionEnd, Source: "other"})
		s.clock = s.clock.Add(72 * time.Hour)
		s.inSession = "two"
		s.play(start("startup"), prompt("p2", "make the sender faster"))
		slow := &blockingStore{Store: s.Recall.Store, t: t, answers: answers}
		s.Recall.Store, s.Recall.Slack = slow, slack
		if got := undone(s.play(edit)); (got != "") != (answers > 0) {
			t.Errorf("after %d answers it says %q", answers, got)
		}
		if slices.ContainsFunc(slow.tools, func(tool string) bool { return tool == "" }) {
			t.Errorf("events of every tool are read: %q", slow.tools)
		}
	}
}
