package filesync

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/workstate"
)

// stateFileTag tags memories made from parts of state files. Briefings inject the files instead.
const stateFileTag = "state-file"

// maxStateFileParts bounds the indexed parts of a project's state files.
const maxStateFileParts = 600

// IndexStateFilesLater queues a job that indexes the state files, if they changed since
// the last time.
func IndexStateFilesLater(ec event.Context) event.Changes {
	if !ec.Mind.Present || ec.Mind.Indexed {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobMind, Session: ec.Session, Key: "mind:" + ec.Mind.Stamp, Data: event.JobData(ec.Event),
	}}}
}

// indexStateFiles makes the state files of a project searchable now.
func (s *Service) indexStateFiles(ctx context.Context, p mem.Project) error {
	b, markIndexed, err := s.stateFileBatch(ctx, p)
	if err != nil {
		return err
	}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("store parts of state files: %w", err)
	}
	return markIndexed()
}

// stateFileBatch returns the batch that makes state files searchable, one memory per part. Memories of
// removed parts are superseded. If the files are not trusted any more, their memories stay but lose
// their trust.
func (s *Service) stateFileBatch(
	ctx context.Context, p mem.Project,
) (b mem.Batch, markIndexed func() error, err error) {
	mind, err := s.Event.MindOf(p)
	if err != nil {
		return b, nil, err
	}
	markIndexed = func() error { return s.StateFiles.Note(ctx, p, workstate.Notes{Indexed: mind.Stamp}) }
	old, err := s.Event.All(ctx, mem.Query{Project: p.Key, Tags: []string{stateFileTag}, Hidden: true})
	if err != nil {
		return b, nil, fmt.Errorf("memories of state files: %w", err)
	}
	b.Project = &p
	seen := map[string]bool{}
	for _, part := range mind.Parts[:min(len(mind.Parts), maxStateFileParts)] {
		mm := s.stateFileMemory(p, part)
		seen[mm.Key] = true
		i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == mm.Key })
		if i < 0 {
			b.Memories = append(b.Memories, mm)
		} else if ed, changed := updateOf(old[i], mm); changed {
			b.Edits = append(b.Edits, ed)
		}
	}
	for _, o := range old {
		gone, none := mem.Superseded, mem.TrustNone
		switch {
		case !event.OfStateFile(o) || seen[o.Key] || o.Status != mem.Active || !mind.Present:
		case !mind.Trusted && o.Trust > none:
			b.Edits = append(b.Edits, mem.Edit{ID: o.ID, Trust: &none})
		case mind.Trusted:
			b.Edits = append(b.Edits, mem.Edit{ID: o.ID, Status: &gone})
		}
	}
	return b, markIndexed, nil
}

// stateFileMemory returns the memory of a part of a state file.
func (s *Service) stateFileMemory(p mem.Project, part workstate.Part) mem.Memory {
	mm := s.stateMemory(p, part.Kind, true)
	mm.Trust, mm.Key = mem.TrustAssistant, event.MindKey+part.Key
	mm.Title, mm.Body, mm.Tags = part.Title, part.Body, []string{stateFileTag, part.File}
	mm.Index = rank.Index(mm)
	return mm
}

// updateOf returns the edit that updates the memory of a part. A part that a person forgot stays
// forgotten.
func updateOf(old, now mem.Memory) (mem.Edit, bool) {
	if old.Status == mem.Forgotten ||
		old.Title == now.Title && old.Body == now.Body && old.Trust == now.Trust && old.Status == mem.Active {
		return mem.Edit{}, false
	}
	return mem.Edit{
		ID: old.ID, Title: &now.Title, Body: &now.Body, Index: &now.Index, Kind: &now.Kind, Trust: &now.Trust,
		Status: new(mem.Active),
	}, true
}

// StateFileJob runs one job about state files.
func (s *Service) StateFileJob(ctx context.Context, job mem.Job) (mem.Batch, error) {
	var n event.Noted
	if err := json.Unmarshal([]byte(job.Data), &n); err != nil {
		return mem.Batch{}, fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	p, err := s.Event.ProjectOf(n.Root)
	if err != nil || s.StateFiles == nil {
		return mem.Batch{}, err
	}
	if job.Kind == event.JobNote {
		return mem.Batch{}, s.StateFiles.Note(ctx, p, n.Notes)
	}
	if known, err := s.Event.Known(ctx, p); err != nil {
		return mem.Batch{}, err
	} else if known != "" {
		p.Key = known
	}
	b, markIndexed, err := s.stateFileBatch(ctx, p)
	if err != nil {
		return b, err
	}
	return b, markIndexed()
}

// ChangedFiles returns the files of the project that the session changed.
func (s *Service) ChangedFiles(ctx context.Context, ec event.Context) ([]string, error) {
	ms, err := s.Store.List(ctx, mem.Query{
		Session: ec.Session, Kinds: []mem.Kind{mem.Change}, Within: ec.Session, Order: mem.ByUpdate, Limit: 200,
	})
	if err != nil {
		return nil, fmt.Errorf("changed files: %w", err)
	}
	var out []string
	for _, f := range extract.FilesOf(ms) {
		if !strings.HasPrefix(f, workstate.Dir+"/") {
			out = extract.AppendNew(out, f, 200)
		}
	}
	return out, nil
}

// NoteTurn notes in the state files that a turn ended, and which files the session changed.
func (s *Service) NoteTurn(ctx context.Context, ec event.Context) event.Changes {
	return s.noteWithFiles(ctx, ec, workstate.Notes{TurnEnded: true})
}

// NoteSessionEnd notes in the state files why a session ended, and which files it changed.
func (s *Service) NoteSessionEnd(ctx context.Context, ec event.Context, reason string) event.Changes {
	return s.noteWithFiles(ctx, ec, workstate.Notes{EndReason: reason})
}

func (s *Service) noteWithFiles(ctx context.Context, ec event.Context, n workstate.Notes) event.Changes {
	if !ec.Mind.Trusted {
		return event.Changes{}
	}
	var err error
	n.Files, err = s.ChangedFiles(ctx, ec)
	s.Event.LogDegraded("changed files", err)
	return ec.StateFileNotes(n)
}

// NoteAgent notes in the state files that a subagent started or stopped.
func NoteAgent(ec event.Context, what string) event.Changes {
	return ec.StateFileNotes(workstate.Notes{Agents: []string{
		fmt.Sprintf("[%s] %s: %s (%s)", event.StampOf(ec.At), what, ec.AgentType, ec.AgentID),
	}})
}

// NoteTasks notes in the state files that tasks were completed.
func NoteTasks(ec event.Context, tasks []extract.Todo) event.Changes {
	if len(tasks) == 0 {
		return event.Changes{}
	}
	var n workstate.Notes
	for _, t := range tasks {
		n.Tasks = append(n.Tasks, fmt.Sprintf("[%s] COMPLETED: #%s — %s (by: %s)",
			event.StampOf(ec.At), cmp.Or(t.Id, "-"), t.Text, cmp.Or(ec.By, "self")))
		n.Done = append(n.Done, t.Text)
	}
	return ec.StateFileNotes(n)
}
