package views

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/shell"
)

// Bounds of a story, per sort of record.
const (
	maxStoryEvents = 4000
	maxStoryOthers = 500
)

// SessionStory lists what happened in a session, in order and by lanes.
func (s *Service) SessionStory(ctx context.Context, req MemoryRequest) (SessionStory, error) {
	sess, err := s.Store.Session(ctx, req.ID)
	if err != nil {
		return SessionStory{}, err
	}
	out := SessionStory{Session: mem.SessionRow{Session: sess}, Entries: []StoryEntry{}}
	events, err := s.Store.Events(ctx, mem.EventQuery{Session: sess.ID, Limit: maxStoryEvents + 1})
	if err != nil {
		return out, fmt.Errorf("events of %s: %w", sess.ID, err)
	}
	if len(events) > maxStoryEvents {
		events = events[:maxStoryEvents]
		if out.Cut, err = s.olderEvents(ctx, sess.ID); err != nil {
			return out, err
		}
	}
	out.Activity = activity(events)
	turns, err := s.Store.Turns(ctx, sess.ID, maxStoryOthers)
	if err != nil {
		return out, fmt.Errorf("turns of %s: %w", sess.ID, err)
	}
	numbers := map[string]int{}
	for _, t := range turns {
		numbers[t.PromptID] = t.Number
	}
	p := mem.Project{Key: sess.Project, Name: sess.ProjectName, Root: sess.Root}
	for _, ev := range events {
		if b, ok := s.storyEntry(p, ev); ok {
			b.Prompt = numbers[ev.PromptID]
			out.Entries = append(out.Entries, b)
		}
	}
	if err := s.storyRecords(ctx, &out); err != nil {
		return out, err
	}
	slices.SortStableFunc(out.Entries, func(a, b StoryEntry) int { return a.At.Compare(b.At) })
	return out, nil
}

// olderEvents counts the events that the story of a session leaves out.
func (s *Service) olderEvents(ctx context.Context, session string) (int, error) {
	n, err := s.Store.CountEvents(ctx, session)
	return n - maxStoryEvents, err
}

// activity counts events, in any order.
func activity(events []mem.Event) (a Activity) {
	at := make([]time.Time, 0, len(events))
	for _, ev := range events {
		at = append(at, ev.At)
		switch ev.Kind {
		case mem.UserPromptSubmit:
			a.Prompts++
		case mem.PostToolUse, mem.PostToolUseFailure:
			a.Tools++
		}
	}
	slices.SortStableFunc(at, time.Time.Compare)
	for i := 1; i < len(at); i++ {
		if gap := at[i].Sub(at[i-1]); gap >= event.SilentFor {
			a.Gaps++
			a.IdleS += int(gap.Seconds())
		}
	}
	return a
}

// storyRecords adds the memories, injections and checkpoints of the session, and counts them.
func (s *Service) storyRecords(ctx context.Context, out *SessionStory) error {
	row := &out.Session
	ms, err := s.Store.List(ctx, mem.Query{Session: row.ID, Within: "*", Hidden: true, Limit: maxStoryOthers})
	if err != nil {
		return fmt.Errorf("memories of %s: %w", row.ID, err)
	}
	files := map[string]bool{}
	for _, mm := range ms {
		detail := string(mm.Kind)
		if mm.Status != mem.Active {
			detail += ", " + string(mm.Status)
		} else {
			row.Memories++
			for _, f := range mm.Files {
				files[f] = true
			}
		}
		if mm.Branch != "" && !slices.Contains(row.Branches, mm.Branch) {
			row.Branches = append(row.Branches, mm.Branch)
		}
		out.Entries = append(out.Entries, StoryEntry{
			ID: mm.ID, At: mm.Created, Lane: LaneMemory, Title: mm.Title, Detail: detail, Prompt: mm.Source.Prompt,
			Agent: mm.Source.AgentID,
		})
	}
	row.Files = len(files)
	titles, err := s.results(ctx, mem.Query{Session: row.ID})
	if err != nil {
		return err
	}
	row.Result = titles[row.ID]
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Session: row.ID, Limit: maxStoryOthers})
	if err != nil {
		return fmt.Errorf("receipts of %s: %w", row.ID, err)
	}
	for _, r := range rs {
		if r.Outcome == mem.Injected {
			row.Injections++
			row.InjectedTokens += r.Tokens
			out.Entries = append(out.Entries, StoryEntry{
				ID: r.ID, At: r.At, Lane: LaneInjection, Tokens: r.Tokens, Title: strings.ReplaceAll(r.Trigger, "_", " "),
				Detail: recall.ItemsOf(len(r.Items)) + ", " + Cost(r),
			})
		}
	}
	cs, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: row.ID, Limit: maxStoryOthers})
	if err != nil {
		return fmt.Errorf("checkpoints of %s: %w", row.ID, err)
	}
	for _, c := range cs {
		out.Entries = append(out.Entries, StoryEntry{
			ID: c.ID, At: c.At, Lane: LaneCheckpoint, Title: c.Trigger,
			Detail: chars.Clip(chars.Line(cmp.Or(c.Note, c.State.Request)), 200),
		})
	}
	return nil
}

// storyEntry converts an event to an entry of the story. ok is false for events that are not shown:
// their effects have entries of their own.
func (s *Service) storyEntry(p mem.Project, ev mem.Event) (b StoryEntry, ok bool) {
	b = StoryEntry{ID: ev.ID, At: ev.At, TookMS: ev.DurationMS, Agent: ev.AgentID}
	switch ev.Kind {
	case mem.UserPromptSubmit:
		b.Lane, b.Title = LanePrompt, chars.Clip(chars.Line(ev.Text), 240)
		if ev.Private {
			b.Title = "(private)"
		}
	case mem.Stop, mem.SubagentStop:
		b.Lane, b.Title, b.Detail = LanePrompt, "answered", chars.Clip(chars.Line(ev.Text), 240)
		if ev.Kind == mem.SubagentStop {
			b.Title = strings.TrimSpace("subagent " + ev.AgentType + " answered")
		}
	case mem.StopFailure:
		b.Lane, b.Title, b.Failed = LanePrompt, "failed: "+ev.Source, true
	case mem.PostToolUse, mem.PostToolUseFailure:
		s.toolEntry(p, ev, &b)
	case mem.PreCompact, mem.PostCompact:
		b.Lane, b.Title = LaneCompaction, "before, "+ev.Source
		if ev.Kind == mem.PostCompact {
			b.Title, b.Detail = "after, "+ev.Source, chars.Clip(chars.Line(ev.Text), 240)
		}
	case mem.SessionStart, mem.SessionEnd:
		b.Lane, b.Title = LanePrompt, "session started, "+ev.Source
		if ev.Kind == mem.SessionEnd {
			b.Title = "session ended, " + ev.Source
		}
		b.Title = strings.TrimSuffix(b.Title, ", ")
	default:
		return b, false
	}
	return b, true
}

// toolEntry sets the title and the lane of a tool call.
func (s *Service) toolEntry(p mem.Project, ev mem.Event, b *StoryEntry) {
	c := s.Event.ReadCall(ev, p)
	said, failed := c.Failed()
	b.Lane, b.Failed = LaneTool, failed || ev.Kind == mem.PostToolUseFailure
	b.Title = strings.TrimSpace(ev.Tool + " " + chars.Clip(chars.Line(cmp.Or(c.File, c.Command, c.Pattern, c.About)), 200))
	if b.Failed {
		b.Detail = chars.Clip(chars.Line(said), 240)
	}
	switch {
	case event.EditsFile(ev.Tool):
		b.Lane = LaneEdit
	case slices.ContainsFunc(shell.Checks(c.Plain), func(kind string) bool { return kind == "test" || kind == "check" }):
		b.Lane = LaneTest
	}
}
