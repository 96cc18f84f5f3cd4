package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"remanence/internal/briefing"
	"remanence/internal/capture"
	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// userPromptSubmit keeps a prompt and answers it with the state line and what
// is known about what was asked. Nothing to say is a normal answer.
func (e *Engine) userPromptSubmit(ctx context.Context, m *event.Context) (mem.Reply, error) {
	if strings.HasPrefix(strings.TrimSpace(m.Text), event.OwnCommand) {
		m.Batch.Turn.Text = event.OwnCommand
		return mem.Reply{}, nil
	}
	if !m.Person() || chars.IsClientText(m.Text) {
		return mem.Reply{}, e.Recall.Inherit(ctx, m)
	}
	m.Batch.Session.Processing, m.Batch.Session.Status = new(true), mem.Running
	if !extract.Agrees(m.Text) {
		m.Batch.Session.FirstPrompt = chars.Clip(extract.Request(m.Text), 200)
	}
	m.Batch.Turn.Person, m.Batch.Turn.Text, m.Batch.Turn.Private = true, m.Text, m.Private
	if (m.SessionInfo.Prompts+1)%capture.ArchiveEvery == 0 {
		m.Take(e.Capture.TranscriptLater(*m, capture.KeyArchive))
	}
	if m.Private {
		return mem.Reply{}, nil
	}
	directive, asked, err := e.Continuity.HandoffDirective(ctx, *m)
	e.Event.LogDegraded("handoff", err)
	m.Directive = directive
	m.Take(asked)
	n, err := e.nudge(ctx, m)
	e.Event.LogDegraded("state line", err)
	within, done := context.WithTimeout(ctx, recall.RecallWithin+e.Slack)
	defer done()
	hits, r, err := e.promptRecall(within, m)
	e.Event.LogDegraded("recall", err)
	gone, err := e.Continuity.CompactionLoss(ctx, *m)
	e.Event.LogDegraded("what the summary left out", err)
	return mem.Reply{Context: recall.Above(m.Directive, e.tellPrompt(m, n, gone, hits, r))}, nil
}

// tellPrompt tells where the work stands, what a compaction took and what was found, in
// one block.
func (e *Engine) tellPrompt(m *event.Context, n nudge, gone continuity.Loss, hits []mem.Hit, r mem.Receipt) string {
	switch {
	case r.ID != "":
	case gone.Checkpoint != "":
		r = m.Receipt(recall.PlaceCompaction, m.Settings.Budgets.UserPrompt)
		r.Candidates = len(gone.Section.Items)
	case len(n.lines) == 0:
		return ""
	default:
		r = m.Receipt("nudge", 0)
	}
	hits, said := recall.Parted(hits)
	b := e.Recall.RecallBlock(m, "recall", hits)
	b.Sections = append(b.Sections, recall.Quotes(b, said, &r))
	if gone.Checkpoint != "" {
		b.Sections = append([]inject.Section{gone.Section}, b.Sections...)
		r.Marks, r.Compaction = append(r.Marks, continuity.AfterCompaction), &gone.Compaction
	}
	if len(n.lines) > 0 {
		state := inject.Section{Name: "state", Apart: true, Share: 100}
		for _, line := range n.lines {
			state.Items = append(state.Items, inject.Item{Text: line})
			r.Budget += m.Settings.NudgeTokens
		}
		b.Sections = append([]inject.Section{state}, b.Sections...)
		r.Marks = append(r.Marks, n.marks...)
	}
	return e.Recall.Inject(m, b, r)
}

// promptRecall finds what is known about the prompt. The receipt is zero where
// nothing is asked.
func (e *Engine) promptRecall(ctx context.Context, m *event.Context) ([]mem.Hit, mem.Receipt, error) {
	budget := m.Settings.Budgets.UserPrompt
	if budget == 0 || !m.Settings.Told(m.SessionInfo) {
		return nil, mem.Receipt{}, nil
	}
	if skip, err := e.Recall.Skips(ctx, m); skip || err != nil {
		return nil, mem.Receipt{}, err
	}
	files, err := e.Recall.FilesAtHand(ctx, m)
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	hits, r, err := e.Recall.Recall(ctx, m, recall.Question{
		Trigger: "prompt", Asked: m.Text, Files: files, Budget: budget, Most: m.Settings.MaxMemories,
		Query: mem.Query{NotKinds: recall.NotRecalled()},
	})
	// a task that this project knows nothing about is not one of it
	if err == nil && len(hits) > 0 && rank.NewTask(m.Text) {
		hits, err = e.Recall.WithRules(ctx, m, hits, &r)
	}
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	said, err := e.Recall.QuotesBefore(ctx, m, files, hits, &r)
	e.Event.LogDegraded("what was said", err)
	return append(hits, said...), r, nil
}

// nudgeAgain is how many prompts may pass without a state line when it is given on change.
const nudgeAgain = 10

// nudge is what a prompt is told of where the work stands: the state line, and
// reminders, whose marks say that they were given.
type nudge struct{ lines, marks []string }

// nudge is the one line that says where the work stands, if it is due or there
// is something to remind of.
func (e *Engine) nudge(ctx context.Context, m *event.Context) (n nudge, err error) {
	if m.Settings.NudgeEvery == event.NudgeNever || m.Settings.NudgeTokens == 0 || m.SessionInfo.ID == "" {
		return nudge{}, nil
	}
	reminders, marks, err := e.Briefing.Reminders(ctx, m)
	if err != nil {
		return nudge{}, err
	}
	line, err := e.stateLine(ctx, m)
	if err != nil {
		return nudge{}, err
	}
	due := m.Settings.NudgeEvery == event.NudgeAlways || line != m.SessionInfo.StateLine ||
		m.SessionInfo.Prompts-m.SessionInfo.StateLinePrompt >= nudgeAgain || len(reminders) > 0
	if due && line != "" && chars.Tokens(line) <= m.Settings.NudgeTokens {
		m.Batch.Session.StateLine = &line
		n.lines = []string{line}
	}
	n.lines, n.marks = append(n.lines, reminders...), marks
	return n, nil
}

// stateLine says in one line what is next and what is in the way; empty if
// neither is known.
func (e *Engine) stateLine(ctx context.Context, m *event.Context) (string, error) {
	if m.Mind.Trusted {
		return strings.TrimPrefix(briefing.MindLine(m.Mind), inject.HeadMemory+" "), nil
	}
	turns, err := e.Store.Turns(ctx, m.Session, 1)
	if err != nil {
		return "", fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: m.Project.Key, Session: m.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate, Limit: 3,
	})
	if err != nil {
		return "", fmt.Errorf("failing commands: %w", err)
	}
	s, err := e.Continuity.State(ctx, m.Project.Key, m.Session, turns, own)
	if err != nil {
		return "", err
	}
	line := inject.Nudge(s.Phase, cmp.Or(extract.First(s.Next), extract.First(s.Open)),
		cmp.Or(extract.First(s.Waiting), extract.First(s.Blocked)), "")
	return strings.TrimPrefix(line, inject.HeadMemory+" "), nil // the block has that header itself
}
