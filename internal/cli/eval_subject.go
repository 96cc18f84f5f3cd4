package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/api"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/fsx"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
	"remanence/internal/views"
)

// examined is a store of its own in a temporary directory, behind the same
// engine as the daemon's. It implements eval.Subject.
type examined struct {
	dir    string
	store  *index.Store
	engine *engine.Engine
	begun  time.Time       // when there is no other time to go by
	now    time.Time       // the present of the query
	newest time.Time       // of what is kept
	known  map[string]bool // projects
	embeds bool
}

// openExamined opens an empty store, with the settings and rules that everybody
// begins with, so that a run has the same outcome everywhere. Without an
// embedder words alone are searched for.
func openExamined(ctx context.Context, now time.Time, em event.Embedder) (*examined, error) {
	return openExam(ctx, now, &redact.Redactor{}, event.Defaults(event.Lean), em, func(string) error { return nil })
}

// openOwn opens a copy of the person's store, with the person's settings.
func (a *app) openOwn(ctx context.Context) (*examined, error) {
	if err := a.hasDatabase(); err != nil {
		return nil, err
	}
	cfg, _ := config.LoadConfig(a.Paths.Config, a.Sys.Getenv) // its mistakes are shown by config validate
	em, err := configuredEmbedder(cfg, a.Sys.Getenv)
	if err != nil {
		return nil, err
	}
	made, err := ask(ctx, a, daemon.BackupStore, api.Nothing{})
	if err != nil {
		return nil, err
	}
	x, err := openExam(ctx, a.Sys.Now(), a.readOnlyRedactor(), cfg.Settings(), em, func(file string) error {
		return fsx.Move(made.Path, file)
	})
	if err != nil {
		_ = os.Remove(made.Path) // gone already unless it could not be moved
	}
	return x, err
}

// openExam opens the store that put puts at a path, or a new one if it puts none.
// All of it is gone after close.
func openExam(ctx context.Context, now time.Time, redactor *redact.Redactor, settings event.Settings, em event.Embedder,
	put func(file string) error,
) (x *examined, err error) {
	dir, err := os.MkdirTemp("", "remanence-eval-")
	if err != nil {
		return nil, fmt.Errorf("make scratch store: %w", err)
	}
	x = &examined{dir: dir, begun: now, now: now, known: map[string]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.close())
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
	x.store = index.NewStore(st)
	c := engine.Config{
		Store: x.store, Redactor: redactor, Now: x.clock,
		Settings: func() event.Settings { return settings },
		Project:  project.Identify,
		Rel:      project.Rel,
	}
	if em != nil {
		x.embeds = true
		settings.EmbedWait = max(settings.EmbedWait, examWait)
		c.Embedder = func() event.Embedder { return em }
	}
	x.engine = engine.New(c)
	return x, nil
}

// examWait is how long an exam waits for a question's vector: what is measured
// is what a model finds, not whether this machine runs it in time.
const examWait = 30 * time.Second

// configuredEmbedder is the embedder of the configuration; nil where none is chosen.
func configuredEmbedder(cfg config.Config, getenv func(string) string) (event.Embedder, error) {
	em, err := cfg.EmbedChoice().Embedder(getenv)
	if err != nil {
		return nil, fault.Embedding.Because("%s", err).WithExit(fault.ExitFailed)
	}
	if em == nil { // none is nil for the engine too
		return nil, nil
	}
	return em, nil
}

func (x *examined) clock() time.Time { return x.now }

func (x *examined) close() error {
	var err error
	if x.store != nil {
		err = x.store.Close()
	}
	return errors.Join(err, os.RemoveAll(x.dir))
}

// Keep implements eval.Subject. Their projects become known, and the present
// is after the newest.
func (x *examined) Keep(ctx context.Context, ms []mem.Memory) ([]string, error) {
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
func (x *examined) Settle(ctx context.Context) error {
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
		if err := x.engine.Recall.CalibrateProject(ctx, project); err != nil {
			return err
		}
	}
	return nil
}

// embedAll makes vectors of all that is kept.
func (x *examined) embedAll(ctx context.Context) error {
	if err := x.engine.Recall.EmbedAll(ctx); err != nil {
		return err
	}
	for {
		jobs, err := x.store.Lease(ctx, mem.JobKinds{}, x.now, time.Hour, 1)
		if err != nil || len(jobs) == 0 {
			return err
		}
		if jobs[0].Kind != event.JobEmbed { // of the person's history: not the exam's business
			continue
		}
		b, err := x.engine.Work(ctx, jobs[0])
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fault.Embedding.Because("%s", err).WithExit(fault.ExitFailed)
		case len(b.Jobs) > 0 && b.Jobs[0].NotBefore.After(x.now):
			return fault.Embedding.Because("it wants to be left alone until %s",
				b.Jobs[0].NotBefore.Format(time.TimeOnly)).WithExit(fault.ExitFailed)
		}
		b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		if _, err := x.store.Apply(ctx, b); err != nil {
			return err
		}
	}
}

// Search implements eval.Subject.
func (x *examined) Search(ctx context.Context, ask recall.SearchRequest) (recall.SearchResponse, error) {
	x.asOf(ask.Query.Before)
	return x.engine.Recall.Search(ctx, ask)
}

// Next implements eval.Subject.
func (x *examined) Next(ctx context.Context, ask views.NextRequest) (mem.Receipt, error) {
	x.asOf(ask.Before)
	return x.engine.Next(ctx, ask)
}

// asOf sets the current time of the subject: that of the question, or just after the newest memory.
func (x *examined) asOf(t time.Time) {
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
func (x *examined) Bytes() int64 { return daemon.BytesIn(x.dir) }
