package eval

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"remanence/internal/mem"
)

// History is what an exam of the person's own history is made from.
type History interface {
	Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error)
	Turns(ctx context.Context, session string, limit int) ([]mem.Turn, error)
	List(ctx context.Context, q mem.Query) ([]mem.Memory, error)
	Stats(ctx context.Context, project string, today time.Time) (mem.Stats, error)
}

const (
	wholeHistory = 100000 // more sessions, and turns of one, than anybody has
	shortPrompt  = 12     // letters; shorter ones ask for nothing
	common       = 12     // memories; a file that more are about does not distinguish them
	gainFile     = 1      // it is about a file that the turn worked on
	gainCommand  = 2      // it is about a command that the turn ran
)

// Own makes an exam of a history, without a model: what a person asked is the
// question, and what the turn then worked on says which memories of earlier
// sessions would have helped: those on a file that it touched or a command that
// it ran. What was learned since the session began may not be found. No word
// need be shared, so that scores are lower than on suites made by people; they
// compare two runs over one history.
func Own(ctx context.Context, h History) (Suite, error) {
	stats, err := h.Stats(ctx, "", time.Time{})
	if err != nil {
		return Suite{}, fmt.Errorf("counts: %w", err)
	}
	return Suite{Name: "own", Kept: true, Size: stats.Memories, NotKinds: rawKinds(), Parts: ownParts(ctx, h)}, nil
}

// rawKinds are the raw stuff of memory, which answers nothing by itself.
func rawKinds() []mem.Kind { return []mem.Kind{mem.Change, mem.Snapshot, mem.Scratch, mem.Utterance} }

// ownParts are a part for each session.
func ownParts(ctx context.Context, h History) iter.Seq2[Part, error] {
	return func(yield func(Part, error) bool) {
		sessions, err := h.Sessions(ctx, mem.SessionQuery{Limit: wholeHistory})
		if err != nil {
			yield(Part{}, fmt.Errorf("sessions: %w", err))
			return
		}
		for _, s := range sessions {
			p, err := ownSession(ctx, h, s)
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func ownSession(ctx context.Context, h History, s mem.Session) (Part, error) {
	turns, err := h.Turns(ctx, s.ID, wholeHistory)
	if err != nil {
		return Part{}, fmt.Errorf("turns of %s: %w", s.Short, err)
	}
	var p Part
	for _, t := range turns {
		text := strings.TrimSpace(t.Text)
		if t.Number == 0 || t.Private || len([]rune(text)) < shortPrompt || strings.HasPrefix(text, "/") {
			continue
		}
		q := Question{
			ID: fmt.Sprintf("%s/%d", s.Short, t.Number), Project: s.Project, Text: text, AsOf: s.Created,
			Relevant: map[string]float64{}, Sessions: map[string]bool{},
		}
		if err := answers(ctx, h, t, &q); err != nil {
			return Part{}, fmt.Errorf("question %s: %w", q.ID, err)
		}
		p.Questions = append(p.Questions, q)
	}
	return p, nil
}

// answers finds what would have helped in a turn.
func answers(ctx context.Context, h History, t mem.Turn, q *Question) error {
	worked, err := h.List(ctx, mem.Query{Session: t.Session, PromptID: t.PromptID, Within: t.Session, Limit: 200})
	if err != nil {
		return err
	}
	looked := map[string]bool{}
	for _, m := range worked {
		if c := m.Command; c != "" && !looked["$"+c] {
			looked["$"+c] = true
			if err := helped(ctx, h, mem.Query{Command: c}, gainCommand, q); err != nil {
				return err
			}
		}
		for _, f := range m.Files {
			if looked[f] {
				continue
			}
			looked[f] = true
			if err := helped(ctx, h, mem.Query{File: f}, gainFile, q); err != nil {
				return err
			}
		}
	}
	return nil
}

// helped counts the memories of earlier sessions that a query names as answers,
// unless they are many.
func helped(ctx context.Context, h History, by mem.Query, gain float64, q *Question) error {
	by.Project, by.Before, by.NotKinds, by.Limit = q.Project, q.AsOf, rawKinds(), common+1
	found, err := h.List(ctx, by)
	if err != nil || len(found) > common {
		return err
	}
	for _, m := range found {
		q.Relevant[m.ID] = max(gain, q.Relevant[m.ID])
		if m.Session != "" {
			q.Sessions[m.Session] = true
		}
	}
	return nil
}
