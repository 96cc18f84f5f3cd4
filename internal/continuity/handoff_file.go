package continuity

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// Handoffs reads and writes the handoff files of projects.
type Handoffs interface {
	// ReadHandoff returns the content of the file; the zero value if there is none.
	ReadHandoff(p mem.Project) (vaultfile.Handoff, error)
	// WriteHandoff replaces the file with the text.
	WriteHandoff(p mem.Project, text string) error
	// WriteAppendix replaces the generated appendix of the file.
	WriteAppendix(p mem.Project, text string) error
	// EraseHandoff removes the appendix, and the whole file if the rest contains one
	// of the folded lines.
	EraseHandoff(p mem.Project, lines []string) error
}

// pastHandoffs bounds the earlier handoffs that a handoff file is compared with.
const pastHandoffs = 100

// fileTimeSlack is how far a file's modification time may lag behind the clock:
// kernels round it to ticks.
const fileTimeSlack = 20 * time.Millisecond

// ReadHandoffFile stores an edited handoff file as a handoff. A text that equals an
// earlier handoff is ignored: the file is out of date.
func (s *Service) ReadHandoffFile(ctx context.Context, ec event.Context, by event.Author) error {
	if s.Handoffs == nil || ec.Project.Key == "" || ec.Project.Key == event.Nowhere.Key {
		return nil
	}
	note, err := s.Handoffs.ReadHandoff(ec.Project)
	if err != nil {
		return fmt.Errorf("handoff file: %w", err)
	}
	text := WholeLines(strings.TrimSpace(s.Redactor.Prompt(note.Rich)), MaxHandoff)
	if text == "" {
		return nil
	}
	past, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{
		Project: ec.Project.Key, Trigger: mem.TriggerHandoff, Limit: pastHandoffs,
	})
	if err != nil {
		return fmt.Errorf("past handoffs: %w", err)
	}
	if slices.ContainsFunc(past, func(cp mem.Checkpoint) bool { return cp.Handoff == text }) ||
		len(past) > 0 && note.At.Before(past[0].At.Add(-fileTimeSlack)) {
		return nil
	}
	if by, err = s.AuthorAt(ctx, by, note.Changed); err != nil || by.Private {
		return err
	}
	handoff, err := s.HandoffContext(ctx, HandoffRequest{
		ProjectRef: mem.ProjectRef{Project: ec.Project.Key},
		Session:    ec.SessionInfo.ID,
	})
	if errors.Is(err, mem.ErrNotFound) { // the project is not stored yet
		return nil
	}
	if err != nil {
		return err
	}
	defer handoff.Files.Close()
	at := handoff.At
	if note.At.Before(at) {
		at = note.At
	}
	if len(past) > 0 && !at.After(past[0].At) { // the file was edited after that handoff
		at = past[0].At.Add(1)
	}
	_, err = s.storeHandoff(ctx, handoff, at, text, by.Trust)
	return err
}

// WholeLines cuts a text to at most n characters, at a line end if there is one.
func WholeLines(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if end := strings.LastIndexByte(s, '\n'); end > 0 {
		s = s[:end]
	}
	return strings.TrimSpace(s)
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
		words = append(words, mm.Traces()...)
		projects[mm.Project] = true
	}
	for _, id := range ids {
		sess, err := s.Store.Session(ctx, id)
		if errors.Is(err, mem.ErrNotFound) {
			continue // the ID of a memory
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
