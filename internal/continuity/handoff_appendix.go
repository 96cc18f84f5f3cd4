package continuity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Handoffs reads and writes the handoff files of projects.
type Handoffs interface {
	// ReadHandoff returns the content of the file; the zero value if there is none.
	ReadHandoff(p mem.Project) (mem.HandoffNote, error)
	// WriteHandoff replaces the file with the text.
	WriteHandoff(p mem.Project, text string) error
	// WriteTail replaces the generated appendix of the file.
	WriteAppendix(p mem.Project, text string) error
	// EraseHandoff removes the appendix, and the whole file if the rest contains one
	// of the folded lines.
	EraseHandoff(p mem.Project, lines []string) error
}

// maxAppendixPrompts bounds the newest prompts that an appendix lists.
const maxAppendixPrompts = 5

// AppendixLater queues a job that writes the handoff appendix, if there are handoff files.
func (s *Service) AppendixLater(ec event.Context) event.Changes {
	if s.Handoffs == nil || !ec.Person() {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobTail, Session: ec.Session, Key: event.JobTail, Data: event.JobData(ec.Event),
	}}}
}

// WriteAppendix writes the handoff appendix: what happened in the session since its
// handoff. It uses no model.
func (s *Service) WriteAppendix(ctx context.Context, ec event.Context) error {
	if s.Handoffs == nil || ec.SessionInfo.ID == "" {
		return nil
	}
	cp, err := s.Checkpoint(ctx, ec, mem.TriggerHandoff)
	if err != nil {
		return err
	}
	demands, err := s.promptsSinceHandoff(ctx, ec)
	if err != nil {
		return err
	}
	return s.Handoffs.WriteAppendix(ec.Project, appendixText(cp, demands))
}

// promptsSinceHandoff returns the user's newest prompts after the session's handoff,
// oldest first.
func (s *Service) promptsSinceHandoff(ctx context.Context, ec event.Context) ([]string, error) {
	cps, err := s.Store.Checkpoints(
		ctx,
		mem.CheckpointQuery{Session: ec.Session, Trigger: mem.TriggerHandoff, Limit: 1},
	)
	if err != nil {
		return nil, fmt.Errorf("handoff: %w", err)
	}
	turns, err := s.Store.Turns(ctx, ec.Session, 50)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	var out []string
	for _, t := range turns { // newest first
		old := len(cps) > 0 && !t.At.After(cps[0].At)
		if t.Number > 0 && t.Text != "" && t.Text != event.OwnCommand && !old && len(out) < maxAppendixPrompts {
			out = append([]string{extract.Request(t.Text)}, out...)
		}
	}
	return out, nil
}

// appendixText lists prompts, edited files, commands and open work.
func appendixText(cp mem.Checkpoint, demands []string) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, chars.Line(text))
		}
	}
	for _, d := range demands {
		line("asked", d)
	}
	line("edited", strings.Join(cp.State.Files, ", "))
	for _, c := range cp.Evidence.Commands {
		line(fmt.Sprintf("ran, exit %d", c.Exit), strings.TrimSuffix("`"+c.Command+"` "+c.Note, " "))
	}
	for _, o := range cp.State.Open {
		line("open", o)
	}
	return b.String()
}

// HandoffsToErase returns the projects whose handoff files may contain purged text, and the
// lines to look for, including words.
func (s *Service) HandoffsToErase(ctx context.Context, ids, words []string) ([]mem.Project, []string, error) {
	if s.Handoffs == nil {
		return nil, words, nil
	}
	projects := map[string]bool{}
	ms, err := s.Store.PurgeMemories(ctx, ids...)
	if err != nil {
		return nil, nil, err
	}
	for _, mm := range ms {
		words = append(words, mem.Traces(mm)...)
		projects[mm.Project] = true
	}
	for _, id := range ids {
		sess, err := s.Store.Session(ctx, id)
		if errors.Is(err, mem.ErrNotFound) {
			continue // a memory
		}
		if err != nil {
			return nil, nil, err
		}
		lines, err := s.sessionLines(ctx, sess)
		if err != nil {
			return nil, nil, err
		}
		words, projects[sess.Project] = append(words, lines...), true
	}
	delete(projects, "")
	var places []mem.Project
	for key := range projects {
		p, err := s.Event.Place(ctx, mem.ProjectRef{Project: key})
		if errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("project %s: %w", key, err)
		}
		places = append(places, p)
	}
	return places, words, nil
}

// EraseHandoffs removes the lines from the handoff files of projects.
func (s *Service) EraseHandoffs(projects []mem.Project, lines []string) error {
	for _, p := range projects {
		if err := s.Handoffs.EraseHandoff(p, lines); err != nil {
			return fmt.Errorf("handoff: %w", err)
		}
	}
	return nil
}

// sessionLines returns the lines of a session's prompts, handoffs and notes.
func (s *Service) sessionLines(ctx context.Context, sess mem.Session) ([]string, error) {
	out := chars.TracesOfText(sess.FirstPrompt)
	turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	for _, t := range turns {
		out = append(out, chars.TracesOfText(t.Text)...)
	}
	cps, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: sess.ID, Limit: event.WholeSession})
	if err != nil {
		return nil, fmt.Errorf("checkpoints: %w", err)
	}
	for _, cp := range cps {
		out = append(append(out, chars.TracesOfText(cp.Handoff)...), chars.TracesOfText(cp.Note)...)
	}
	return out, nil
}
