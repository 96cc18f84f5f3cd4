package event

import (
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

// JobBackfill is the kind of job that reads in transcripts from before.
const JobBackfill = "backfill"

// Backfill describes the transcripts of a backfill, and how far they were read in.
type Backfill struct {
	Sessions int       `json:"sessions"`
	Projects int       `json:"projects"`
	Bytes    int64     `json:"bytes"`
	From     time.Time `json:"from,omitzero"` // of the first message
	To       time.Time `json:"to,omitzero"`   // of the newest entry
	Known    int       `json:"known"`         // sessions that were captured live or read before

	ByProject []BackfillProject `json:"by_project,omitempty"` // those with most sessions first

	Running   bool      `json:"running"`           // until all sessions were read
	Already   bool      `json:"already,omitempty"` // it ran before it was asked for; the request is not queued
	Started   time.Time `json:"started,omitzero"`
	Done      int       `json:"done"`       // sessions that were read, or left out
	DoneBytes int64     `json:"done_bytes"` // of these
	LeftOut   int       `json:"left_out"`   // sessions for which there was a reason not to be read
	LeftOutAs Reasons   `json:"left_out_as,omitempty"`
	NotRead   int       `json:"not_read"` // sessions that could not be read
	Failed    []string  `json:"failed"`   // the first of these with the reason, up to MaxBackfillFailures
	GivenUp   string    `json:"given_up,omitempty"`
	Hidden    int       `json:"hidden"` // memories that undoing hid
}

// BackfillProject is one project of a backfill.
type BackfillProject struct {
	Name     string `json:"name"`
	Sessions int    `json:"sessions"`
	Bytes    int64  `json:"bytes"`
}

// Reasons counts the sessions that a backfill left out, by the reason.
type Reasons map[Reason]int

// Reason says why a session was left out of a backfill.
type Reason string

// The reasons.
const (
	AlreadyRead  Reason = "read in before"
	CapturedLive Reason = "captured live"
	PerhapsOpen  Reason = "perhaps still open"
	Excluded     Reason = "excluded by a setting"
	ErasedBefore Reason = "erased"
	WhilePaused  Reason = "capture is paused"
)

// MaxBackfillFailures bounds the failures that are described.
const MaxBackfillFailures = 20

// WithoutLaterChanges removes what an event of the past must not change: edits of memories that were made after it,
// and items of work as open ones if a later session of the project is known. Whether those were done since is not
// known.
func (e *Service) WithoutLaterChanges(ctx context.Context, m Context, c *Changes) error {
	if err := e.dropLaterEdits(ctx, m, c); err != nil {
		return fmt.Errorf("later memories: %w", err)
	}
	if !slices.ContainsFunc(c.Memories, func(mm mem.Memory) bool { return mm.Kind == mem.Todo && !mm.Resolved }) {
		return nil
	}
	newest, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: m.Project.Key, Since: m.At, Limit: 2})
	if err != nil {
		return fmt.Errorf("later sessions: %w", err)
	}
	if !slices.ContainsFunc(newest, func(s mem.Session) bool { return s.ID != m.Session }) {
		return nil
	}
	for i := range c.Memories {
		if c.Memories[i].Kind == mem.Todo {
			c.Memories[i].Resolved = true
		}
	}
	return nil
}

func (e *Service) dropLaterEdits(ctx context.Context, m Context, c *Changes) error {
	if len(c.Edits) == 0 {
		return nil
	}
	q := mem.Query{ExactIDs: true, Hidden: true}
	for _, ed := range c.Edits {
		q.IDs = append(q.IDs, ed.ID)
	}
	targets, err := e.Store.List(ctx, q)
	later := map[string]bool{}
	for _, mm := range targets {
		later[mm.ID] = mm.Created.After(m.At)
	}
	c.Edits = slices.DeleteFunc(c.Edits, func(ed mem.Edit) bool { return later[ed.ID] })
	return err
}
