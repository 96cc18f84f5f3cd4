package capture

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// TurnEnd returns the memories of a finished turn: statements of the user and the
// assistant, and a summary. It uses no model. The edits change older memories that the
// turn settles, revokes or repeats.
func (s *Service) TurnEnd(ctx context.Context, ec event.Context) (event.Changes, error) {
	t, err := s.readTurn(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	stated, found, choiceEdits, err := s.candidates(ctx, t)
	if err != nil {
		return event.Changes{}, err
	}
	known, err := s.sessionMemories(ctx, ec)
	if err != nil {
		return event.Changes{}, err
	}
	memories, scopeEdits := known.merge(ec, slices.Concat(stated, found))
	forbidden, err := s.forbiddenFixes(ctx, t)
	if err != nil {
		return event.Changes{}, err
	}
	ch := event.Changes{Memories: memories, Edits: slices.Concat(choiceEdits, scopeEdits, known.settledEdits(t),
		known.restatedEdits(memories), forbidden)}
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
	return turn{ec, did, extract.Statements(ec.Text)}, nil
}

// candidates returns what may become memories of a turn: the statements of the user,
// and those of the assistant with the decision that the user chose. The edits are those
// of the choice.
func (s *Service) candidates(ctx context.Context, t turn) (stated, found []mem.Memory, edits []mem.Edit, err error) {
	if t.Turn.Number > 0 {
		if stated, err = s.userStatements(ctx, t.Context); err != nil {
			return nil, nil, nil, err
		}
	}
	found = t.assistantStatements()
	decision, edits, ok, err := s.chosenDecision(ctx, t)
	if err != nil {
		return nil, nil, nil, err
	}
	if ok && !slices.ContainsFunc(found, func(f mem.Memory) bool { return f.Kind == mem.Decision }) {
		found = append(found, decision)
	}
	return stated, found, edits, nil
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

// userStatements returns memories of the rules and facts that a prompt states, and
// of repeated corrections.
func (s *Service) userStatements(ctx context.Context, ec event.Context) ([]mem.Memory, error) {
	if len(ec.Turn.Text) > extract.PastedLength {
		return nil, nil
	}
	var out []mem.Memory
	keep := func(kind mem.Kind, text string) {
		if len(out) == extract.MaxUserStatements {
			return
		}
		mm := ec.NewMemory(kind, mem.ScopeProject)
		mm.Title, mm.Body = extract.TitleAndBody(text)
		mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
		mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(text, nil)
		out = append(out, mm)
	}
	all := extract.Sentences(ec.Turn.Text)
	for i, text := range all {
		statement := extract.TrimNo(text)
		if i > 0 && extract.RefersBack(lang.CueText(statement)) {
			if _, ok := extract.Instruction(extract.TrimNo(all[i-1])); !ok && !extract.Asks(all[i-1]) {
				keep(mem.Fact, all[i-1])
			}
		} else if kind, ok := extract.Instruction(statement); ok {
			keep(kind, statement)
		} else if l := lang.CueText(statement); statement != text && !extract.Asks(statement) &&
			lang.ContainsAny(l, " we don't use ", " we do not use ") && !lang.ContainsAny(l, " this ", " that ", " it ",
			" yet ") {
			keep(mem.Convention, statement)
		}
	}
	for _, text := range extract.Corrections(ec.Turn.Text) {
		again, err := s.correctedBefore(ctx, ec, text)
		if err != nil {
			return nil, err
		}
		if again {
			keep(mem.Preference, text)
		}
	}
	return out, nil
}

// correctedBefore reports whether the person asked for the same in another prompt.
func (s *Service) correctedBefore(ctx context.Context, ec event.Context, text string) (bool, error) {
	ids := []string{ec.Session}
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: ec.Project.Key, Limit: extract.CorrectedSessions})
	if err != nil {
		return false, fmt.Errorf("earlier sessions: %w", err)
	}
	for _, one := range ss {
		ids = extract.AppendNew(ids, one.ID, extract.CorrectedSessions+1)
	}
	for _, id := range ids {
		turns, err := s.Store.Turns(ctx, id, extract.CorrectedTurns)
		if err != nil {
			return false, fmt.Errorf("earlier prompts: %w", err)
		}
		for _, t := range turns {
			if t.PromptID == ec.PromptID && id == ec.Session || t.Number == 0 || t.Private ||
				len(t.Text) > extract.PastedLength {
				continue
			}
			if slices.ContainsFunc(
				extract.Corrections(t.Text),
				func(c string) bool { return extract.SameCorrection(c, text) },
			) {
				return true, nil
			}
		}
	}
	return false, nil
}

// wordingFacts returns the facts of a turn that the wording rules need.
func (t turn) wordingFacts() extract.TurnFacts {
	w := extract.TurnFacts{
		Files:    extract.FilesOf(t.did),
		Reported: len(t.Turn.Text) <= extract.PastedLength && extract.Complains(t.Turn.Text),
	}
	w.Trouble = w.Reported
	for _, o := range t.did {
		w.Trouble = w.Trouble || o.Kind == mem.ErrorFix || o.Kind == mem.Command && o.ExitCode != 0
		w.Solved = w.Solved || o.Kind == mem.ErrorFix
	}
	return w
}

// assistantStatements returns memories of what the assistant decided, found and left
// open.
func (t turn) assistantStatements() []mem.Memory {
	w := t.wordingFacts()
	trust := extract.CapTrust(min(mem.TrustAssistant, t.Turn.Trust), t.did)
	topics := extract.TopicsOf(t.Turn.Text)
	var out []mem.Memory
	for _, p := range w.Points(t.statements) {
		mm := t.NewMemory(p.Kind, mem.ScopeProject)
		mm.Title, mm.Body = p.TitleAndBody(t.Turn.Text)
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
