package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
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

	undoneWithin = 250 * time.Millisecond // the client waits for it; what is found until then counts
)

// undoSearch looks for decisions that the edit of an event undoes.
type undoSearch struct {
	*Service
	ec      event.Context
	call    extract.Call
	now     blame.Change
	reasons map[string][]reason // by session
	added   []string            // texts that earlier edits of this turn wrote; nil if they were not read

	items []inject.Item // found
	marks []string      // by which each item is said once in a session
}

// reason is a decision or a fix of a session, with its words.
type reason struct {
	mem.Memory
	words, terms []string
}

// undone returns the decisions and fixes that an edit undoes, and the marks by which each is said once in a session. An
// earlier turn changed the file as one of them says, by a word that it names, and the edit takes that change back. What
// was decided in this session, and is in view, is left out.
func (s *undoSearch) undone(ctx context.Context) ([]inject.Item, []string, error) {
	var now blame.Edit
	now.Old, now.New = event.LineChanges(s.ec.Event, s.call)
	if now.Old == "" || !event.EditsFile(s.ec.Tool) {
		return nil, nil, nil
	}
	s.now, s.reasons = blame.ChangeOf(now), map[string][]reason{}
	within, stop := context.WithTimeout(ctx, undoneWithin+s.Slack)
	defer stop()
	if err := s.search(within); err != nil && (within.Err() == nil || ctx.Err() != nil) {
		return nil, nil, err
	}
	return s.items, s.marks, nil
}

// search looks through the turns that changed the file, the newest first.
func (s *undoSearch) search(ctx context.Context) error {
	changes, err := s.Store.List(ctx, mem.Query{
		Project: s.ec.Project.Key, File: s.call.File, Kinds: []mem.Kind{mem.Change}, Within: "*",
		Statuses: event.Findable(), Limit: undoneTurns,
	})
	if err != nil {
		return fmt.Errorf("changes of the file: %w", err)
	}
	seen := map[[2]string]bool{}
	for _, c := range changes {
		turn := [2]string{c.Source.Session, c.Source.PromptID}
		visible := turn[0] == s.ec.Session && !c.Created.Before(s.ec.SessionInfo.Compacted)
		if seen[turn] || turn[0] == "" || visible {
			continue
		}
		seen[turn] = true
		lines, err := s.takenBack(ctx, turn)
		if err != nil {
			return err
		}
		if err := s.explain(ctx, turn[0], lines); err != nil || len(s.items) == undoneItems {
			return err
		}
	}
	return nil
}

// takenBack returns the lines of a turn's edits of the file that the edit takes back.
func (s *undoSearch) takenBack(ctx context.Context, turn [2]string) (out []blame.UndoneLine, err error) {
	for _, tools := range event.EditingTools() {
		events, err := s.Store.Events(ctx, mem.EventQuery{
			Session: turn[0], PromptID: turn[1], Kinds: []mem.EventKind{mem.PostToolUse}, Tool: tools, Limit: undoneCalls,
		})
		if err != nil {
			return nil, fmt.Errorf("edits of a turn: %w", err)
		}
		for _, ev := range events {
			if err := ctx.Err(); err != nil {
				return nil, fmt.Errorf("edits of a turn: %w", err)
			}
			if !event.EditsFile(ev.Tool) || ev.ID == s.ec.ID {
				continue
			}
			if c := s.Event.ReadCall(ev, s.ec.Project); c.File == s.call.File {
				then := blame.Edit{}
				then.Old, then.New = event.LineChanges(ev, c)
				out = append(out, s.now.Undoes(then)...)
			}
		}
	}
	return out, nil
}

// explain adds the newest reasons of a session that name a word of a line that is taken back.
func (s *undoSearch) explain(ctx context.Context, session string, lines []blame.UndoneLine) error {
	if len(lines) == 0 {
		return nil
	}
	reasons, err := s.reasonsOf(ctx, session)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("decisions of a session: %w", err)
		}
		terms := rank.Terms(strings.Join(line.Words, " "))
		i := slices.IndexFunc(reasons, func(r reason) bool { return r.names(line.Words, terms) })
		if i < 0 {
			continue
		}
		if line.New == "" {
			moved, err := s.moved(ctx, line.Old)
			if err != nil {
				return err
			}
			if moved {
				continue
			}
		}
		mark := "undone:" + reasons[i].ID
		if slices.Contains(s.marks, mark) || s.ec.SessionInfo.Injected[mark] {
			continue
		}
		if item, ok := s.item(reasons[i].Memory, line); ok {
			s.items, s.marks = append(s.items, item), append(s.marks, mark)
		}
		if len(s.items) == undoneItems {
			return nil
		}
	}
	return nil
}

// moved reports whether an earlier edit of this turn wrote a line that the edit removes, here or in another file.
func (s *undoSearch) moved(ctx context.Context, line string) (bool, error) {
	if s.added == nil {
		if err := s.collectAdded(ctx); err != nil {
			return false, err
		}
	}
	return slices.ContainsFunc(s.added, func(text string) bool { return strings.Contains(text, line) }), nil
}

// collectAdded reads what earlier edits of this turn wrote.
func (s *undoSearch) collectAdded(ctx context.Context) error {
	added := []string{}
	for _, tools := range event.EditingTools() {
		events, err := s.Store.Events(ctx, mem.EventQuery{
			Session: s.ec.Session, PromptID: s.ec.PromptID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: tools,
			Limit: undoneCalls,
		})
		if err != nil {
			return fmt.Errorf("edits of this turn: %w", err)
		}
		for _, ev := range events {
			if ev.ID == s.ec.ID || !event.EditsFile(ev.Tool) {
				continue
			}
			if _, text := event.LineChanges(ev, s.Event.ReadCall(ev, s.ec.Project)); text != "" {
				added = append(added, text)
			}
		}
	}
	s.added = added
	return nil
}

// reasonsOf returns the decisions and fixes of a session that may be injected, newest first.
func (s *undoSearch) reasonsOf(ctx context.Context, session string) ([]reason, error) {
	if known, ok := s.reasons[session]; ok {
		return known, nil
	}
	ms, err := s.Store.List(ctx, mem.Query{
		Project: s.ec.Project.Key, Session: session, Within: "*", Limit: undoneReasons,
		Kinds: []mem.Kind{mem.Decision, mem.TradeOff, mem.Convention, mem.Preference, mem.ErrorFix},
	})
	if err != nil {
		return nil, fmt.Errorf("decisions of a session: %w", err)
	}
	var out []reason
	for _, m := range ms {
		if gate := s.ec.Gate(m); gate != "" && gate != event.InjectedBefore {
			continue
		}
		words := blame.Words(m.Title + "\n" + m.Body + "\n" + strings.Join(m.Facts, "\n"))
		out = append(out, reason{m, words, rank.Terms(strings.Join(words, " "))})
	}
	s.reasons[session] = out
	return out, nil
}

// names reports whether a reason contains one of the terms of some words, or one of the numbers.
func (r reason) names(words, terms []string) bool {
	isNumber := func(w string) bool { return unicode.IsDigit([]rune(w)[0]) }
	return slices.ContainsFunc(words, func(w string) bool { return isNumber(w) && slices.Contains(r.words, w) }) ||
		extract.CountShared(terms, r.terms) > 0
}

// item states a decision and how the edit undoes it.
func (s *undoSearch) item(m mem.Memory, line blame.UndoneLine) (inject.Item, bool) {
	item, ok := inject.Recall(mem.Hit{Memory: m, Score: 1}, s.ec.At, mem.Fresh)
	what := "This edit changes what it laid down"
	if line.Restores {
		what = "This edit takes it back"
	}
	was := chars.Clip(line.Old, undoneLine)
	if line.New == "" {
		item.Text += fmt.Sprintf(" This edit removes it: `%s`.", was)
		return item, ok
	}
	item.Text += fmt.Sprintf(" %s: `%s` becomes `%s`.", what, was, chars.Clip(line.New, undoneLine))
	return item, ok
}
