// Package evalstore holds what an evaluation examines: an engine like the daemon's over a store of its own in a
// temporary directory. Start reading at Open.
package evalstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/daemon"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/views"
)

// Subject is a store of its own, in a temporary directory unless OpenOn opened it, behind the same
// engine as the daemon's. It implements eval.Subject.
type Subject struct {
	dir    string // "" if the store is elsewhere
	store  *index.Store
	engine *engine.Engine
	begun  time.Time       // when there is no other time to go by
	now    time.Time       // the present of the query
	newest time.Time       // of what is kept
	known  map[string]bool // projects
	embeds bool
}

// Store returns the store.
func (x *Subject) Store() mem.Store { return x.store }

// Dir returns the directory of the store.
func (x *Subject) Dir() string { return x.dir }

// Open opens an empty store, with the settings and rules that everybody
// begins with, so that a run has the same outcome everywhere. Without an
// embedder words alone are searched for.
func Open(ctx context.Context, now time.Time, em event.Embedder) (*Subject, error) {
	return OpenWith(ctx, now, &redact.Redactor{}, event.Defaults(event.Lean), em, empty)
}

// empty puts no store.
func empty(string) error { return nil }

// OpenWith opens the store that put puts at a path, or a new one if it puts none.
// All of it is gone after Close.
func OpenWith(ctx context.Context, now time.Time, redactor *redact.Redactor, settings event.Settings, em event.Embedder,
	put func(file string) error,
) (*Subject, error) {
	return open(ctx, now, put, func(x *Subject, c *engine.Config) {
		c.Redactor = redactor
		if em != nil {
			x.embeds = true
			settings.EmbedWait = max(settings.EmbedWait, examWait)
			c.Embedder = func() event.Embedder { return em }
		}
		c.Settings = func() event.Settings { return settings }
	})
}

// open opens the store of OpenWith behind an engine that set completes.
func open(ctx context.Context, now time.Time, put func(file string) error, set func(*Subject, *engine.Config)) (
	x *Subject, err error,
) {
	dir, err := os.MkdirTemp("", "remanence-eval-")
	if err != nil {
		return nil, fmt.Errorf("make scratch store: %w", err)
	}
	x = &Subject{dir: dir, begun: now, now: now, known: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
			x = nil
		}
	}()
	file := filepath.Join(dir, "exam.db")
	if err := put(file); err != nil {
		return nil, err
	}
	st, err := sqlite.Open(ctx, sqlite.Config{Path: file, Now: x.clock})
	if err != nil {
		return nil, err
	}
	x.serve(index.NewStore(st), set)
	return x, nil
}

// OpenOn is Open for an empty store elsewhere, such as on a server, which Close closes and does not remove. Without an
// embedder, words alone are searched for.
func OpenOn(now time.Time, st *index.Store) *Subject {
	x := &Subject{begun: now, now: now, known: map[string]bool{}}
	x.serve(st, func(_ *Subject, c *engine.Config) {
		settings := event.Defaults(event.Lean)
		c.Redactor = &redact.Redactor{}
		c.Settings = func() event.Settings { return settings }
	})
	return x
}

// serve puts a store behind an engine that set completes.
func (x *Subject) serve(st *index.Store, set func(*Subject, *engine.Config)) {
	x.store = st
	c := engine.Config{Store: x.store, Now: x.clock, Project: project.Identify, Rel: project.Rel}
	set(x, &c)
	x.engine = engine.New(c)
}

// examWait is how long an exam waits for a question's vector: what is measured
// is what a model finds, not whether this machine runs it in time.
const examWait = 30 * time.Second

func (x *Subject) clock() time.Time { return x.now }

// Close closes the store and removes it.
func (x *Subject) Close() error {
	var err error
	if x.store != nil {
		err = x.store.Close()
	}
	if x.dir != "" {
		err = errors.Join(err, os.RemoveAll(x.dir))
	}
	return err
}

// Keep implements eval.Subject. Their projects become known, and the present
// is after the newest.
func (x *Subject) Keep(ctx context.Context, ms []mem.Memory) ([]string, error) {
	var unknown []mem.Batch
	for _, m := range ms {
		if m.Project != "" && !x.known[m.Project] {
			x.known[m.Project] = true
			unknown = append(unknown, mem.Batch{Project: &mem.Project{Key: m.Project, Name: m.Project}})
		}
		if m.Created.After(x.newest) {
			x.newest = m.Created
		}
	}
	if _, err := x.store.Apply(ctx, unknown...); err != nil {
		return nil, err
	}
	return x.engine.Curate.AddMany(ctx, ms)
}

// Settle implements eval.Subject: it builds the index, makes vectors of all that is kept and
// calibrates recall.
func (x *Subject) Settle(ctx context.Context) error {
	if err := x.store.Build(ctx); err != nil {
		return err
	}
	if x.embeds {
		if err := x.embedAll(ctx); err != nil {
			return err
		}
	}
	x.asOf(time.Time{})
	for project := range x.known {
		if err := x.engine.Recall.Floors.CalibrateProject(ctx, project); err != nil {
			return err
		}
	}
	return nil
}

// embedAll makes vectors of all that is kept.
func (x *Subject) embedAll(ctx context.Context) error {
	if err := x.engine.Recall.EmbedAll(ctx); err != nil {
		return err
	}
	for {
		done, err := x.workOne(ctx, x.embed)
		if err != nil || !done {
			return err
		}
	}
}

// embed makes the vectors of a job. Jobs of other kinds are dropped: they are part of the person's history and not of
// the exam.
func (x *Subject) embed(ctx context.Context, job mem.Job) (mem.Batch, error) {
	if job.Kind != event.JobEmbed {
		return mem.Batch{}, nil
	}
	b, err := x.engine.Work(ctx, job)
	switch {
	case ctx.Err() != nil:
		return mem.Batch{}, ctx.Err()
	case err != nil:
		return mem.Batch{}, fault.Embedding.Because("%s", err).WithExit(fault.ExitFailed)
	case len(b.Jobs) > 0 && b.Jobs[0].NotBefore.After(x.now):
		return mem.Batch{}, fault.Embedding.Because("it wants to be left alone until %s",
			b.Jobs[0].NotBefore.Format(time.TimeOnly)).WithExit(fault.ExitFailed)
	}
	return b, nil
}

// workOne leases a job that is due, runs it with work and stores the result. It reports false if no job is due.
func (x *Subject) workOne(ctx context.Context, work func(context.Context, mem.Job) (mem.Batch, error)) (bool, error) {
	jobs, err := x.store.Lease(ctx, mem.JobKinds{}, x.now, time.Hour, 1)
	if err != nil || len(jobs) == 0 {
		return false, err
	}
	b, err := work(ctx, jobs[0])
	if err != nil {
		return false, fmt.Errorf("job %s: %w", jobs[0].Kind, err)
	}
	b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
	_, err = x.store.Apply(ctx, b)
	return err == nil, err
}

// Search implements eval.Subject.
func (x *Subject) Search(ctx context.Context, ask recall.SearchRequest) (recall.SearchResponse, error) {
	x.asOf(ask.Query.Before)
	return x.engine.Recall.Search(ctx, ask)
}

// Next implements eval.Subject.
func (x *Subject) Next(ctx context.Context, ask views.NextRequest) (mem.Receipt, error) {
	x.asOf(ask.Before)
	return x.engine.Next(ctx, ask)
}

// asOf sets the current time of the subject: that of the question, or just after the newest memory.
func (x *Subject) asOf(t time.Time) {
	switch {
	case !t.IsZero():
		x.now = t
	case !x.newest.IsZero():
		x.now = x.newest.Add(time.Second)
	default:
		x.now = x.begun
	}
}

// Bytes implements eval.Subject.
func (x *Subject) Bytes() int64 {
	if x.dir == "" {
		return 0 // the server's are not asked for
	}
	return daemon.BytesIn(x.dir)
}
