package capture

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// maxCited bounds the memories that one text may cite.
const maxCited = 20

// Citations counts a use of each memory that the answers of turns cite, and queues the
// job that writes the counts into the vault.
func (s *Service) Citations(
	ctx context.Context, sess mem.Session, at time.Time, answers ...mem.ArchivedUtterance,
) (event.Changes, error) {
	var ch event.Changes
	for _, a := range answers {
		uses, err := s.cited(ctx, sess, a.PromptID, a.Text)
		if err != nil {
			return event.Changes{}, err
		}
		ch.Edits = append(ch.Edits, uses...)
	}
	if len(ch.Edits) > 0 && s.Event.CurrentVault() != nil {
		ch.Jobs = []mem.Job{s.Event.VaultJob(at)}
	}
	return ch, nil
}

// cited returns an edit that counts a use for each memory that an answer cites by
// its ID or file name, once per turn. An ID counts only if the memory was injected
// or has a file: identifiers in programs can look the same.
func (s *Service) cited(ctx context.Context, sess mem.Session, promptID, text string) ([]mem.Edit, error) {
	var out []mem.Edit
	add := func(id string) {
		if len(out) < maxCited && !slices.ContainsFunc(out, func(ed mem.Edit) bool { return ed.ID == id }) {
			use := mem.Use{Turn: event.TurnName(sess.ID, promptID), How: mem.Cited}
			out = append(out, mem.Edit{ID: id, Used: 1, UsedIn: use})
		}
	}
	ids, files := citedNames(text)
	for _, id := range ids[:min(len(ids), maxCited)] {
		ms, err := s.Store.List(ctx, mem.Query{IDs: []string{id}, Statuses: event.Findable(), Within: "*"})
		switch {
		case errors.Is(err, mem.ErrNotFound), errors.Is(err, mem.ErrAmbiguous):
		case err != nil:
			return nil, fmt.Errorf("cited: %w", err)
		case ms[0].ID == id && (sess.Injected[id] || ms[0].Note.File != ""):
			add(id)
		}
	}
	if len(files) == 0 {
		return out, nil
	}
	ms, err := s.Event.Noted(ctx)
	if err != nil {
		return nil, err
	}
	for _, mm := range ms {
		base := path.Base(mm.Note.File)
		if mm.Status == mem.Active && (files[base] || files[strings.TrimSuffix(base, ".md")]) {
			add(mm.ID)
		}
	}
	return out, nil
}

// citedNames returns the words of a text that may be IDs of memories, and those that
// may be file names.
func citedNames(text string) (ids []string, files map[string]bool) {
	words := strings.FieldsFunc(text, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	files = map[string]bool{}
	for _, w := range words {
		w = strings.Trim(w, ".-")
		switch {
		case strings.HasPrefix(w, "m_"):
			if id, _, _ := strings.Cut(w, "-"); !slices.Contains(ids, id) {
				ids = append(ids, strings.TrimRight(id, "."))
			}
		case strings.HasSuffix(w, ".md"), strings.ContainsRune(w, '_'):
			files[w] = true
		}
	}
	return ids, files
}
