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
// is known about its subject. An empty answer is normal.
func (e *Engine) userPromptSubmit(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if strings.HasPrefix(strings.TrimSpace(ec.Text), event.OwnCommand) {
		return mem.Reply{}, event.Changes{Turn: mem.TurnChange{Text: event.OwnCommand}}, nil
	}
	if !ec.Person() || chars.IsClientText(ec.Text) {
		ch, err := e.Recall.Inherit(ctx, ec)
		return mem.Reply{}, ch, err
	}
	ch := event.Changes{
		Session: mem.SessionChange{Processing: new(true), Status: mem.Running},
		Turn:    mem.TurnChange{Person: true, Text: ec.Text, Private: ec.Private},
	}
	if !extract.Agrees(ec.Text) {
		ch.Session.FirstPrompt = chars.Clip(extract.Request(ec.Text), 200)
	}
	if (ec.SessionInfo.Prompts+1)%capture.ArchiveEvery == 0 {
		ch.Merge(e.Capture.TranscriptLater(ec, capture.KeyArchive))
	}
	if ec.Private {
		return mem.Reply{}, ch, nil
	}
	directive, asked, err := e.Continuity.HandoffDirective(ctx, ec)
	e.Event.LogDegraded("handoff", err)
	ch.Merge(asked)
	n, err := e.nudge(ctx, ec)
	e.Event.LogDegraded("state line", err)
	within, done := context.WithTimeout(ctx, recall.RecallWithin+e.Slack)
	defer done()
	hits, r, err := e.promptRecall(within, ec)
	e.Event.LogDegraded("recall", err)
	gone, err := e.Continuity.CompactionLoss(ctx, ec)
	e.Event.LogDegraded("what the summary left out", err)
	ch.Session.StateLine = n.stateLine
	r = e.promptBlock(ec, directive, n, gone, hits, r)
	if r.ID != "" {
		ch.Receipts = append(ch.Receipts, r)
	}
	return mem.Reply{Context: recall.Above(directive, r.Text)}, ch, nil
}

// promptBlock injects where the work stands, what a compaction took and what was found, in one block, and returns its
// receipt; the zero value if there is nothing to inject. directive stands before the block.
func (e *Engine) promptBlock(ec event.Context, directive string, n nudge, gone continuity.Loss, hits []mem.Hit,
	r mem.Receipt,
) mem.Receipt {
	switch {
	case r.ID != "":
	case gone.Checkpoint != "":
		r = ec.Receipt(recall.PlaceCompaction, ec.Settings.Budgets.UserPrompt)
		r.Candidates = len(gone.Section.Items)
	case len(n.lines) == 0:
		return mem.Receipt{}
	default:
		r = ec.Receipt("nudge", 0)
	}
	hits, said := recall.Parted(hits)
	b := e.Recall.RecallBlock(ec, "recall", hits)
	b.Before = len(directive)
	b.Sections = append(b.Sections, recall.Quotes(b, said, &r))
	if gone.Checkpoint != "" {
		b.Sections = append([]inject.Section{gone.Section}, b.Sections...)
		r.Marks, r.Compaction = append(r.Marks, continuity.AfterCompaction), &gone.Compaction
	}
	if len(n.lines) > 0 {
		state := inject.Section{Name: "state", Apart: true, Share: 100}
		for _, line := range n.lines {
			state.Items = append(state.Items, inject.Item{Text: line})
			r.Budget += ec.Settings.NudgeTokens
		}
		b.Sections = append([]inject.Section{state}, b.Sections...)
		r.Marks = append(r.Marks, n.marks...)
	}
	return e.Recall.Inject(ec, b, r)
}

// promptRecall finds what is known about the prompt. The receipt is zero where
// nothing is asked.
func (e *Engine) promptRecall(ctx context.Context, ec event.Context) ([]mem.Hit, mem.Receipt, error) {
	budget := ec.Settings.Budgets.UserPrompt
	if budget == 0 || !ec.Settings.Told(ec.SessionInfo) {
		return nil, mem.Receipt{}, nil
	}
	if skip, err := e.Recall.Skips(ctx, ec); skip || err != nil {
		return nil, mem.Receipt{}, err
	}
	files, err := e.Recall.FilesAtHand(ctx, ec)
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	hits, r, err := e.Recall.Recall(ctx, ec, recall.Question{
		Trigger: "prompt", Asked: ec.Text, Files: files, Budget: budget, Most: ec.Settings.MaxMemories,
		Query: mem.Query{NotKinds: recall.NotRecalled()},
	})
	// a task that this project knows nothing about is not one of it
	if err == nil && len(hits) > 0 && rank.NewTask(ec.Text) {
		hits, err = e.Recall.WithRules(ctx, ec, hits, &r)
	}
	if err != nil {
		return nil, mem.Receipt{}, err
	}
	said, err := e.Recall.QuotesBefore(ctx, ec, files, hits, &r)
	e.Event.LogDegraded("what was said", err)
	return append(hits, said...), r, nil
}

// nudgeAgain is how many prompts may pass without a state line when it is given on change.
const nudgeAgain = 10

// nudge is what is injected with a prompt about where the work stands: the state line, and reminders, whose marks say
// that they were given.
type nudge struct {
	lines, marks []string
	stateLine    *string // if it is among the lines
}

// nudge is the one line that says where the work stands, if it is due or there
// is something to remind of.
func (e *Engine) nudge(ctx context.Context, ec event.Context) (n nudge, err error) {
	if ec.Settings.NudgeEvery == event.NudgeNever || ec.Settings.NudgeTokens == 0 || ec.SessionInfo.ID == "" {
		return nudge{}, nil
	}
	reminders, marks, err := e.Briefing.Reminders(ctx, ec)
	if err != nil {
		return nudge{}, err
	}
	line, err := e.stateLine(ctx, ec)
	if err != nil {
		return nudge{}, err
	}
	due := ec.Settings.NudgeEvery == event.NudgeAlways || line != ec.SessionInfo.StateLine ||
		ec.SessionInfo.Prompts-ec.SessionInfo.StateLinePrompt >= nudgeAgain || len(reminders) > 0
	if due && line != "" && chars.Tokens(line) <= ec.Settings.NudgeTokens {
		n.stateLine, n.lines = &line, []string{line}
	}
	n.lines, n.marks = append(n.lines, reminders...), marks
	return n, nil
}

// stateLine says in one line what is next and what is in the way; empty if
// neither is known.
func (e *Engine) stateLine(ctx context.Context, ec event.Context) (string, error) {
	if ec.Mind.Trusted {
		return strings.TrimPrefix(briefing.MindLine(ec.Mind), inject.HeadMemory+" "), nil
	}
	turns, err := e.Store.Turns(ctx, ec.Session, 1)
	if err != nil {
		return "", fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate, Limit: 3,
	})
	if err != nil {
		return "", fmt.Errorf("failing commands: %w", err)
	}
	s, err := e.Continuity.State(ctx, ec.Project.Key, ec.Session, turns, own)
	if err != nil {
		return "", err
	}
	line := inject.Nudge(s.Phase, cmp.Or(extract.First(s.Next), extract.First(s.Open)),
		cmp.Or(extract.First(s.Waiting), extract.First(s.Blocked)), "")
	return strings.TrimPrefix(line, inject.HeadMemory+" "), nil // the block has that header itself
}
