package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"remanence/internal/curate"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
)

// checkRoundTrip writes to a scratch store and looks whether it finds that again.
func (a *Checks) checkRoundTrip(ctx context.Context) Check {
	if err := a.roundTrip(ctx); err != nil {
		return Bad("round trip", true, fault.Trip.Because("%s", err))
	}
	return Good("round trip", true, "written, indexed and found again in a scratch store")
}

func (a *Checks) roundTrip(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "remanence-doctor-")
	if err != nil {
		return fmt.Errorf("make scratch store: %w", err)
	}
	defer os.RemoveAll(dir)
	st, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(dir, "scratch.db"), Now: a.Sys.Now})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	e := engine.New(engine.Config{
		Store: st, Redactor: &redact.Redactor{}, Now: a.Sys.Now,
		Settings: func() event.Settings { return event.Defaults(event.Lean) },
		Project:  func(string) (mem.Project, error) { return mem.Project{Key: "p_000000000000", Name: "scratch"}, nil },
		Rel:      func(_ mem.Project, path string) string { return path },
	})
	at := mem.ProjectRef{Dir: dir}
	kept, err := e.Curate.Add(ctx, curate.AddRequest{ProjectRef: at, Text: "the lighthouse keeper counts herons"})
	if err != nil {
		return err
	}
	found, err := e.Recall.Search(ctx, recall.SearchRequest{ProjectRef: at, Query: mem.Query{Text: "heron counting"}})
	if err != nil {
		return err
	}
	if len(found.Hits) != 1 || found.Hits[0].Memory.ID != kept.ID {
		return fmt.Errorf("kept %s, found %d memories", kept.ID, len(found.Hits))
	}
	return nil
}
