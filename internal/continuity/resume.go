package continuity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// CheckpointsRequest asks for checkpoints, newest first: one by its ID, else those
// of a session or of a project.
type CheckpointsRequest struct {
	mem.ProjectRef
	ID      string `json:"id,omitempty"`      // exact or unique prefix; "last" is the newest
	Session string `json:"session,omitempty"` // id, short id or unique prefix
	Limit   int    `json:"limit,omitempty"`   // 0 means DefaultLimit
	Offset  int    `json:"offset,omitempty"`
}

// Checkpoints are checkpoints and the short ids of their sessions.
type Checkpoints struct {
	Project     mem.Project       `json:"project"`
	Checkpoints []mem.Checkpoint  `json:"checkpoints"`
	Shorts      map[string]string `json:"shorts"`         // by session
	More        bool              `json:"more,omitempty"` // older ones were left out: they exceed a read
}

// Rows returns the number of checkpoints.
func (c Checkpoints) Rows() int { return len(c.Checkpoints) }

// Head returns the first n checkpoints.
func (c Checkpoints) Head(n int) any {
	c.Checkpoints, c.More = c.Checkpoints[:n], true
	return c
}

// ResumeResponse is what a session needs to continue the work.
type ResumeResponse struct {
	Checkpoint mem.Checkpoint  `json:"checkpoint"`
	Handoff    *mem.Checkpoint `json:"handoff,omitempty"` // the newest of the same session, if there is one
	Project    mem.Project     `json:"project"`
	Session    mem.Session     `json:"session"` // zero if it is erased
	Text       string          `json:"text"`    // the same as Markdown
}

// DiffRequest compares two checkpoints; without ids the newest of the place with the
// one before it of the same session.
type DiffRequest struct {
	mem.ProjectRef
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // "" means the newest of From's session
}

// DiffResponse lists what changed between two checkpoints.
type DiffResponse struct {
	From    mem.Checkpoint     `json:"from"`
	To      mem.Checkpoint     `json:"to"`
	Changes []CheckpointChange `json:"changes"`
}

// CheckpointChange is one entry that was added or removed.
type CheckpointChange struct {
	// request, status, phase, next, open, doing, blocked, waiting, files, commands, errors, numbers
	What    string `json:"what"`
	Removed bool   `json:"removed"` // it is in the first checkpoint only
	Text    string `json:"text"`
}

// Checkpoints lists checkpoints, newest first.
func (s *Service) Checkpoints(ctx context.Context, req CheckpointsRequest) (Checkpoints, error) {
	out := Checkpoints{Shorts: map[string]string{}}
	q := mem.CheckpointQuery{ID: req.ID, Limit: req.Limit, Offset: req.Offset}
	if req.ID == "last" {
		q.ID, q.Limit, q.Offset = "", 1, 0
	}
	var err error
	if req.Session != "" {
		sess, err := s.Store.Session(ctx, req.Session)
		if err != nil {
			return out, err
		}
		q.Session = sess.ID
	} else if q.ID == "" {
		if out.Project, err = s.Event.Place(ctx, req.ProjectRef); err != nil {
			return out, err
		}
		q.Project = out.Project.Key
	}
	if out.Checkpoints, err = s.Store.Checkpoints(ctx, q); err != nil {
		return out, err
	}
	for _, cp := range out.Checkpoints {
		if sess, err := s.Store.Session(ctx, cp.Session); err == nil {
			out.Shorts[cp.Session] = sess.Short
		}
	}
	return out, nil
}

// Resume returns a checkpoint with its session, project and newest handoff.
// ErrNotFound if there is no checkpoint.
func (s *Service) Resume(ctx context.Context, req CheckpointsRequest) (ResumeResponse, error) {
	req.Limit, req.ID = 1, cmp.Or(req.ID, "last")
	got, err := s.Checkpoints(ctx, req)
	if err != nil {
		return ResumeResponse{}, err
	}
	if len(got.Checkpoints) == 0 {
		return ResumeResponse{}, fmt.Errorf("checkpoint %q: %w", req.ID, mem.ErrNotFound)
	}
	r := ResumeResponse{Checkpoint: got.Checkpoints[0]}
	if sess, err := s.Store.Session(ctx, r.Checkpoint.Session); err == nil && r.Checkpoint.Session != "" {
		r.Session = sess
	}
	if ps, err := s.Store.Projects(ctx, r.Checkpoint.Project); err == nil && len(ps) > 0 &&
		r.Checkpoint.Project != "" {
		r.Project = ps[0]
	}
	switch {
	case r.Checkpoint.Handoff != "":
		r.Handoff = &r.Checkpoint
	case r.Checkpoint.Session != "":
		hs, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{
			Session: r.Checkpoint.Session, Trigger: mem.TriggerHandoff, Limit: 1,
		})
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			return r, fmt.Errorf("handoff: %w", err)
		}
		if len(hs) > 0 {
			r.Handoff = &hs[0]
		}
	}
	r.Text = resumeText(r)
	return r, nil
}

// resumeText formats a ResumeResponse as Markdown.
func resumeText(r ResumeResponse) string {
	var b strings.Builder
	cp := r.Checkpoint
	fmt.Fprintf(&b, "# Where the work stands\n\n")
	put := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "- %s: %s\n", name, chars.Line(text))
		}
	}
	put("project", cmp.Or(r.Project.Name, cp.Project))
	put("directory", r.Session.Root)
	put("branch", r.Project.Branch)
	put("session", cmp.Or(r.Session.Short, cp.Session))
	put("saved", fmt.Sprintf("%s, %s, %s", cp.At.UTC().Format("2006-01-02 15:04 MST"), cp.ID, cp.Trigger))
	put("phase", cp.State.Phase)
	put("asked last", cp.State.Request)
	put("answered last", cp.State.Status)
	list := func(name string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n", name)
		for _, it := range items {
			fmt.Fprintf(&b, "- %s\n", chars.Line(it))
		}
	}
	if cp.Note != "" {
		fmt.Fprintf(&b, "\n## Note\n\n%s\n", cp.Note)
	}
	if r.Handoff != nil {
		fmt.Fprintf(&b, "\n## Handoff (%s)\n\n%s\n", r.Handoff.At.UTC().Format("2006-01-02 15:04 MST"), r.Handoff.Handoff)
	}
	list("Next", cp.State.Next)
	list("In progress", cp.State.Doing)
	list("Open", cp.State.Open)
	list("In the way", append(slices.Clone(cp.State.Waiting), cp.State.Blocked...))
	list("Files in edit", cp.State.Files)
	list("Files", extract.Missing(cp.Evidence.Files, cp.State.Files))
	list("Commands, newest first", commandsOf(cp))
	list("Errors", cp.Evidence.Errors)
	list("Figures", cp.Evidence.Numbers)
	var quotes []string
	for _, q := range cp.Recent {
		quotes = append(quotes, q.Who+": "+q.Text)
	}
	list("Recent conversation", quotes)
	return b.String()
}

// commandsOf formats the commands of a checkpoint, one per line.
func commandsOf(cp mem.Checkpoint) []string {
	var out []string
	for _, c := range cp.Evidence.Commands {
		line := fmt.Sprintf("`%s`: exit %d", c.Command, c.Exit)
		if c.Note != "" {
			line += ", " + c.Note
		}
		out = append(out, line)
	}
	return out
}

// Diff compares two checkpoints.
func (s *Service) Diff(ctx context.Context, req DiffRequest) (DiffResponse, error) {
	to, err := s.Checkpoints(ctx, CheckpointsRequest{ProjectRef: req.ProjectRef, ID: cmp.Or(req.To, "last")})
	if err != nil {
		return DiffResponse{}, err
	}
	var from Checkpoints
	if req.From != "" {
		if from, err = s.Checkpoints(ctx, CheckpointsRequest{ID: req.From}); err != nil {
			return DiffResponse{}, err
		}
		if req.To == "" && len(from.Checkpoints) > 0 {
			to.Checkpoints, err = s.Store.Checkpoints(ctx, mem.CheckpointQuery{
				Session: from.Checkpoints[0].Session, Limit: 1,
			})
			if err != nil {
				return DiffResponse{}, fmt.Errorf("newest checkpoint: %w", err)
			}
		}
	}
	if len(to.Checkpoints) == 0 || req.From != "" && len(from.Checkpoints) == 0 {
		return DiffResponse{}, fmt.Errorf("checkpoint: %w", mem.ErrNotFound)
	}
	d := DiffResponse{To: to.Checkpoints[0]}
	if req.From != "" {
		d.From = from.Checkpoints[0]
	} else if d.From, err = s.previousCheckpoint(ctx, d.To); err != nil {
		return d, err
	}
	d.Changes = changes(d.From, d.To)
	return d, nil
}

// previousCheckpoint returns the checkpoint before cp of the same session; the zero
// value if cp is the first.
func (s *Service) previousCheckpoint(ctx context.Context, cp mem.Checkpoint) (mem.Checkpoint, error) {
	all, err := s.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: cp.Session, Project: cp.Project, Limit: 1000})
	if err != nil {
		return mem.Checkpoint{}, fmt.Errorf("checkpoint before: %w", err)
	}
	i := slices.IndexFunc(all, func(x mem.Checkpoint) bool { return x.ID == cp.ID })
	if i < 0 || i+1 == len(all) {
		return mem.Checkpoint{}, nil
	}
	return all[i+1], nil
}

// changes lists the added and removed entries of each field.
func changes(from, to mem.Checkpoint) []CheckpointChange {
	out := []CheckpointChange{}
	compare := func(what string, was, now []string) {
		for _, s := range extract.Missing(was, now) {
			out = append(out, CheckpointChange{What: what, Removed: true, Text: s})
		}
		for _, s := range extract.Missing(now, was) {
			out = append(out, CheckpointChange{What: what, Text: s})
		}
	}
	line := func(s string) []string {
		if s == "" {
			return nil
		}
		return []string{s}
	}
	compare("phase", line(from.State.Phase), line(to.State.Phase))
	compare("request", line(from.State.Request), line(to.State.Request))
	compare("status", line(from.State.Status), line(to.State.Status))
	compare("note", line(from.Note), line(to.Note))
	compare("handoff", line(from.Handoff), line(to.Handoff))
	compare("next", from.State.Next, to.State.Next)
	compare("doing", from.State.Doing, to.State.Doing)
	compare("open", from.State.Open, to.State.Open)
	compare("waiting", from.State.Waiting, to.State.Waiting)
	compare("blocked", from.State.Blocked, to.State.Blocked)
	compare("files", from.Evidence.Files, to.Evidence.Files)
	compare("commands", commandsOf(from), commandsOf(to))
	compare("errors", from.Evidence.Errors, to.Evidence.Errors)
	compare("numbers", from.Evidence.Numbers, to.Evidence.Numbers)
	return out
}
