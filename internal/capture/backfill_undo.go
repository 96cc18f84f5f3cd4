package capture

import (
	"context"
	"fmt"
	"math"
	"slices"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// BackfilledMemories returns the memories that only backfilled sessions made, of a project or of all. Pinned memories
// are left out.
func (s *Service) BackfilledMemories(ctx context.Context, project string) (out []mem.Memory, err error) {
	made, err := s.Event.UpTo(ctx, math.MaxInt, mem.Query{
		Tags: []string{mem.BackfillTag}, Within: "*", Statuses: event.Findable(),
	})
	if err != nil {
		return nil, err
	}
	sessions := map[string]bool{} // of the project
	const page = 200
	for offset := 0; ; offset += page {
		list, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: project, Limit: page, Offset: offset})
		if err != nil {
			return nil, fmt.Errorf("sessions: %w", err)
		}
		for _, sess := range list {
			sessions[sess.ID] = true
			said, err := s.Event.UpTo(ctx, math.MaxInt, mem.Query{ // there is no index of the tags of utterances
				Session: sess.ID, Within: "*", Kinds: []mem.Kind{mem.Utterance}, Statuses: event.Findable(),
			})
			if err != nil {
				return nil, err
			}
			made = append(made, said...)
		}
		if len(list) < page {
			break
		}
	}
	for _, mm := range made {
		if !mm.Pinned && slices.Contains(mm.Tags, mem.BackfillTag) &&
			(project == "" || mm.Project == project || sessions[mm.Session]) {
			out = append(out, mm)
		}
	}
	return out, nil
}

// SupersededOnlyBy returns the ids of memories that only backfilled ones superseded. Of a chain of these it is the
// memory before the first.
func (s *Service) SupersededOnlyBy(ctx context.Context, made []mem.Memory) ([]string, error) {
	gone, targets := map[string]bool{}, []string{}
	for _, mm := range made {
		gone[mm.ID] = true
		if mm.Supersedes != "" {
			targets = append(targets, mm.Supersedes)
		}
	}
	var out []string
	for known := map[string]bool{}; len(targets) > 0; {
		found, err := s.Store.List(ctx, mem.Query{IDs: targets, ExactIDs: true, Hidden: true})
		if err != nil {
			return nil, fmt.Errorf("superseded memories: %w", err)
		}
		targets = nil
		for _, mm := range found {
			switch {
			case known[mm.ID] || mm.Status != mem.Superseded:
			case !slices.Contains(mm.Tags, mem.BackfillTag):
				out = append(out, mm.ID)
			case mm.Supersedes != "":
				targets = append(targets, mm.Supersedes)
			}
			known[mm.ID] = true
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	left, err := s.Event.UpTo(ctx, math.MaxInt, mem.Query{Within: "*", Statuses: event.Findable()})
	for _, mm := range left {
		if !gone[mm.ID] && mm.Supersedes != "" {
			out = slices.DeleteFunc(out, func(id string) bool { return id == mm.Supersedes })
		}
	}
	return out, err
}
