package recall

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Above puts what we ask of the agent before what it is told.
func Above(asked, told string) string {
	if asked == "" || told == "" {
		return asked + told
	}
	return asked + "\n\n" + told
}

// recallWithin and briefWithin are how long a recall and a briefing may take.
// Whoever waits for longer leaves without an answer, and hands the event over
// again; so it is kept in time, and answered without.
const (
	RecallWithin = 180 * time.Millisecond
	BriefWithin  = 700 * time.Millisecond
)

// Inherit gives a turn that no person began, such as a subagent's report, the
// worst trust of the turns before it, and their privacy: what the subagent read
// and was asked is behind it.
func (e *Service) Inherit(ctx context.Context, ec event.Context) (event.Changes, error) {
	turns, err := e.Store.Turns(ctx, ec.Session, event.WholeSession)
	if err != nil {
		return event.Changes{}, fmt.Errorf("turns: %w", err)
	}
	if ec.PromptID == "" && len(turns) > 0 {
		ec.PromptID = turns[0].PromptID
	}
	var ch event.Changes
	for _, t := range turns {
		if t.Trust == mem.TrustNone {
			ch.Merge(event.Tainted())
		}
		ch.Turn.Private = ch.Turn.Private || t.Private
	}
	if ch.Turn.Private {
		ec.Text = ""
	}
	ch.Event = &ec.Event
	return ch, nil
}

// WithRules adds the project's conventions to what was found: a new task has to
// keep to them whether or not it names them, unless what was found says the same.
func (e *Service) WithRules(ctx context.Context, ec event.Context, hits []mem.Hit, r *mem.Receipt) ([]mem.Hit, error) {
	rules, _, err := e.Recall(ctx, ec, Question{
		Trigger: "prompt", Most: ec.Settings.MaxMemories, strict: true,
		Query: mem.Query{Kinds: []mem.Kind{mem.Convention, mem.Preference}, Order: mem.ByImportance, Limit: 5},
	})
	if err != nil {
		return nil, err
	}
	for _, h := range rules {
		ofIt := func(c mem.LeftOutItem) bool { return c.ID == h.Memory.ID }
		cut := slices.IndexFunc(r.LeftOut, ofIt)
		if len(hits) >= ec.Settings.MaxMemories || extract.Contains(hits, h.Memory.ID) || cut >= 0 &&
			r.LeftOut[cut].Gate == "duplicate" {
			continue
		}
		hits, r.LeftOut = append(hits, h), slices.DeleteFunc(r.LeftOut, ofIt)
	}
	return hits, nil
}

// Skips reports whether the prompt asks for nothing that memory could help
// with. One that is only short does if it speaks of the past or names what the
// store knows.
func (e *Service) Skips(ctx context.Context, ec event.Context) (bool, error) {
	p := strings.TrimSpace(ec.Text)
	short := rank.Trivial(p) || len([]rune(p)) < ec.Settings.MinPromptChars && !strings.ContainsFunc(p, chars.Wide)
	if !short || rank.Courtesy(p) {
		return short, nil
	}
	if rank.RefersBack(p) {
		return false, nil
	}
	known, err := e.namesKnown(ctx, ec, p)
	return !known, err
}

// namesKnown reports whether a text names a file that memories are about, or a
// symbol or an error that one holds.
func (e *Service) namesKnown(ctx context.Context, ec event.Context, text string) (bool, error) {
	for _, name := range rank.Names(text) {
		q := mem.Query{Project: ec.Project.Key, Within: ec.Session, NotKinds: NotRecalled(), Limit: 1}
		q.File = e.Rel(ec.Project, name)
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return false, fmt.Errorf("memories of %s: %w", name, err)
		}
		q.File, q.Text, q.Terms = "", name, rank.Terms(name)
		q.Terms = q.Terms[:min(len(q.Terms), 1)] // all of it; its parts come after
		hits, err := e.Store.Match(ctx, q)
		if err != nil {
			return false, fmt.Errorf("memories that name %s: %w", name, err)
		}
		if len(ms)+len(hits) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// FilesAtHand are the files the session touched last.
func (e *Service) FilesAtHand(ctx context.Context, ec event.Context) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{
		Session: ec.Session, Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate,
		Limit: 5,
	})
	if err != nil {
		return nil, fmt.Errorf("files at hand: %w", err)
	}
	return extract.FilesOf(ms), nil
}

// perFile is how many memories of each file at hand are looked at whatever their words.
const perFile = 5

// ofFiles adds to the matches of a question what is known of the files at hand.
// Many memories may match better by the words alone; whether these are worth
// telling is decided by the same rules.
func (e *Service) ofFiles(ctx context.Context, q mem.Query, files []string, hits []mem.Hit) ([]mem.Hit, error) {
	if len(q.Kinds) > 0 {
		return hits, nil
	}
	q.Kinds, q.Limit, q.Offset, q.Order = event.Knowledge(), perFile, 0, mem.ByImportance
	for _, f := range files[:min(len(files), mem.MaxAnchors)] {
		q.File = f
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories of %s: %w", f, err)
		}
		for _, mm := range ms {
			if !extract.Contains(hits, mm.ID) {
				hits = append(hits, mem.Hit{Memory: mm})
			}
		}
	}
	return hits, nil
}
