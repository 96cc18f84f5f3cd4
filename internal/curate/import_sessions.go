package curate

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// MaxSessionID bounds the id of an imported session, in bytes.
const MaxSessionID = 120

// IsSessionID reports whether a text can be the id of an imported session.
func IsSessionID(id string) bool {
	return id != "" && len(id) <= MaxSessionID && id == chars.Line(id)
}

// importSessions stores sessions with their prompts as events of the past. A session that a client reported, or whose
// transcript was read, is left as it is. One that was imported before gets only the prompts that are new.
func (s *Service) importSessions(ctx context.Context, req ImportRequest, places *importPlaces, out *ImportResponse,
) error {
	for _, one := range req.Sessions { // before any is written
		if !IsSessionID(one.ID) || one.Began.IsZero() {
			return fmt.Errorf("session %q: %w", chars.Clip(chars.Line(one.ID), 40), ErrImportSession)
		}
	}
	for _, one := range req.Sessions {
		known, err := s.Event.SessionOf(ctx, one.ID)
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		erased, err := s.Store.ErasedUntil(ctx, one.ID)
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		if known.ID != "" && known.Source != mem.Imported || !erased.IsZero() {
			out.OldSessions++
			continue
		}
		p, err := places.find(ctx, cmp.Or(one.Project, req.Project))
		if err != nil {
			return err
		}
		if req.DryRun {
			out.Prompts += len(one.Prompts)
			out.count(known.ID == "")
			continue
		}
		got, err := s.Store.Apply(ctx, sessionBatches(s.Redactor, one, p, req.Assistant)...)
		if err != nil {
			return fmt.Errorf("import session %s: %w", one.ID, err)
		}
		for _, r := range got {
			if r.Prompt > 0 {
				out.Prompts++
			}
		}
		out.count(!got[0].Duplicate)
	}
	return nil
}

// count counts a session.
func (r *ImportResponse) count(isNew bool) {
	if isNew {
		r.Sessions++
	} else {
		r.OldSessions++
	}
}

// sessionBatches returns the start of a session, its prompts and its end. The first prompt is injected as the title of
// the session, so it is one only if the person trusts the import.
func sessionBatches(r *redact.Redactor, one ImportedSession, p mem.Project, trusted bool) []mem.Batch {
	agent := cmp.Or(r.Prompt(one.Agent), "claude-code")
	change := mem.SessionChange{Agent: agent, Project: p.Key, ProjectName: p.Name, Root: p.Root, Cwd: p.Root}
	last := one.Began
	batch := func(kind mem.EventKind, at time.Time, nonce string) mem.Batch {
		ev := mem.Event{
			Agent: agent, Kind: kind, At: at, Session: one.ID, Root: p.Root, Cwd: p.Root, Source: mem.Imported, Recovered: true,
		}
		ev.Identify(nonce)
		c := change
		if at.After(last) {
			last = at
		}
		b := mem.Batch{Event: &ev, Session: &c}
		if p.Key != "" {
			b.Project = &p
		}
		return b
	}
	start := batch(mem.SessionStart, one.Began, "record")
	start.Session.Source, start.Session.Status = mem.Imported, mem.Initialized
	out := []mem.Batch{start}
	for i, prompt := range one.Prompts {
		text := chars.Clip(r.Prompt(prompt.Text), event.MaxField)
		if text == "" {
			continue
		}
		b := batch(mem.UserPromptSubmit, firstTime(prompt.At, last), "")
		b.Event.PromptID, b.Event.Text, b.Event.Source = mem.ImportedPrompt+strconv.Itoa(i+1), text, ""
		b.Event.Identify("")
		b.Turn = &mem.TurnChange{Person: true, Text: text, Taint: mem.TrustNone, Tainted: !trusted}
		if trusted && !inject.Suspicious(text) {
			b.Session.FirstPrompt = extract.ShortRequest(text, 200)
		}
		out = append(out, b)
	}
	end := batch(mem.SessionEnd, firstTime(one.Ended, last), "record-"+event.StampOf(firstTime(one.Ended, last)))
	end.Session.Status, end.Session.EndReason, end.Session.Processing = mem.Completed, mem.Imported, new(false)
	return append(out, end)
}

// firstTime returns at, or otherwise if that is zero or earlier.
func firstTime(at, otherwise time.Time) time.Time {
	if at.Before(otherwise) {
		return otherwise
	}
	return at
}
