package engine

import (
	"context"
	"strings"
	"time"

	"remanence/internal/briefing"
	"remanence/internal/capture"
	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// userPromptSubmit stores a prompt and answers with the state line and the memories about its subject. An empty
// answer is normal.
func (e *Engine) userPromptSubmit(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if strings.HasPrefix(strings.TrimSpace(ec.Text), event.OwnCommand) {
		return mem.Reply{}, event.Changes{Turn: mem.TurnChange{Text: event.OwnCommand}}, nil
	}
	if !ec.Person() || chars.IsClientText(ec.Text) {
		ch, err := e.Recall.Inherit(ctx, ec)
		return mem.Reply{}, ch, err
	}
	var ch event.Changes
	if (ec.SessionInfo.Prompts+1)%capture.ArchiveEvery == 0 {
		ch = e.Capture.TranscriptLater(ec, capture.KeyArchive)
	}
	ch.Session = mem.SessionChange{Processing: new(true), Status: mem.Running}
	ch.Turn = mem.TurnChange{Person: true, Text: ec.Text, Private: ec.Private}
	if !extract.Agrees(ec.Text) {
		ch.Session.FirstPrompt = extract.ShortRequest(ec.Text, 200)
	}
	if ec.Private {
		return mem.Reply{}, ch, nil
	}
	directive, err := e.Continuity.HandoffDirective(ctx, ec)
	e.Event.LogDegraded("handoff", err)
	if directive != "" {
		ch.Session.HandoffArmed = new(false)
	}
	r, stateLine := e.promptReceipt(ctx, ec, directive, recall.RecallWithin+e.Slack, e.Event.LogDegraded)
	ch.Session.StateLine = stateLine
	if r.ID != "" {
		ch.Receipts = append(ch.Receipts, r)
	}
	return mem.Reply{Context: recall.Above(directive, r.Text)}, ch, nil
}

// promptReceipt returns the receipt of what is injected with a prompt below the directive, the zero value for
// nothing, and the state line if it is in it. Each part is left out on an error, which is reported. The recall, with
// the note request, takes no longer than limit.
func (e *Engine) promptReceipt(ctx context.Context, ec event.Context, directive string, limit time.Duration,
	failed func(string, error),
) (r mem.Receipt, stateLine *string) {
	n, err := e.Briefing.StateLines(ctx, ec)
	failed("state line", err)
	gone, err := e.Continuity.CompactionLoss(ctx, ec)
	failed("what the summary left out", err)
	within, done := context.WithTimeout(ctx, limit)
	defer done()
	if directive == "" { // it asks for more than a note
		n.Request, n.RequestMark, err = e.Briefing.NoteRequest(within, ec)
		failed("note request", err)
	}
	hits, r, err := e.Recall.Prompt(within, ec)
	failed("recall", err)
	return e.promptBlock(ec, directive, n, gone, hits, r), n.StateLine
}

// promptBlock renders the state line, restored pieces and search hits as one block, and returns its receipt; the
// zero value if there is nothing to inject. directive precedes it, and the note request, an instruction, precedes the
// block, whose content is none.
func (e *Engine) promptBlock(ec event.Context, directive string, n briefing.StateLines, gone continuity.Loss,
	hits []mem.Hit, r mem.Receipt,
) mem.Receipt {
	switch {
	case r.ID != "":
	case gone.Checkpoint != "":
		r = ec.Receipt(recall.PlaceCompaction, ec.Settings.Budgets.UserPrompt)
		r.Candidates = len(gone.Section.Items)
	case len(n.Lines) == 0 && n.Request == "":
		return mem.Receipt{}
	default:
		r = ec.Receipt("nudge", 0)
	}
	b := e.Recall.PromptBlock(ec, hits, &r)
	b.Before = len(directive) + len(n.Request)
	if gone.Checkpoint != "" {
		b.Sections = append([]inject.Section{gone.Section}, b.Sections...)
		r.Marks, r.Compaction = append(r.Marks, continuity.AfterCompaction), &gone.Compaction
	}
	if len(n.Lines) > 0 {
		state := inject.Section{Name: "state", Apart: true, Share: 100}
		for _, line := range n.Lines {
			state.Items = append(state.Items, inject.Item{Text: line})
		}
		r.Budget += n.Budget
		b.Sections = append([]inject.Section{state}, b.Sections...)
		r.Marks = append(r.Marks, n.Marks...)
	}
	r = e.Recall.Inject(ec, b, r)
	if n.Request != "" {
		tokens := chars.Tokens(n.Request)
		r.Text, r.Marks, r.Outcome = recall.Above(n.Request, r.Text), append(r.Marks, n.RequestMark), mem.Injected
		r.Budget, r.Tokens = r.Budget+tokens, r.Tokens+tokens
	}
	return r
}
