package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/blame"
	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of the search for decisions that an edit undoes.
const (
	undoneTurns   = 40 // turns that changed the file, the newest
	undoneCalls   = 200
	undoneReasons = 30 // decisions of a session
	undoneItems   = 2  // that are injected
	undoneLine    = 80 // characters of a line that is shown
)

// undoSearch looks for decisions that the edit of an event undoes.
type undoSearch struct {
	*Service
	ec   event.Context
	call extract.Call
}

// undone returns the decisions and fixes that an edit undoes, and the marks by which each is said once in a session. An
// earlier turn changed the file as one of them says, by a word that it names, and the edit takes that change back. What
// was decided in this session, and is in view, is left out.
func (s undoSearch) undone(ctx context.Context) (items []inject.Item, marks []string, err error) {
	var now blame.Edit
	now.Old, now.New = event.LineChanges(s.ec.Event, s.call)
	if now.Old == "" || !event.EditsFile(s.ec.Tool) {
		return nil, nil, nil
	}
	changes, err := s.Store.List(ctx, mem.Query{
		Project: s.ec.Project.Key, File: s.call.File, Kinds: []mem.Kind{mem.Change}, Within: "*",
		Statuses: event.Findable(), Limit: undoneTurns,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("changes of the file: %w", err)
	}
	seen := map[[2]string]bool{}
	for _, c := range changes {
		turn := [2]string{c.Source.Session, c.Source.PromptID}
		visible := turn[0] == s.ec.Session && !c.Created.Before(s.ec.SessionInfo.Compacted)
		if seen[turn] || turn[0] == "" || visible {
			continue
		}
		seen[turn] = true
		lines, err := s.takenBack(ctx, now, turn)
		if err != nil {
			return nil, nil, err
		}
		for _, line := range lines {
			m, ok, err := s.reason(ctx, turn[0], line)
			if err != nil {
				return nil, nil, err
			}
			mark := "undone:" + m.ID
			if !ok || slices.Contains(marks, mark) || s.ec.SessionInfo.Injected[mark] {
				continue
			}
			if item, ok := s.item(m, line); ok {
				items, marks = append(items, item), append(marks, mark)
			}
			if len(items) == undoneItems {
				return items, marks, nil
			}
		}
	}
	return items, marks, nil
}

// takenBack returns the lines of a turn's edits of the file that the edit takes back.
func (s undoSearch) takenBack(ctx context.Context, now blame.Edit, turn [2]string) (out []blame.Undone, err error) {
	events, err := s.Store.Events(ctx, mem.EventQuery{
		Session: turn[0], PromptID: turn[1], Kinds: []mem.EventKind{mem.PostToolUse}, Limit: undoneCalls,
	})
	if err != nil {
		return nil, fmt.Errorf("edits of a turn: %w", err)
	}
	for _, ev := range events {
		if !event.EditsFile(ev.Tool) || ev.ID == s.ec.ID {
			continue
		}
		if c := s.Event.ReadCall(ev, s.ec.Project); c.File == s.call.File {
			then := blame.Edit{}
			then.Old, then.New = event.LineChanges(ev, c)
			out = append(out, blame.Undoing(now, then)...)
		}
	}
	return out, nil
}

// reason returns the newest decision or fix of a session that names a word of a line that is taken back.
func (s undoSearch) reason(ctx context.Context, session string, line blame.Undone) (mem.Memory, bool, error) {
	ms, err := s.Store.List(ctx, mem.Query{
		Project: s.ec.Project.Key, Session: session, Within: "*", Limit: undoneReasons,
		Kinds: []mem.Kind{mem.Decision, mem.TradeOff, mem.Convention, mem.Preference, mem.ErrorFix},
	})
	if err != nil {
		return mem.Memory{}, false, fmt.Errorf("decisions of a session: %w", err)
	}
	for _, m := range ms {
		if gate := s.ec.Gate(m); gate != "" && gate != event.InjectedBefore {
			continue
		}
		if says(m, line.Words) {
			return m, true, nil
		}
	}
	return mem.Memory{}, false, nil
}

// says reports whether a memory contains one of some words that is no stop word, or one of the numbers.
func says(m mem.Memory, words []string) bool {
	text := blame.Words(m.Title + "\n" + m.Body + "\n" + strings.Join(m.Facts, "\n"))
	isNumber := func(w string) bool { return unicode.IsDigit([]rune(w)[0]) }
	return slices.ContainsFunc(words, func(w string) bool { return isNumber(w) && slices.Contains(text, w) }) ||
		extract.CountShared(rank.Terms(strings.Join(words, " ")), rank.Terms(strings.Join(text, " "))) > 0
}

// item states a decision and how the edit undoes it.
func (s undoSearch) item(m mem.Memory, line blame.Undone) (inject.Item, bool) {
	item, ok := inject.Recall(mem.Hit{Memory: m, Score: 1}, s.ec.At, mem.Fresh)
	what := "This edit changes what it laid down"
	if line.Back {
		what = "This edit takes it back"
	}
	item.Text += fmt.Sprintf(" %s: `%s` becomes `%s`.", what, chars.Clip(line.Was, undoneLine),
		chars.Clip(line.Is, undoneLine))
	return item, ok
}
