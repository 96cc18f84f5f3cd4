package erase

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/fault"
	"remanence/internal/mem"
)

const (
	memoryPage  = 1_000 // memories read at a time
	wordsListed = 100   // memories that a preview lists of each sort
	mostCounted = 200   // memories that hold words, of which a preview counts what goes with them
)

// PreviewWords returns how many records of each sort hold the words, the first 100 memories and quotes that do, and
// what goes with them: the first 100 such memories, and all in numbers. That takes as long as to erase it, so for more
// than 200 memories and quotes that hold the words it is left out. It erases nothing.
func (s *Service) PreviewWords(ctx context.Context, text string) (event.PurgeResponse, error) {
	h, out, err := s.holding(ctx, text)
	if err != nil || len(h.ids) == 0 || len(h.ids) > mostCounted {
		return out, err
	}
	ms, would, err := s.Store.PreviewPurge(ctx, h.ids...)
	if err != nil {
		return out, err
	}
	out.Purged = would
	out.With = slices.DeleteFunc(ms, func(m mem.Memory) bool { return slices.Contains(h.ids, m.ID) })
	out.With = out.With[:min(len(out.With), wordsListed)]
	return out, nil
}

// EraseWords erases the memories and quotes that hold the words by byID, and then every other line of text that holds
// them, in all projects. Its Mentions are those of a preview. What is erased by id does not come back from an agent's
// transcript.
func (s *Service) EraseWords(ctx context.Context, text string,
	byID func(context.Context, event.IDs) (event.PurgeResponse, error),
) (event.PurgeResponse, error) {
	h, found, err := s.holding(ctx, text)
	if err != nil {
		return found, err
	}
	out := event.PurgeResponse{Unreached: s.NotReached()}
	if len(h.ids) > 0 {
		if out, err = byID(ctx, event.IDs{IDs: h.ids}); err != nil {
			return out, err
		}
	}
	out.Mentions = found.Mentions
	if _, err = s.Store.Scrub(ctx, true, h.phrase.mayHold, h.phrase.cleaner(false)); err != nil {
		return out, err
	}
	if _, err = s.inArchive(ctx, h.phrase, true); err != nil {
		return out, err
	}
	// What stays is counted when the rest is gone.
	left, err := s.Store.Scrub(ctx, false, h.phrase.mayHold, h.phrase.cleaner(true))
	out.Unreached = append(out.Unreached, kept(left.Finds)...)
	return out, err
}

// holders are the ids of the memories and quotes whose statement holds a phrase.
type holders struct {
	phrase *phrase
	ids    []string
	quotes int // of the ids
}

// holding finds the holders of the words, and counts the records that hold them.
func (s *Service) holding(ctx context.Context, text string) (h holders, out event.PurgeResponse, err error) {
	if h.phrase, err = parsePhrase(text); err != nil {
		return h, out, err
	}
	got, err := s.Store.Scrub(ctx, false, h.phrase.mayHold, h.phrase.cleaner(true))
	if err != nil {
		return h, out, err
	}
	var others []mem.Count
	for _, f := range got.Finds {
		if f.Kind == holdsPhrase && f.Where != "memories" { // those are counted by their statements
			others = add(others, f.Where, f.Count)
		} else if f.Kind == holdsPhrase {
			if out.Memories, err = s.memoriesHolding(ctx, f, &h); err != nil {
				return h, out, fmt.Errorf("memories: %w", err)
			}
		}
	}
	out.Mentions = append(add(add(nil, "memories", len(h.ids)-h.quotes), "conversation", h.quotes), others...)
	archived, err := s.inArchive(ctx, h.phrase, false)
	out.Mentions = add(out.Mentions, inTranscripts, archived)
	out.Unreached = append(s.NotReached(), kept(got.Finds)...)
	return h, out, err
}

// memoriesHolding adds the memories and quotes that hold the phrase in their statement to h, and returns the first.
// Found are the records that hold it anywhere.
func (s *Service) memoriesHolding(ctx context.Context, found mem.Find, h *holders) (first []mem.Memory, err error) {
	for ids := range slices.Chunk(found.IDs, memoryPage) {
		ms, err := s.Store.List(ctx, mem.Query{IDs: ids, ExactIDs: true, Within: "*", Hidden: true})
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if own, _ := h.phrase.in(statement(m)); !own {
				continue
			}
			if h.ids = append(h.ids, m.ID); m.Kind == mem.Utterance {
				h.quotes++
			}
			if len(first) < wordsListed {
				first = append(first, m)
			}
		}
	}
	return first, nil
}

// statement is what a memory says and is about.
func statement(m mem.Memory) string {
	texts := slices.Concat([]string{m.Title, m.Body, m.Invariant, m.Command, m.Branch},
		m.Facts, m.Concepts, m.Tags, m.Files, m.Projects)
	if t := m.Summary; t != nil {
		texts = append(texts, t.Request, t.Investigated, t.Learned, t.Completed, t.NextSteps, t.Notes)
	}
	return strings.Join(texts, "\n")
}

// inArchive counts the archived utterances that hold the phrase, and with fix takes it out of them.
func (s *Service) inArchive(ctx context.Context, p *phrase, fix bool) (n int, err error) {
	if s.Archive == nil {
		return 0, nil
	}
	clean := func(u mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		if own, _ := p.in(u.Text); own {
			n++
			u.Text = p.without(u.Text)
		}
		return u, u.Text != Erased
	}
	if fix {
		err = s.Archive.Rewrite(ctx, "", clean)
	} else {
		err = s.Archive.Each(ctx, func(u mem.ArchivedUtterance) { clean(u) })
	}
	if err != nil {
		return n, fmt.Errorf("archive: %w", err)
	}
	return n, nil
}

// add adds a count unless it is 0.
func add(to []mem.Count, where string, n int) []mem.Count {
	if n == 0 {
		return to
	}
	return append(to, mem.Count{Value: where, N: n})
}

// kept names the records in which the phrase stays.
func kept(finds []mem.Find) (out []string) {
	names, words := 0, 0
	for _, f := range finds {
		switch f.Kind {
		case inName:
			names += f.Count
		case inWord:
			words += f.Count
		}
	}
	if names > 0 {
		out = append(out, fault.Count(names, "record has", "records have")+
			" it in a directory, an id or the name of a project or agent")
	}
	if words > 0 {
		out = append(out, fault.Count(words, "record has", "records have")+
			" it only within a longer word; to erase that, name the whole word")
	}
	return out
}
