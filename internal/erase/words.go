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
	memoryPage  = 2000 // memories read at a time
	wordsListed = 100  // memories that a preview lists
)

// PreviewWords returns what EraseWords would erase: the memories and quotes that hold the words with all that goes with
// them, and how many records of each sort hold the words. It lists at most 100 memories, and erases nothing.
func (s *Service) PreviewWords(ctx context.Context, text string) (event.PurgeResponse, error) {
	h, out, err := s.holding(ctx, text, s.PreviewPurge)
	if err != nil {
		return out, err
	}
	out.Memories = slices.DeleteFunc(out.Memories, func(m mem.Memory) bool { return !slices.Contains(h.ids, m.ID) })
	out.Memories = out.Memories[:min(len(out.Memories), wordsListed)]
	out.Mentions = add(add(nil, "memories", len(h.ids)), "conversation", len(h.quotes))
	return out, s.takeOut(ctx, h.phrase, false, &out)
}

// EraseWords erases the memories and quotes that hold the words by byID, and then every other line of text that holds
// them, in all projects. What is erased by id does not come back from an agent's transcript.
func (s *Service) EraseWords(ctx context.Context, text string,
	byID func(context.Context, event.IDs) (event.PurgeResponse, error),
) (event.PurgeResponse, error) {
	h, out, err := s.holding(ctx, text, byID)
	if err != nil {
		return out, err
	}
	return out, s.takeOut(ctx, h.phrase, true, &out)
}

// holders are the ids of the memories and of the quotes whose statement holds a phrase.
type holders struct {
	phrase      *phrase
	ids, quotes []string
}

// holding finds the holders of the words, and returns what purge returns for all of them.
func (s *Service) holding(ctx context.Context, text string,
	purge func(context.Context, event.IDs) (event.PurgeResponse, error),
) (h holders, out event.PurgeResponse, err error) {
	if h.phrase, err = parsePhrase(text); err != nil {
		return h, out, err
	}
	if h.ids, err = s.idsHolding(ctx, h.phrase, nil); err == nil {
		h.quotes, err = s.idsHolding(ctx, h.phrase, []mem.Kind{mem.Utterance})
	}
	if err != nil {
		return h, out, fmt.Errorf("memories: %w", err)
	}
	if all := slices.Concat(h.ids, h.quotes); len(all) > 0 {
		out, err = purge(ctx, event.IDs{IDs: all})
		return h, out, err
	}
	out.Unreached = s.NotReached()
	return h, out, nil
}

func (s *Service) idsHolding(ctx context.Context, p *phrase, kinds []mem.Kind) (ids []string, err error) {
	q := mem.Query{Kinds: kinds, Within: "*", Hidden: true, Order: mem.Oldest, Limit: memoryPage}
	for {
		ms, err := s.Store.List(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if own, _ := p.in(statement(m)); own {
				ids = append(ids, m.ID)
			}
		}
		if len(ms) < memoryPage {
			return ids, nil
		}
		q.Offset += memoryPage
	}
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

// takeOut counts the records that hold the phrase, and with fix takes it out of them. It names what stays.
func (s *Service) takeOut(ctx context.Context, p *phrase, fix bool, out *event.PurgeResponse) error {
	got, err := s.Store.Scrub(ctx, fix, p.cleaner(!fix))
	if err != nil {
		return err
	}
	archived, err := s.takeOutOfArchive(ctx, p, fix)
	if err != nil {
		return err
	}
	left := got
	if fix { // what stays is counted when the rest is gone
		if left, err = s.Store.Scrub(ctx, false, p.cleaner(true)); err != nil {
			return err
		}
	}
	for _, f := range got.Finds {
		if f.Kind == holdsPhrase && (fix || f.Where != "memories") { // a preview counts them by their statements
			out.Mentions = add(out.Mentions, f.Where, f.Count)
		}
	}
	out.Mentions = add(out.Mentions, inTranscripts, archived)
	out.Unreached = append(out.Unreached, kept(left.Finds)...)
	return nil
}

// takeOutOfArchive counts the archived utterances that hold the phrase, and with fix takes it out of them.
func (s *Service) takeOutOfArchive(ctx context.Context, p *phrase, fix bool) (n int, err error) {
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
