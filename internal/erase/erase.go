package erase

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// Erase removes memories and sessions from the archive and the store. The archive comes first: it
// needs the stored text to know what to remove. It is repeated at the end, since events may have been
// archived meanwhile.
func (s *Service) Erase(ctx context.Context, ids []string) (mem.Purged, error) {
	d, err := s.PlanArchive(ctx, ids)
	if err != nil {
		return mem.Purged{}, err
	}
	if err := d.rewrite(ctx, s.Archive); err != nil {
		return mem.Purged{}, err
	}
	p, err := s.Store.Purge(ctx, ids...)
	if err != nil {
		return p, err
	}
	return p, d.rewrite(ctx, s.Archive)
}

// ArchiveErasure is what to remove from the archive, by the agent's session ID.
type ArchiveErasure map[string]*sessionErasure

type sessionErasure struct {
	all     bool            // the whole session
	ids     map[string]bool // of archived utterances
	lines   []string        // folded; utterances that contain one are removed
	sources []mem.Memory    // utterances that these were made from are removed
}

// PlanArchive determines what a purge of ids removes from the archive. It returns ErrNotFound for an
// unknown id.
func (s *Service) PlanArchive(ctx context.Context, ids []string) (ArchiveErasure, error) {
	d := ArchiveErasure{}
	if s.Archive == nil {
		return d, nil
	}
	ms, err := s.Store.PurgeMemories(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, mm := range ms {
		if mm.Session == "" {
			continue
		}
		erasure := d.of(mm.Session)
		erasure.add(mm)
		if slices.Contains(ids, mm.ID) {
			erasure.sources = append(erasure.sources, mm)
		}
	}
	for _, id := range ids {
		if strings.HasPrefix(id, "m_") && slices.ContainsFunc(ms, func(mm mem.Memory) bool { return mm.ID == id }) {
			continue
		}
		sess, err := s.Store.Session(ctx, id)
		if err == nil && sess.ID != id && sess.Short != id {
			err = fmt.Errorf("%s: %w", id, mem.ErrNotFound)
		}
		if err != nil {
			return nil, err
		}
		d.of(sess.ID).all = true
	}
	return d, nil
}

// of returns the erasure of a session, and adds it if there is none.
func (d ArchiveErasure) of(session string) *sessionErasure {
	if d[session] == nil {
		d[session] = &sessionErasure{ids: map[string]bool{}}
	}
	return d[session]
}

// add adds the text of a memory.
func (e *sessionErasure) add(mm mem.Memory) {
	if mm.Kind == mem.Utterance {
		e.ids[extract.UtteranceID(mm)] = true
	}
	e.lines = append(e.lines, mm.Traces()...)
}

// matches reports whether an utterance is to be removed.
func (e *sessionErasure) matches(u mem.ArchivedUtterance) bool {
	if e.all || e.ids[u.ID] ||
		slices.ContainsFunc(e.sources, func(mm mem.Memory) bool { return mm.DerivedFrom(u.PromptID, u.Who) }) {
		return true
	}
	text := chars.Fold(u.Text)
	return slices.ContainsFunc(e.lines, func(line string) bool { return strings.Contains(text, line) })
}

// rewrite removes what the erasure matches from the archive.
func (d ArchiveErasure) rewrite(ctx context.Context, a event.Archive) error {
	for session, erasure := range d {
		err := a.Rewrite(ctx, session, func(u mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
			return u, !erasure.matches(u)
		})
		if err != nil {
			return fmt.Errorf("erase from the archive: %w", err)
		}
	}
	return nil
}

// inTranscripts is the place that Scan reports for finds in the archive.
const inTranscripts = "transcripts"

// scanArchive scans the archive, and with fix redacts it.
func (s *Service) scanArchive(ctx context.Context, fix bool, redactor *redact.Redactor, got *mem.ScanResponse) error {
	if s.Archive == nil {
		return nil
	}
	kinds := map[string]int{}
	clean := func(u mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		text, found := redactor.Scrub(u.Text)
		got.Records++
		if text == u.Text {
			return u, true
		}
		got.WithSecrets++
		kinds[PrivateSpan] += found.Private
		for kind, n := range found.Secrets {
			kinds[kind] += n
		}
		u.Text = text
		return u, text != ""
	}
	var err error
	if fix {
		err = s.Archive.Rewrite(ctx, "", clean)
	} else { // read-only: unreadable parts stay
		err = s.Archive.Each(ctx, func(u mem.ArchivedUtterance) { clean(u) })
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if kinds[kind] > 0 {
			got.Finds = append(got.Finds, mem.Find{Where: inTranscripts, Kind: kind, Count: kinds[kind], IDs: []string{}})
		}
	}
	if err != nil {
		return fmt.Errorf("scan the archive: %w", err)
	}
	return nil
}
