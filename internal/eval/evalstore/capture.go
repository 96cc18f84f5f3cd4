package evalstore

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/redact"
	"remanence/internal/transcript"
	"remanence/internal/views"
)

// Capture is an engine to which whole sessions are played. It implements
// eval.CaptureSubject.
type Capture struct {
	*Subject
	calibrated map[string]bool // projects whose relevance was calibrated since the last session was played
}

// examSlack is added to the time limits of an exam's recalls: the result must not
// depend on what else the machine does.
const examSlack = time.Minute

// OpenCapture opens an empty store whose engine names projects by their directories.
func OpenCapture(ctx context.Context) (Capture, error) {
	x, err := open(ctx, time.Time{}, empty, func(x *Subject, c *engine.Config) {
		settings := event.Defaults(event.Lean)
		c.Redactor, c.Slack = &redact.Redactor{}, examSlack
		c.Settings = func() event.Settings { return settings }
		c.Project = func(dir string) (mem.Project, error) {
			return mem.Project{Key: path.Base(dir), Name: path.Base(dir), Root: dir}, nil
		}
		c.Archive = &transcript.Archive{
			Dir: filepath.Join(x.dir, "transcripts"), Redact: c.Redactor.Text, Private: func(string) bool { return false },
		}
	})
	if err != nil {
		return Capture{}, err
	}
	return Capture{x, map[string]bool{}}, nil
}

// Play implements eval.CaptureSubject.
func (x Capture) Play(ctx context.Context, record []byte, events []mem.Event) error {
	clear(x.calibrated)
	file := filepath.Join(x.dir, events[0].Session+".jsonl")
	if err := os.WriteFile(file, record, 0o600); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	for _, e := range events {
		e.Transcript, x.now = file, e.At
		if _, err := x.engine.Handle(ctx, e); err != nil {
			return err
		}
	}
	return x.work(ctx)
}

// work does all jobs that wait, a minute apart.
func (x Capture) work(ctx context.Context) error {
	for {
		x.now = x.now.Add(time.Minute)
		done, err := x.workOne(ctx, x.engine.Work)
		if err != nil || !done {
			return err
		}
	}
}

// Kept implements eval.CaptureSubject.
func (x Capture) Kept(ctx context.Context, session string) ([]mem.Memory, error) {
	return x.store.List(ctx, mem.Query{Session: session, Within: "*", Limit: 1000})
}

// Inject implements eval.CaptureSubject.
func (x Capture) Inject(ctx context.Context, at time.Time, ask views.NextRequest) (mem.Receipt, error) {
	x.now = at
	if !x.calibrated[ask.Project] {
		if err := x.engine.Recall.Floors.CalibrateProject(ctx, ask.Project); err != nil {
			return mem.Receipt{}, err
		}
		x.calibrated[ask.Project] = true
	}
	return x.engine.Next(ctx, ask)
}
