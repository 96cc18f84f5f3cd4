package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of the parts of a summary, in characters.
const (
	maxPartOfTurn    = 200
	maxPartOfSession = 400
	leastPart        = 80 // of one turn, in that of its session
)

// summarize is the memory of the turn itself. A turn in which something still
// runs is not over: the turn that brings its outcome completes it.
func (e *Engine) summarize(ctx context.Context, m *moment, own, kept []mem.Memory) (s mem.Memory, ok bool, err error) {
	t := m.turn
	if t.Number == 0 {
		if t, ok, err = e.leftRunning(ctx, m); err != nil || !ok {
			return s, false, err
		}
	}
	if m.Background > 0 || len(own) == 0 && len(kept) == 0 && idle(t.Text, m.Text) {
		return s, false, nil
	}
	read, err := e.filesRead(ctx, m)
	if err != nil {
		return s, false, err
	}
	mm := m.newMemory(mem.Summary, mem.ScopeProject)
	mm.Key = "turn:" + cmp.Or(t.PromptID, m.PromptID, m.ID)
	mm.Summary = partsOf(m, t, own, kept, read)
	if m.StopActive {
		if err := e.goOn(ctx, m, mm); err != nil {
			return s, false, err
		}
	}
	for _, o := range own {
		if o.Kind == mem.Change && len(o.Files) > 0 {
			mm.Files = appendNew(mm.Files, o.Files[0], 8)
		}
	}
	mm.Modified = mm.Files
	mm.Title, mm.Body = mem.Clip(cmp.Or(mm.Summary.Request, mm.Summary.Completed), 120), mem.Clip(mm.Summary.Completed, maxStatement)
	mm.Trust, mm.Origin = worth(min(mem.TrustAssistant, m.turn.Trust, t.Trust), own), mem.FromAssistant
	mm.Tags = []string{summaryTag}
	return mm, mm.Title != "", nil
}

// goOn adds to the summary of a turn that went on after its end what it had
// come to by then.
func (e *Engine) goOn(ctx context.Context, m *moment, mm mem.Memory) error {
	old, err := e.Store.List(ctx, mem.Query{Project: m.project.Key, Session: m.Session, PromptID: m.PromptID, Kinds: []mem.Kind{mem.Summary}, Limit: 5})
	if err != nil {
		return fmt.Errorf("summary so far: %w", err)
	}
	i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == mm.Key && o.Summary != nil })
	if i < 0 {
		return nil
	}
	was, s := old[i].Summary, mm.Summary
	s.Completed, s.Learned = joinPart(was.Completed, s.Completed, maxPartOfTurn), joinPart(was.Learned, s.Learned, maxPartOfTurn)
	s.Investigated = cmp.Or(s.Investigated, was.Investigated)
	s.NextSteps = cmp.Or(s.NextSteps, was.NextSteps)
	return nil
}

// summaryTag tags summaries of turns and of sessions.
const summaryTag = "session-summary"

// idle reports whether a turn in which nothing was done says next to nothing.
func idle(prompt, answer string) bool {
	answer = strings.TrimSpace(answer)
	if utf8.RuneCountInString(answer) < leastAnswer || catchesUp(prompt) { // that only says again what is known
		return true
	}
	return utf8.RuneCountInString(answer) < leastTalk && (rank.Courtesy(prompt) || greets(prompt))
}

// greets reports whether a prompt is a greeting or thanks and asks for nothing.
func greets(prompt string) bool {
	l := cueText(prompt)
	return len(strings.Fields(l)) < 8 && !strings.ContainsAny(prompt, "?？`/") &&
		begins(l, "hi ", "hi,", "hi!", "hello", "hey", "thanks", "thank you", "good morning", "morning", "hallo", "moin", "servus", "danke", "guten ", "bonjour", "salut", "merci", "hola", "gracias", "buenos", "おはよう", "こんにちは", "ありがとう", "你好", "谢谢")
}

// leftRunning is the person's turn that the event's turn, which no person began,
// brings the outcome of: the newest one, if something ran on when it stopped.
func (e *Engine) leftRunning(ctx context.Context, m *moment) (mem.Turn, bool, error) {
	if m.turn.PromptID == "" {
		return mem.Turn{}, false, nil
	}
	turns, err := e.Store.Turns(ctx, m.Session, 20)
	if err != nil {
		return mem.Turn{}, false, fmt.Errorf("turns: %w", err)
	}
	i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.Number > 0 })
	if i < 0 || turns[i].Private || turns[i].PromptID == m.turn.PromptID {
		return mem.Turn{}, false, nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, PromptID: turns[i].PromptID, Kinds: []mem.EventKind{mem.Stop}, Limit: 1})
	if err != nil {
		return mem.Turn{}, false, fmt.Errorf("end of the turn: %w", err)
	}
	return turns[i], len(stops) > 0 && stops[0].Background > 0, nil
}

// filesRead are the files that the turn looked at.
func (e *Engine) filesRead(ctx context.Context, m *moment) ([]string, error) {
	events, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, PromptID: m.PromptID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: "Read", Limit: 20})
	if err != nil {
		return nil, fmt.Errorf("what the turn read: %w", err)
	}
	var out []string
	for i := len(events) - 1; i >= 0; i-- {
		lm := moment{Event: events[i], project: m.project}
		out = appendNew(out, e.understand(&lm).file, 5)
	}
	return plain(out), nil
}

// partsOf are the five parts of a turn's summary.
func partsOf(m *moment, t mem.Turn, own, kept []mem.Memory, read []string) *mem.SummaryText {
	s := &mem.SummaryText{}
	if !agrees(t.Text) {
		s.Request = mem.Clip(request(t.Text), maxPartOfTurn)
	}
	var done, tried, changed, learned, next []string
	if said := opening(m.Text); said != "" {
		done = append(done, mem.Clip(said, maxPartOfTurn))
	}
	for _, o := range own {
		switch o.Kind {
		case mem.Change:
			changed = appendNew(changed, firstOf(o.Files), 8)
		case mem.Command:
			tried = append(tried, mem.Clip(o.Title, 120))
		case mem.ErrorFix:
			done = appendNew(done, fixedIn(o), 8)
		}
	}
	if len(changed) > 0 {
		done = append(done, "changed "+strings.Join(changed, ", "))
	}
	if len(read) > 0 {
		tried = append([]string{"read " + strings.Join(read, ", ")}, tried...)
	}
	for _, k := range kept {
		if k.Kind == mem.Todo {
			next = append(next, mem.Clip(k.Title, 160))
		} else {
			learned = append(learned, mem.Clip(k.Title, 160))
		}
	}
	s.Investigated = strings.Join(tried[:min(len(tried), 3)], "; ")
	s.Completed = inARow(done[:min(len(done), 4)])
	s.Learned = strings.Join(learned[:min(len(learned), 3)], " ")
	s.NextSteps = inARow(next[:min(len(next), 2)])
	return s
}

// inARow joins sentences and parts of them.
func inARow(parts []string) string {
	return strings.ReplaceAll(strings.Join(parts, "; "), ".; ", "; ")
}

// fixedIn is what the summary of a turn says of a fix: how is told by the fix
// itself, as long as it holds.
func fixedIn(fix mem.Memory) string {
	if fix.Command == "" {
		return mem.Clip(fix.Title, 120)
	}
	return fmt.Sprintf("fixed: `%s`", mem.Clip(fix.Command, maxFixError))
}

// opening is the first sentence of an answer that tells what came of the work,
// not only that something did: "Done.", "You're right, sorry about that."
func opening(answer string) string {
	all := statements(answer)
	var open []option // nothing came of what is put to choice
	if opts := optionsOf(answer); weighs(all, opts, proposed(all)) {
		open = opts
	}
	if i := openingOf(all, open); i >= 0 {
		return strings.TrimRight(withoutApology(all[i].text), ":：")
	}
	return ""
}

// openingOf is the place of that sentence; -1 if there is none.
func openingOf(all []said, open []option) int {
	return slices.IndexFunc(all, func(s said) bool {
		s.text = withoutApology(s.text)
		s.bare = cueText(s.text)
		return breadth(s.text) >= minStatement && !asks(s.text) && !offers(s.bare) && !announces(s.bare) && !apologizes(s.bare) && (!s.leads() || opensWithI(s.bare)) &&
			!slices.ContainsFunc(open, func(o option) bool { return o.holds(s.text) })
	})
}

// sessionSummary is the memory of a whole session: of what its turns came to, so
// far as that may be told. A session of one turn has that turn's.
func (e *Engine) sessionSummary(ctx context.Context, m *moment) error {
	all, err := e.Store.List(ctx, mem.Query{
		Project: m.project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Summary}, MinTrust: mem.TrustAssistant, Within: m.Session, Limit: 50,
	})
	if err != nil {
		return fmt.Errorf("summaries of the session: %w", err)
	}
	var turns []mem.Memory
	mm := m.newMemory(mem.Summary, mem.ScopeSession)
	mm.Trust, mm.Origin = mem.TrustAssistant, mem.FromAssistant
	for _, s := range all { // newest first
		switch {
		case s.Summary == nil:
		case strings.HasPrefix(s.Key, sessionKey):
			mm.Supersedes = cmp.Or(mm.Supersedes, s.ID)
		default:
			turns = append(turns, s)
		}
	}
	if len(turns) < 2 {
		return nil
	}
	slices.Reverse(turns)
	last := turns[len(turns)-1]
	s := mem.SummaryText{Request: m.session.FirstPrompt} // also of a turn that was broken off, and has no summary
	share := max(leastPart, maxPartOfSession/len(turns))
	for _, t := range turns {
		s.Investigated = joinPart(s.Investigated, t.Summary.Investigated, share)
		s.Learned = joinPart(s.Learned, t.Summary.Learned, share)
		s.Completed = joinPart(s.Completed, t.Summary.Completed, share)
		mm.Confidence = max(mm.Confidence, t.Confidence)
		for _, f := range t.Files {
			mm.Files = appendNew(mm.Files, f, 8)
		}
	}
	for _, t := range turns {
		s.Request = cmp.Or(s.Request, t.Summary.Request)
	}
	s.NextSteps = last.Summary.NextSteps
	mm.Modified, mm.Summary = mm.Files, &s
	mm.Title, mm.Body = mem.Clip(cmp.Or(s.Request, s.Completed), 120), mem.Clip(s.Completed, maxStatement)
	mm.Tags, mm.Key = []string{summaryTag}, sessionKey+last.Key
	if mm.Title != "" && mm.Key != "" {
		m.add(mm)
	}
	return nil
}

// sessionKey begins the keys of summaries of sessions.
const sessionKey = "session:"

// joinPart adds at most share characters of a turn's part to that of its session,
// while there is room.
func joinPart(all, more string, share int) string {
	more = mem.Clip(more, share)
	switch {
	case more == "" || strings.Contains(all, more):
		return all
	case all == "":
		return more
	}
	return mem.Clip(inARow([]string{all, more}), maxPartOfSession)
}
