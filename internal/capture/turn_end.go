package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// TurnEnd returns the memories of a finished turn: statements of the user and the
// assistant, and a summary. It uses no model. The edits change older memories that the
// turn settles, revokes or repeats.
func (s *Service) TurnEnd(ctx context.Context, ec event.Context) (event.Changes, error) {
	t, err := s.readTurn(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	known, err := s.sessionMemories(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	stated, found, choiceEdits, err := s.candidates(ctx, t, known)
	if err != nil {
		return event.Changes{}, err
	}
	over, err := s.reversed(ctx, ec, stated)
	if err != nil {
		return event.Changes{}, err
	}
	memories, scopeEdits := known.merge(ec, slices.Concat(stated, found))
	t.joinFix(memories)
	if ec.Backfilled() {
		if err := s.reversedSince(ctx, ec, memories); err != nil {
			return event.Changes{}, err
		}
	}
	forbidden, err := s.forbiddenFixes(ctx, t)
	if err != nil {
		return event.Changes{}, err
	}
	ch := event.Changes{Memories: memories, Edits: slices.Concat(choiceEdits, over, scopeEdits, known.settledEdits(t),
		known.restatedEdits(memories), known.notedEdits(), forbidden)}
	summary, ok, err := s.summarize(ctx, t, found)
	if ok {
		ch.Memories = append(ch.Memories, summary)
	}
	return ch, err
}

// turn holds the facts of a finished turn.
type turn struct {
	event.Context
	did        []mem.Memory        // its changes, commands and fixes, last changed first
	statements []extract.Statement // of the assistant's answer
	edited     map[string]bool     // the terms that its edits put into files
	added      map[string]bool     // the names among them that did not stand there before
}

// readTurn gathers the facts of the event's turn.
func (s *Service) readTurn(ctx context.Context, ec event.Context) (turn, error) {
	did, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, PromptID: ec.PromptID,
		Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return turn{}, fmt.Errorf("tool memories of the turn: %w", err)
	}
	if !slices.ContainsFunc(did, func(m mem.Memory) bool { return m.Kind == mem.Change }) {
		return turn{ec, did, extract.Statements(ec.Text), nil, nil}, nil
	}
	edited, added, err := s.editedTerms(ctx, ec)
	return turn{ec, did, extract.Statements(ec.Text), edited, added}, err
}

// Bounds of the edits of a turn that are read.
const (
	maxEditsRead = 60     // tool calls
	maxEditRead  = 4000   // bytes of the text of one
	maxEditText  = 20_000 // bytes of all, which take about two milliseconds
)

// editedTerms returns the terms that the turn's edits put into files, of the last ones if there are many, and the names
// that did not stand there before.
func (s *Service) editedTerms(ctx context.Context, ec event.Context) (out, added map[string]bool, err error) {
	if ec.PromptID == "" {
		return nil, nil, nil
	}
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, PromptID: ec.PromptID, Kinds: []mem.EventKind{mem.PostToolUse}, Limit: maxEditsRead,
	})
	if err != nil {
		return nil, nil, fmt.Errorf("edits of the turn: %w", err)
	}
	out, added = map[string]bool{}, map[string]bool{}
	left := maxEditText
	for _, ev := range calls { // newest first
		if left == 0 {
			break
		}
		if !event.EditsFile(ev.Tool) {
			continue
		}
		call := s.Event.ReadCall(ev, ec.Project)
		text := call.New[:min(len(call.New), maxEditRead, left)]
		newNames(added, call.Old, text)
		left -= len(text)
		for line := range strings.Lines(text) {
			for _, term := range rank.Terms(line) {
				out[term] = true
			}
		}
	}
	return out, added, nil
}

// candidates returns what may become memories of a turn: the statements of the user,
// and those of the assistant with the decision that the user chose. The edits are those
// of the choice. Where the agent kept notes by itself, fewer statements are taken.
func (s *Service) candidates(ctx context.Context, t turn, known sessionMemories) (
	stated, found []mem.Memory, edits []mem.Edit, err error,
) {
	if t.Turn.Number > 0 {
		if stated, err = (personWords{s, t.Context}).sinceLastStop(ctx, t); err != nil {
			return nil, nil, nil, err
		}
	}
	most := max(1, extract.MaxStatements-statementsPerNote*known.notesOf(t.PromptID))
	found = t.assistantStatements(most, known.digested())
	asked, answer, err := s.previousAnswer(ctx, t.Context)
	if err != nil {
		return nil, nil, nil, err
	}
	decision, edits, ok, err := s.chosenDecision(ctx, t, asked, answer)
	if err != nil {
		return nil, nil, nil, err
	}
	if ok && !slices.ContainsFunc(found, func(f mem.Memory) bool { return f.Kind == mem.Decision }) {
		found = append(found, decision)
	}
	if ok {
		return stated, found, edits, nil
	}
	return withReply(t, stated, answer), found, edits, nil
}

// DigestLater queues a job that digests the turn with the words of its transcript: an
// older client reports the end of a turn without them.
func DigestLater(ec event.Context) event.Changes {
	if ec.Text != "" || !event.OwnTranscript(ec.Event) {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobDigest, Session: ec.Session, Key: ec.ID, Data: event.JobData(ec.Event),
		NotBefore: ec.At.Add(event.TranscriptLag),
	}}}
}

// facts returns what statements are judged by besides themselves.
func (t turn) facts() extract.TurnFacts {
	w := extract.NewTurnFacts(t.Turn.Text, extract.FilesOf(t.did))
	w.Edited = t.edited
	for _, o := range t.did {
		w.Trouble = w.Trouble || o.Kind == mem.ErrorFix || o.Kind == mem.Command && o.ExitCode != 0
		w.Solved = w.Solved || o.Kind == mem.ErrorFix
		w.Changed = w.Changed || o.Kind == mem.Change
	}
	return w
}

// statementsPerNote is how many fewer statements are taken of a turn for each note that
// the agent kept in it.
const statementsPerNote = 2

// assistantStatements returns memories of what the assistant decided, found and left
// open: at most most, after made earlier ones of the session.
func (t turn) assistantStatements(most, made int) []mem.Memory {
	w := t.facts()
	trust := extract.CapTrust(min(mem.TrustAssistant, t.Turn.Trust), t.did)
	topics := extract.TopicsOf(t.Turn.Text)
	var out []mem.Memory
	onlyCommits := !w.Changed && extract.AsksToCommit(t.Turn.Text) // its answer repeats those before it
	for _, p := range w.Choose(t.statements, most, made) {
		if onlyCommits && p.Kind != mem.Todo {
			continue
		}
		mm := t.NewMemory(p.Kind, mem.ScopeProject)
		mm.Title, mm.Body = extract.TitleAndBody(p.Text)
		mm.Trust, mm.Origin = trust, mem.FromAssistant
		mm.Files, mm.Tags = extract.FilesNamedIn(mm.Title+" "+mm.Body, w.Files), []string{extract.DigestTag}
		mm.Resolved, mm.Concepts = p.Kind != mem.Todo, topics
		if p.Kind == mem.ErrorFix {
			mm = extract.CompleteFix(mm, w.Files, t.did)
		}
		out = append(out, mm)
	}
	return out
}

// joinFix joins the fix that a command proved with its cause, if the turn has one of each.
func (t turn) joinFix(made []mem.Memory) {
	isFix := func(m mem.Memory) bool { return m.Kind == mem.ErrorFix && m.Trust < mem.TrustUser }
	cause, fix := slices.IndexFunc(made, isFix), slices.IndexFunc(t.did, isFix)
	if cause < 0 || fix < 0 || slices.ContainsFunc(made[cause+1:], isFix) || slices.ContainsFunc(t.did[fix+1:], isFix) {
		return
	}
	made[cause] = extract.JoinFix(made[cause], t.did[fix], t.did)
}
