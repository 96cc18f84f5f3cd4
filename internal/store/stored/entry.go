package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// Entry is one batch while it is written. It decides what is written; a [Writer] writes it.
type Entry struct {
	Now     time.Time
	At      time.Time    // of the event, or Now
	Event   mem.Event    // zero if the batch has none
	Session *mem.Session // of the event
	Spans   Spans        // utterances whose index is to be written

	write    Writer
	prompt   int               // number of the event's turn, 0 if no person began it
	trust    mem.Trust         // of the event's turn; not set without a prompt id
	projects map[string]string // key of a project -> its canonical key
	sessions map[string]int64  // agent's session id -> number, of those that were looked up
}

// NewEntry returns the entry of a batch that is written at a time.
func NewEntry(now time.Time, w Writer) Entry {
	return Entry{
		Now: now, At: now, Spans: Spans{}, write: w, projects: map[string]string{}, sessions: map[string]int64{},
	}
}

// Apply writes the batch. After an error the transaction must be rolled back.
func (e *Entry) Apply(ctx context.Context, b mem.Batch) (r mem.Result, err error) {
	if b.Event != nil {
		if b.Event.ID == "" {
			return r, errors.New("event without an id")
		}
		e.Event, e.At = *b.Event, FirstOf(b.Event.At, e.Now)
		seq, err := e.duplicateOf(ctx, e.Event)
		if err != nil {
			return r, fmt.Errorf("look up event %s: %w", e.Event.ID, err)
		}
		if seq != 0 {
			return mem.Result{Duplicate: true, Seq: seq}, nil
		}
	}
	for _, part := range []func(context.Context, mem.Batch, *mem.Result) error{
		e.putEvent, e.putMemories, e.putReceipts, e.putWork, e.putRun,
	} {
		if err := part(ctx, b, &r); err != nil {
			return r, err
		}
	}
	return r, nil
}

// duplicateOf returns the position of the stored event that ev repeats, 0 if ev is new.
func (e *Entry) duplicateOf(ctx context.Context, ev mem.Event) (int64, error) {
	if seq, err := e.write.FindEvent(ctx, ev.ID); seq != 0 || err != nil || ev.Key == "" {
		return seq, err
	}
	// Events without content repeat rightly, as when a session is resumed.
	if ev.Text != "" || ev.Error != "" || len(ev.Input) > 0 || len(ev.Response) > 0 {
		if seq, err := e.write.FindErasedEvent(ctx, ev.Key); seq != 0 || err != nil {
			return seq, err
		}
	}
	seq, key, at, err := e.write.LastEvent(ctx, ev.Session)
	if err != nil || key != ev.Key || ev.At.Sub(at).Abs() > mem.DuplicateWindow {
		return 0, err
	}
	return seq, nil
}

// Each writes the items of a list one after the other.
func Each[T any](ctx context.Context, what string, list []T, put func(context.Context, T) error) error {
	for i, v := range list {
		if err := put(ctx, v); err != nil {
			return fmt.Errorf("%s %d: %w", what, i+1, err)
		}
	}
	return nil
}

// putEvent writes project, event, turn and session.
func (e *Entry) putEvent(ctx context.Context, b mem.Batch, r *mem.Result) (err error) {
	if b.Project != nil {
		if err := e.write.PutProject(ctx, *b.Project); err != nil {
			return fmt.Errorf("project %s: %w", b.Project.Key, err)
		}
	}
	if b.Event == nil {
		return nil
	}
	if err := e.openSession(ctx, b); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	if r.Seq, err = e.insertEvent(ctx); err != nil {
		return fmt.Errorf("event %s: %w", e.Event.ID, err)
	}
	if e.Session == nil {
		return nil
	}
	if err := e.putTurn(ctx, b.Turn); err != nil {
		return fmt.Errorf("turn of %s: %w", e.Event.ID, err)
	}
	r.Prompt = e.prompt
	if err := e.changeSession(ctx, b.Session); err != nil {
		return fmt.Errorf("session %s: %w", e.Event.Session, err)
	}
	return nil
}

func (e *Entry) insertEvent(ctx context.Context) (int64, error) {
	payload, err := Text(e.Event)
	if err != nil {
		return 0, err
	}
	var session any
	if e.Session != nil {
		session = e.Session.Number
	}
	return e.write.InsertEvent(ctx, session, payload)
}

// putMemories writes memories, edits and links.
func (e *Entry) putMemories(ctx context.Context, b mem.Batch, r *mem.Result) error {
	for _, m := range b.Memories {
		id, err := e.putMemory(ctx, m)
		if err != nil {
			return fmt.Errorf("memory %q: %w", chars.Clip(m.Title, 40), err)
		}
		r.IDs = append(r.IDs, id)
	}
	if err := Each(ctx, "edit", b.Edits, e.edit); err != nil {
		return err
	}
	if err := e.IndexUtterances(ctx); err != nil {
		return fmt.Errorf("index utterances: %w", err)
	}
	return Each(ctx, "links", b.Links, e.write.PutLinks)
}

// putReceipts writes checkpoints, receipts and what changes of other sessions.
func (e *Entry) putReceipts(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	if err := Each(ctx, "checkpoint", b.Checkpoints, e.putCheckpoint); err != nil {
		return err
	}
	if err := Each(ctx, "receipt", b.Receipts, e.putReceipt); err != nil {
		return err
	}
	if err := Each(ctx, "undelivered receipt", b.Undelivered, e.removeReceipt); err != nil {
		return err
	}
	if err := Each(ctx, "context usage", b.ContextUsage, e.putContextUsage); err != nil {
		return err
	}
	if err := Each(ctx, "idle session", b.IdleSessions, e.endProcessing); err != nil {
		return err
	}
	return Each(ctx, "transcript position", b.TranscriptPositions, e.write.PutTranscriptPosition)
}

// putWork writes jobs, pauses and spending.
func (e *Entry) putWork(ctx context.Context, b mem.Batch, _ *mem.Result) error {
	if err := Each(ctx, "job", b.Jobs, e.putJob); err != nil {
		return err
	}
	if len(b.FinishedJobs) > 0 {
		if err := e.write.FinishJobs(ctx, b.FinishedJobs); err != nil {
			return fmt.Errorf("finish jobs: %w", err)
		}
	}
	if err := Each(ctx, "failed job", b.FailedJobs, e.write.FailJob); err != nil {
		return err
	}
	if err := Each(ctx, "pause", b.Pauses, e.putPause); err != nil || b.Spent == nil {
		return err
	}
	return e.write.AddSpending(ctx, *b.Spent)
}

func (e *Entry) putJob(ctx context.Context, j mem.Job) error {
	session, err := e.SessionOf(ctx, j.Session, "", e.Event.Agent)
	if err != nil {
		return err
	}
	j.Created = FirstOf(j.Created, e.Now)
	return e.write.PutJob(ctx, session, j)
}

func (e *Entry) putPause(ctx context.Context, p mem.Pause) (err error) {
	if p.Target, err = e.CanonicalProject(ctx, p.Target); err != nil {
		return err
	}
	return e.write.PutPause(ctx, p)
}

// putRun writes the changes of a consolidation run, marks changes of earlier runs as undone and stores dismissals.
func (e *Entry) putRun(ctx context.Context, b mem.Batch, r *mem.Result) error {
	if b.Run != nil {
		n, err := e.openRun(ctx, *b.Run, r)
		if err != nil {
			return fmt.Errorf("consolidation run: %w", err)
		}
		for _, c := range b.Run.Changes {
			if err := e.write.InsertChange(ctx, n, c); err != nil {
				return fmt.Errorf("consolidation run: change of %s: %w", c.Memory, err)
			}
		}
	}
	if len(b.UndoneRuns) > 0 {
		if err := e.write.UndoRuns(ctx, b.UndoneRuns); err != nil {
			return fmt.Errorf("undo runs: %w", err)
		}
	}
	for _, d := range b.Dismissals(r.IDs) {
		d.At = FirstOf(d.At, e.Now)
		if err := e.write.InsertDismissal(ctx, d); err != nil {
			return fmt.Errorf("dismissal: %w", err)
		}
	}
	return nil
}

// openRun returns the number of a run. A run without an id is new.
func (e *Entry) openRun(ctx context.Context, run mem.Run, r *mem.Result) (n int64, err error) {
	if r.Run = run.ID; run.ID != "" {
		return e.write.FindRun(ctx, run.ID)
	}
	if run.Project, err = e.CanonicalProject(ctx, run.Project); err != nil {
		return 0, err
	}
	session, err := e.SessionOf(ctx, run.Session, run.Project, "")
	if err != nil {
		return 0, err
	}
	if n, err = e.write.Next(ctx, "run"); err != nil {
		return 0, err
	}
	r.Run = chars.ShortID("k_", n)
	run.ID, run.At = r.Run, FirstOf(run.At, e.Now)
	return n, e.write.InsertRun(ctx, n, session, run)
}

// CanonicalProject returns the key under which a project is stored.
func (e *Entry) CanonicalProject(ctx context.Context, key string) (string, error) {
	if canonical, known := e.projects[key]; known || key == "" {
		return canonical, nil
	}
	canonical, err := e.write.FindAlias(ctx, key)
	if err != nil {
		return "", err
	}
	if canonical == "" {
		canonical = key
	}
	e.projects[key] = canonical
	return canonical, nil
}

// ChangedProject returns what is to be stored of a project: old is what is stored of it, p what the event says. changed
// is false if that is nothing new. The last activity is taken from the sessions, if the event has one.
func (e *Entry) ChangedProject(old mem.Project, found bool, p mem.Project) (now mem.Project, changed bool) {
	now = mem.Project{
		Key: p.Key, Name: cmp.Or(p.Name, old.Name), Root: cmp.Or(p.Root, old.Root), Common: cmp.Or(p.Common, old.Common),
		Origin: cmp.Or(p.Origin, old.Origin), Branch: cmp.Or(p.Branch, old.Branch), Commit: cmp.Or(p.Commit, old.Commit),
		LastEvent: old.LastEvent,
	}
	if (!found || now != old || e.Event.Session == "") && e.At.After(old.LastEvent) {
		now.LastEvent = Storable(e.At)
	}
	return now, !found || now != old
}

// SetCanonicalProject stores under which key a project is stored, for the rest of the batch.
func (e *Entry) SetCanonicalProject(key, canonical string) { e.projects[key] = canonical }
