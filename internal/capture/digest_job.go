package capture

import (
	"context"
	"fmt"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// A client writes the answer at the end of a turn into its transcript after it reported the end: within a second, on a
// busy machine within half a minute.
const (
	answerLooks = 12 // how often a job looks for it
	answerWait  = 4 * time.Second
)

// DigestTranscript returns the memories of a turn whose end came without the answer, which is the newest message of the
// assistant in said. If the client has not written it yet, it returns a job that looks again.
func DigestTranscript(
	ctx context.Context, s *Service, ec event.Context, job mem.Job, said []mem.Quote,
) (ch event.Changes, err error) {
	// The newest words may be of a later turn.
	if ec.Turn.Trust, err = s.Event.WorstSince(ctx, ec.Session, ec.PromptID); err != nil {
		return ch, err
	}
	tools, err := s.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, PromptID: ec.PromptID, Kinds: []mem.EventKind{mem.PostToolUse, mem.PostToolUseFailure}, Limit: 1,
	})
	if err != nil {
		return ch, fmt.Errorf("last tool of the turn: %w", err)
	}
	var newest mem.Quote
	for i := len(said) - 1; i >= 0 && newest.Text == ""; i-- {
		if said[i].Who == "assistant" {
			newest = said[i]
		}
	}
	late := newest.Text == "" || len(tools) > 0 && !newest.At.IsZero() && newest.At.Before(tools[0].At)
	if late && strings.Count(job.Key, "+") < answerLooks {
		job.Key, job.NotBefore = job.Key+"+", s.Now().Add(answerWait)
		return event.Changes{Jobs: []mem.Job{{
			Kind: job.Kind, Session: job.Session, Key: job.Key, Data: job.Data, NotBefore: job.NotBefore,
		}}}, nil
	}
	ec.Text = newest.Text
	return s.TurnEnd(ctx, ec)
}
