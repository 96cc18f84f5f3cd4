package capture

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
)

// Digest makes memories of a finished turn: statements of the user and the
// assistant, and a summary. It uses no model. Edits of older memories are added to
// the context's batch.
func (s *Service) Digest(ctx context.Context, m *event.Context) ([]mem.Memory, error) {
	own, err := s.Store.List(ctx, mem.Query{
		Project: m.Project.Key, Session: m.Session, PromptID: m.PromptID,
		Kinds: []mem.Kind{mem.Change, mem.Command, mem.ErrorFix}, Order: mem.ByUpdate, Limit: 50,
	})
	if err != nil {
		return nil, fmt.Errorf("what the turn did: %w", err)
	}
	var out []mem.Memory
	if m.Turn.Number > 0 {
		if out, err = s.userStatements(ctx, m); err != nil {
			return nil, err
		}
	}
	said := extract.Statements(m.Text)
	found := assistantStatements(m, turnFacts(m, own), said, own)
	mm, edits, ok, err := s.chosenDecision(ctx, m, own)
	if err != nil {
		return nil, err
	}
	if m.Batch.Edits = append(m.Batch.Edits, edits...); ok &&
		!slices.ContainsFunc(found, func(f mem.Memory) bool { return f.Kind == mem.Decision }) {
		found = append(found, mm)
	}
	k, err := s.sessionMemories(ctx, m)
	if err != nil {
		return nil, err
	}
	out = k.merge(m, append(out, found...))
	m.Batch.Edits = append(m.Batch.Edits, append(k.settledEdits(m, said, own), k.restatedEdits(out)...)...)
	if err := s.dropForbidden(ctx, m, own); err != nil {
		return nil, err
	}
	sum, ok, err := s.summarize(ctx, m, own, found)
	if ok {
		out = append(out, sum)
	}
	return out, err
}

// userStatements returns memories of the rules and facts that a prompt states, and
// of repeated corrections.
func (s *Service) userStatements(ctx context.Context, m *event.Context) ([]mem.Memory, error) {
	if len(m.Turn.Text) > extract.PastedLength {
		return nil, nil
	}
	var out []mem.Memory
	keep := func(kind mem.Kind, text string) {
		if len(out) == extract.MaxUserStatements {
			return
		}
		mm := m.NewMemory(kind, mem.ScopeProject)
		mm.Title, mm.Body = extract.TitleAndBody(text)
		mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
		mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(text, nil)
		out = append(out, mm)
	}
	all := extract.Sentences(m.Turn.Text)
	for i, text := range all {
		told := extract.TrimNo(text)
		if i > 0 && extract.RefersBack(lang.CueText(told)) {
			if _, ok := extract.Instruction(extract.TrimNo(all[i-1])); !ok && !extract.Asks(all[i-1]) {
				keep(mem.Fact, all[i-1])
			}
		} else if kind, ok := extract.Instruction(told); ok {
			keep(kind, told)
		} else if l := lang.CueText(told); told != text && !extract.Asks(told) &&
			lang.ContainsAny(l, " we don't use ", " we do not use ") && !lang.ContainsAny(l, " this ", " that ", " it ",
			" yet ") {
			keep(mem.Convention, told)
		}
	}
	for _, text := range extract.Corrections(m.Turn.Text) {
		again, err := s.correctedBefore(ctx, m, text)
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
func (s *Service) correctedBefore(ctx context.Context, m *event.Context, text string) (bool, error) {
	ids := []string{m.Session}
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: m.Project.Key, Limit: extract.CorrectedSessions})
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
			if t.PromptID == m.PromptID && id == m.Session || t.Number == 0 || t.Private ||
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

// turnFacts returns the facts of a turn that the wording rules need.
func turnFacts(m *event.Context, own []mem.Memory) extract.TurnFacts {
	w := extract.TurnFacts{
		Files:    extract.FilesOf(own),
		Reported: len(m.Turn.Text) <= extract.PastedLength && extract.Complains(m.Turn.Text),
	}
	w.Trouble = w.Reported
	for _, o := range own {
		w.Trouble = w.Trouble || o.Kind == mem.ErrorFix || o.Kind == mem.Command && o.ExitCode != 0
		w.Solved = w.Solved || o.Kind == mem.ErrorFix
	}
	return w
}

// assistantStatements returns memories of what the assistant decided, found and left
// open.
func assistantStatements(m *event.Context, w extract.TurnFacts, all []extract.Statement,
	own []mem.Memory,
) []mem.Memory {
	trust := extract.CapTrust(min(mem.TrustAssistant, m.Turn.Trust), own)
	topics := extract.TopicsOf(m.Turn.Text)
	var out []mem.Memory
	for _, p := range w.Points(all) {
		mm := m.NewMemory(p.Kind, mem.ScopeProject)
		mm.Title, mm.Body = p.TitleAndBody(m.Turn.Text)
		mm.Trust, mm.Origin = trust, mem.FromAssistant
		mm.Files, mm.Tags = extract.FilesNamedIn(mm.Title+" "+mm.Body, w.Files), []string{extract.DigestTag}
		mm.Resolved, mm.Concepts = p.Kind != mem.Todo, topics
		if p.Kind == mem.ErrorFix {
			mm = extract.CompleteFix(mm, w.Files, own)
		}
		out = append(out, mm)
	}
	return out
}

// Findings returns memories of a subagent's answer: its statements of a known kind
// first, else its first sentence.
func Findings(m *event.Context, about string) []mem.Memory {
	w := extract.TurnFacts{Trouble: true}
	all := extract.Statements(m.Text)
	picked := w.Points(all)
	for i, s := range all {
		if len(picked) < extract.MaxFindings && w.Observes(s) &&
			!slices.ContainsFunc(picked, func(p extract.Point) bool { return p.Text == s.Text }) {
			picked = append(picked, extract.Point{Statement: s, Kind: mem.FileNote, At: i})
		}
	}
	if len(picked) == 0 && len(all) > 0 && len(all[0].Text) >= extract.MinStatement {
		picked = []extract.Point{{Statement: all[0]}}
	}
	var out []mem.Memory
	for _, p := range picked[:min(len(picked), extract.MaxFindings)] {
		mm := m.NewMemory(mem.Discovery, mem.ScopeSession)
		mm.Title, mm.Body = p.TitleAndBody(about)
		mm.Body = chars.Clip(mm.Body, extract.MaxFinding-len(mm.Title))
		mm.Trust, mm.Origin = min(mem.TrustAssistant, m.Turn.Trust), mem.FromAssistant
		mm.Files = extract.FilesNamedIn(p.Text, nil)
		mm.Tags = []string{"subagent-discovery", extract.FindingTag(p.Kind, mm.Files)}
		mm.Concepts = extract.AppendNew(nil, chars.Clip(chars.Line(about), 120), 1)
		out = append(out, mm)
	}
	return out
}
