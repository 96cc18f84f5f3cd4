package capture

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// chosenDecision returns the decision by which this turn's prompt picks an option of
// the previous answer. The edits add the user's words to that turn's summary and end
// the other options.
func (s *Service) chosenDecision(
	ctx context.Context, t turn, asked mem.Turn, answer string,
) (mm mem.Memory, edits []mem.Edit, ok bool, err error) {
	if answer == "" || len([]rune(t.Turn.Text)) > extract.MaxPick || extract.AsksToCommit(t.Turn.Text) {
		return mm, nil, false, nil
	}
	did := slices.ContainsFunc(t.did, func(o mem.Memory) bool { return o.Kind == mem.Change })
	c, ok := extract.Choice(asked.Text, answer, t.Turn.Text, did)
	if !ok {
		return mm, nil, false, nil
	}
	mm = t.NewMemory(mem.Decision, mem.ScopeProject)
	if mm.Title, mm.Body = extract.TitleAndBody(c.Said()); c.Why != "" {
		mm.Body = chars.Clip(chars.Line(strings.TrimRight(c.Said(), ".")+". "+c.Why), extract.MaxStatement)
	}
	mm.Trust, mm.Origin = extract.CapTrust(min(mem.TrustAssistant, t.Turn.Trust, asked.Trust), t.did), mem.FromAssistant
	mm.Tags, mm.Concepts = []string{extract.DigestTag}, extract.TopicsOf(asked.Text)
	mm.Files = extract.FilesNamedIn(mm.Text(), nil)
	if c.Words != "" {
		if edits, err = s.amendSummary(ctx, t.Context, asked.PromptID, c.Words); err != nil {
			return mm, nil, false, err
		}
	}
	over, err := s.endOptions(ctx, t.Context, asked.PromptID, c.Among)
	return mm, append(edits, over...), true, err
}

// withReply adds what the prompt says as the reply to questions of the previous answer. It
// takes the place of statements of the prompt that are part of it.
func withReply(t turn, stated []mem.Memory, answer string) []mem.Memory {
	if answer == "" {
		return stated
	}
	text, ok := extract.Reply(answer, t.Turn.Text)
	if !ok {
		return stated
	}
	mm := t.NewMemory(mem.Decision, mem.ScopeProject)
	if mm.Title = text; len([]rune(text)) > extract.MaxTitle {
		mm.Title, mm.Body = extract.WholeTitle(t.Turn.Text, extract.MaxTitle), text
	}
	mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
	mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(text, nil)
	out := []mem.Memory{mm}
	for _, o := range stated {
		if !strings.Contains(text, strings.TrimRight(cmp.Or(o.Body, o.Title), "….")) {
			out = append(out, o)
		} else if o.Kind == mem.Convention || o.Kind == mem.Preference {
			out[0].Kind = o.Kind
		}
	}
	return out
}

// endOptions supersedes the open items that were options of an answer: the decision
// replaces all of them.
func (s *Service) endOptions(
	ctx context.Context, ec event.Context, prompt string, among []extract.Option,
) ([]mem.Edit, error) {
	if len(among) == 0 || ec.Turn.Trust == mem.TrustNone {
		return nil, nil
	}
	open, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, PromptID: prompt, Kinds: []mem.Kind{mem.Todo},
		Tags: []string{extract.DigestTag}, Open: true, Limit: 20,
	})
	if err != nil {
		return nil, fmt.Errorf("items put to choice: %w", err)
	}
	var out []mem.Edit
	over := mem.Superseded
	for _, o := range open {
		said := cmp.Or(o.Body, o.Title)
		if !o.Pinned && slices.ContainsFunc(among, func(a extract.Option) bool { return a.Holds(said) }) {
			out = append(out, mem.Edit{ID: o.ID, Status: &over})
		}
	}
	return out, nil
}

// previousAnswer returns the previous turn of the user with the lower trust of both
// turns, and its last answer; "" if there is none, or one of the turns is private or
// untrusted.
func (s *Service) previousAnswer(ctx context.Context, ec event.Context) (asked mem.Turn, answer string, err error) {
	if ec.Turn.Number < 2 || ec.Turn.Private || ec.Turn.Trust == mem.TrustNone {
		return asked, "", nil
	}
	turns, err := s.Store.Turns(ctx, ec.Session, 20)
	if err != nil {
		return asked, "", fmt.Errorf("turn before: %w", err)
	}
	stops, err := s.Store.Events(ctx, mem.EventQuery{Session: ec.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: 5})
	if err != nil {
		return asked, "", fmt.Errorf("answer before: %w", err)
	}
	i := slices.IndexFunc(stops, func(stop mem.Event) bool { return stop.PromptID != ec.PromptID })
	if i < 0 {
		return asked, "", nil
	}
	worst := mem.TrustUser
	for _, t := range turns { // newest first
		if t.PromptID != stops[i].PromptID && t.Number != ec.Turn.Number-1 {
			continue
		}
		if worst = min(worst, t.Trust); t.Private || t.Trust == mem.TrustNone || len(t.Text) > extract.PastedLength {
			return asked, "", nil
		}
		if t.Number == ec.Turn.Number-1 {
			asked, answer = t, stops[i].Text
		}
	}
	asked.Trust = worst
	return asked, answer, nil
}

// amendSummary returns the edit that adds the user's words to a turn's summary.
func (s *Service) amendSummary(ctx context.Context, ec event.Context, prompt, words string) ([]mem.Edit, error) {
	old, err := s.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Summary}, Limit: 20,
	})
	if err != nil {
		return nil, fmt.Errorf("summary of the turn before: %w", err)
	}
	i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == "turn:"+prompt })
	if i < 0 || old[i].Body == "" {
		return nil, nil
	}
	o := old[i]
	o.Body = chars.Clip(o.Body, extract.MaxStatement) + fmt.Sprintf(" Then the person: “%s”", words)
	o.Index = rank.Index(o)
	return []mem.Edit{{ID: o.ID, Body: &o.Body, Index: &o.Index}}, nil
}

// answered returns the decisions that the person made by answering the agent's question
// tool. Of a turn that read external text they have its trust: the options may be its.
func answered(ec event.Context) event.Changes {
	var ch event.Changes
	if slices.Contains(ec.Settings.SkipTools, ec.Tool) {
		return ch
	}
	for _, a := range extract.Answers(ec.Input, ec.Response) {
		mm := ec.NewMemory(mem.Decision, mem.ScopeProject)
		mm.Title, mm.Body = extract.TitleAndBody(a.Said())
		if a.About != "" {
			mm.Body = chars.Clip(a.Said()+". "+a.About, extract.MaxStatement)
		}
		mm.Trust, mm.Origin, mm.Confidence = mem.TrustUser, mem.FromUserPrompt, event.ConfidenceUser
		if ec.Turn.Trust == mem.TrustNone {
			mm.Trust = mem.TrustNone
		}
		mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(mm.Text(), nil)
		ch.Memories = append(ch.Memories, mm)
	}
	return ch
}

// approved returns what the plan lays down that the person approved. The agent wrote it.
func approved(ec event.Context) event.Changes {
	var ch event.Changes
	if slices.Contains(ec.Settings.SkipTools, ec.Tool) {
		return ch
	}
	for _, p := range extract.FromPerson(extract.PlanOf(ec.Input, ec.Response), "") {
		if !p.Pasted || p.Before {
			continue
		}
		mm := ec.NewMemory(p.Kind, mem.ScopeProject)
		mm.Title, mm.Body = extract.TitleAndBody(p.Text)
		mm.Trust, mm.Origin = min(mem.TrustAssistant, ec.Turn.Trust), mem.FromAssistant
		mm.Tags, mm.Files = []string{extract.StatedTag}, extract.FilesNamedIn(p.Text, nil)
		ch.Memories = append(ch.Memories, mm)
	}
	return ch
}
