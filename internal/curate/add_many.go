package curate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// batchSize is how many memories one batch holds. It is small enough for a capture waiting for the
// same writer, and large enough to make the cost of each synchronised write negligible.
const batchSize = 256

// AddMany stores many memories and returns their IDs in order. The ID is "" for a memory that is empty
// after redaction. Without a title a memory gets its first line, without an importance that of its
// kind. Their projects must be known to the store to be found by project. Memories are stored in
// batches: after an error the earlier batches stay stored, and their IDs are returned.
func (s *Service) AddMany(ctx context.Context, ms []mem.Memory) ([]string, error) {
	ids := make([]string, 0, len(ms))
	for group := range slices.Chunk(ms, batchSize) {
		part, err := s.keepGroup(ctx, group)
		if err != nil {
			return ids, fmt.Errorf("keep: %w", err)
		}
		ids = append(ids, part...)
	}
	return ids, nil
}

func (s *Service) keepGroup(ctx context.Context, group []mem.Memory) ([]string, error) {
	ids := make([]string, len(group))
	var places []int // indexes into group of the stored memories
	var b mem.Batch
	for i, mm := range group {
		if mm = prepare(s.Redactor, mm); mm.Title != "" {
			b.Memories, places = append(b.Memories, mm), append(places, i)
		}
	}
	if len(b.Memories) == 0 {
		return ids, nil
	}
	event.Indexed(b.Memories)
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return nil, err
	}
	for i, at := range places {
		ids[at] = res[0].IDs[i]
	}
	return ids, nil
}

// prepare redacts a memory from elsewhere and fills in its title and importance. Its title is "" if
// nothing is left to store.
func prepare(r *redact.Redactor, mm mem.Memory) mem.Memory {
	mm.Title, mm.Body = r.Prompt(mm.Title), r.Prompt(mm.Body)
	mm.Command = r.Text(mm.Command)
	for _, list := range []*mem.Strings{&mm.Facts, &mm.Concepts, &mm.Tags, &mm.Files} {
		*list = redactList(r, *list)
	}
	mm.Modified = redactList(r, mm.Modified)
	if sum := mm.Summary; sum != nil {
		mm.Summary = &mem.SummaryText{
			Request:      r.Prompt(sum.Request),
			Investigated: r.Prompt(sum.Investigated),
			Learned:      r.Prompt(sum.Learned),
			Completed:    r.Prompt(sum.Completed),
			NextSteps:    r.Prompt(sum.NextSteps),
			Notes:        r.Prompt(sum.Notes),
		}
		mm.Title = cmp.Or(mm.Title, mm.Summary.Request, mm.Summary.Completed)
	}
	if mm.Title == "" {
		mm.Title, mm.Body = extract.Headline(mm.Body)
	}
	mm.Title = chars.Clip(chars.Line(mm.Title), 160)
	if info, _ := mm.Kind.Info(); mm.Importance == 0 {
		mm.Importance = info.Importance
	}
	return mm
}

func redactList(r *redact.Redactor, list []string) []string {
	var out []string
	for _, text := range list {
		if text = r.Text(text); strings.TrimSpace(text) != "" {
			out = append(out, text)
		}
	}
	return out
}
