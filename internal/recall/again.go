package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// Bounds of the search for earlier failures.
const (
	againSessions = 6   // sessions whose calls are looked at, the newest
	againCalls    = 200 // newest calls of each
	againMemories = 200 // of the command, the newest: they count for the sessions before
	againFiles    = 3   // files that are named
)

// repeats is what is known of a failure that occurred before.
type repeats struct {
	last     mem.Memory // the newest memory of it
	here     int        // in this session, without the one that is reported
	before   int        // in earlier sessions
	sessions int        // earlier sessions in which it occurred
	more     bool       // it may have occurred more often in one of them
	tried    []string   // files that were edited between two of its occurrences
	worked   bool       // the command succeeded after its last occurrence before this one
	fix      mem.Memory // the newest memory of what fixed it; without an ID if none may be injected
}

// pastFailure is the line about a failure that occurred before.
type pastFailure struct {
	item   inject.Item
	mark   string // by which it is injected once in a session
	helped bool   // it says what helped
}

// again returns the line that says how often a command failed in this way before and what was tried. ok is false if the
// failure is new, is another one, or may not be injected.
func (e *Service) again(ctx context.Context, ec event.Context, c extract.Call, failure extract.Failure) (
	past pastFailure, ok bool, err error,
) {
	past.mark = event.TextMark("again", c.Plain, failure.Words())
	if failure.Words() == "" || ec.SessionInfo.Injected[past.mark] {
		return past, false, nil
	}
	r, err := repeatSearch{e, ec, c.Plain, failure}.all(ctx)
	if err != nil || r.here+r.before == 0 || !inject.Injectable(r.last) {
		return past, false, err
	}
	past.item.Text = fmt.Sprintf("%s, %s: %s", r.last.ID, inject.Age(ec.At.Sub(r.last.Updated)), r.describe(c.Plain))
	past.item.Injected = mem.InjectedItem{ID: r.last.ID, Kind: r.last.Kind, Title: r.last.Title}
	past.helped = r.fix.ID != ""
	return past, true, nil
}

// repeatSearch looks for earlier occurrences of the failure of a command that an event reports.
type repeatSearch struct {
	*Service
	ec      event.Context
	command string
	failure extract.Failure
}

// all counts the earlier occurrences in the project.
func (s repeatSearch) all(ctx context.Context) (repeats, error) {
	var r repeats
	ec := s.ec
	ms, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Command: s.command, Kinds: []mem.Kind{mem.Command, mem.ErrorFix}, Within: "*",
		Order: mem.ByUpdate, Limit: againMemories,
	})
	if err != nil {
		return r, fmt.Errorf("earlier failures: %w", err)
	}
	seen := map[string]bool{}
	for _, m := range ms {
		if m.Kind == mem.ErrorFix {
			if gate := ec.Gate(m); r.fix.ID == "" && (gate == "" || gate == event.InjectedBefore) && s.failure.Is(m) {
				r.fix = m
			}
			continue
		}
		if m.ExitCode == 0 || seen[m.Session] || ec.Gate(m) != "" && m.Session != ec.Session {
			continue
		}
		seen[m.Session] = true
		n := 0
		if kept, ok := s.Event.KeptSince(); len(seen) <= againSessions && (!ok || m.Updated.After(kept)) {
			if n, err = s.in(ctx, m.Session, &r); err != nil {
				return r, err
			}
		} else if s.failure.Same(extract.FailureOf(s.command, m.Body)) {
			n, r.more = 1, r.more || m.Repeats > 0
		}
		if n == 0 {
			continue
		}
		if r.last.ID == "" {
			r.last, r.worked = m, m.Resolved
		}
		if m.Session == ec.Session {
			r.here = n
		} else {
			r.before, r.sessions = r.before+n, r.sessions+1
		}
	}
	return r, nil
}

// in counts the occurrences in one session, without the event itself, and adds the files that were edited between two
// of them.
func (s repeatSearch) in(ctx context.Context, session string, r *repeats) (n int, err error) {
	ec := s.ec
	events, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session, Kinds: []mem.EventKind{mem.PostToolUse, mem.PostToolUseFailure}, Limit: againCalls,
	})
	if err != nil {
		return 0, fmt.Errorf("calls of a session: %w", err)
	}
	if session == ec.Session { // oldest last: the event itself ends the sequence
		events = append([]mem.Event{ec.Event}, slices.DeleteFunc(events, func(ev mem.Event) bool {
			return ev.ID == ec.ID || !ev.At.Before(ec.At)
		})...)
	}
	var edited []string // since the last occurrence
	for _, ev := range slices.Backward(events) {
		call := s.Event.ReadCall(ev, ec.Project)
		switch {
		case event.EditsFile(ev.Tool) && n > 0:
			edited = extract.AppendNew(edited, call.File, againFiles)
		case call.Plain == s.command:
			if said, failed := call.Failed(); !failed || !s.failure.Same(extract.FailureOf(s.command, said)) {
				continue
			}
			for _, f := range extract.TrustedNames(edited) {
				r.tried = extract.AppendNew(r.tried, f, againFiles)
			}
			n, edited = n+1, nil
		}
	}
	if session == ec.Session {
		n-- // the event itself
	}
	return n, nil
}

// describe states what is known in one line.
func (r repeats) describe(command string) string {
	var where []string
	if r.here > 0 {
		where = append(where, times(r.here)+" in this session")
	}
	if r.before > 0 {
		in := "an earlier session"
		if r.sessions > 1 {
			in = fmt.Sprintf("%d earlier sessions", r.sessions)
		}
		often := times(r.before)
		if r.more {
			often = "at least " + often
		}
		where = append(where, often+" in "+in)
	}
	line := fmt.Sprintf("`%s` failed in this way before: %s.", chars.Clip(command, 80), strings.Join(where, ", "))
	if len(r.tried) > 0 {
		line += " Edits of " + strings.Join(r.tried, ", ") + " did not help."
	}
	switch {
	case r.fix.ID != "":
		line += fmt.Sprintf(" What helped (%s): %s.", r.fix.ID, helped(r.fix))
	case r.worked:
		line += " It worked later."
	case len(r.tried) == 0:
		line += " Nothing is known to have helped."
	}
	return line
}

// maxHelped is the length of what fixed a failure, in characters.
const maxHelped = 160

// helped returns what a memory of a fix says of it: without the failure, if its title begins with that.
func helped(fix mem.Memory) string {
	said := fix.Title
	if rest, ok := strings.CutPrefix(said, "`"+fix.Command+"` failed ("); ok {
		if _, change, found := strings.Cut(rest, "), "); found {
			said = change
		}
	}
	return chars.Clip(strings.TrimRight(chars.Line(said), "."), maxHelped)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
