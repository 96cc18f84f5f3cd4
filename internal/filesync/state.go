package filesync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/workstate"
)

// Bounds of one change of the state, in bytes.
const (
	maxStateField = 5 << 10
	maxStateCall  = 50 << 10
)

// Errors of state requests.
var (
	ErrNoOp      = errors.New("no such operation on the state")
	ErrTooLong   = errors.New("too long")
	ErrNoAction  = errors.New("no such action: use add or complete")
	ErrNoStatus  = errors.New("no such status: use Final, Open, Pending or Revisit")
	ErrNoProject = errors.New("the state belongs to one project: name one")
)

// State returns or changes the state of a project's work. It uses the project's state files if they
// are trusted, else the store.
func (s *Service) State(ctx context.Context, req workstate.Request) (workstate.State, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return workstate.State{}, err
	}
	if p.Key == "" {
		return workstate.State{}, ErrNoProject
	}
	if req, err = s.cleanRequest(req); err != nil {
		return workstate.State{}, err
	}
	if req.Op != workstate.OpGet {
		if err := s.Event.MayKeep(ctx, req.Agent, req.Op); err != nil {
			return workstate.State{}, err
		}
	}
	mind, err := s.Event.MindOf(p)
	if err != nil {
		return workstate.State{}, err
	}
	var out workstate.State
	if mind.Trusted {
		if out, err = s.StateFiles.Change(ctx, p, req); err == nil {
			err = s.indexStateFiles(ctx, p)
		}
	} else {
		out, err = s.storedState(ctx, p, req)
	}
	if err != nil {
		return workstate.State{}, fmt.Errorf("state: %w", err)
	}
	out.Project = p
	if mind.Present && !mind.Trusted {
		out.Untrusted = workstate.Dir
	}
	return out, nil
}

// cleanRequest redacts and bounds the texts of a change.
func (s *Service) cleanRequest(req workstate.Request) (workstate.Request, error) {
	c := stateCleaner{redact: s.Redactor.Prompt}
	var err error
	switch req.Op {
	case workstate.OpGet:
	case workstate.OpUpdate:
		u := req.Update
		u.Phase, u.Status, u.Next = c.line(u.Phase), c.line(u.Status), c.line(u.Next)
		u.Active, u.Blockers = c.lines(u.Active), c.lines(u.Blockers)
		req.Update = u
		if u.Phase == nil && u.Status == nil && u.Next == nil && u.Active == nil && u.Blockers == nil {
			err = event.ErrNoText
		}
	case workstate.OpDecision:
		d := req.Decision
		d.Title, d.Text, d.Rationale = chars.Line(c.text(d.Title)), c.text(d.Text), c.text(d.Rationale)
		d.By = chars.Clip(cmp.Or(chars.Line(c.text(d.By)), "agent"), 80)
		d.Status, err = decisionStatus(d.Status)
		if d.Title == "" || d.Text == "" {
			err = event.ErrNoText
		}
		req.Decision = d
	case workstate.OpProgress:
		p := req.Progress
		p.Task = chars.Line(c.text(p.Task))
		p.Section = chars.Clip(chars.Line(c.text(p.Section)), 80)
		switch {
		case p.Task == "":
			err = event.ErrNoText
		case p.Action != "add" && p.Action != "complete":
			err = fmt.Errorf("%q: %w", p.Action, ErrNoAction)
		}
		req.Progress = p
	case workstate.OpSession:
		entry := req.Session
		entry.Summary = chars.Line(c.text(entry.Summary))
		entry.Completed, entry.Decisions = *c.lines(&entry.Completed), *c.lines(&entry.Decisions)
		entry.Blockers, entry.Next = *c.lines(&entry.Blockers), *c.lines(&entry.Next)
		if entry.Summary == "" {
			err = event.ErrNoText
		}
		req.Session = entry
	default:
		err = fmt.Errorf("%q: %w", req.Op, ErrNoOp)
	}
	if err == nil {
		err = c.tooLong()
	}
	return req, err
}

// decisionStatus normalizes the case of a decision's status; "" means Final.
func decisionStatus(s string) (string, error) {
	if strings.TrimSpace(s) == "" {
		return "Final", nil
	}
	for _, known := range []string{"Final", "Open", "Pending", "Revisit"} {
		if strings.EqualFold(strings.TrimSpace(s), known) {
			return known, nil
		}
	}
	return "", fmt.Errorf("%q: %w", s, ErrNoStatus)
}

// stateCleaner redacts texts and sums their sizes.
type stateCleaner struct {
	redact  func(string) string
	longest int
	all     int
}

func (c *stateCleaner) text(s string) string {
	c.longest, c.all = max(c.longest, len(s)), c.all+len(s)
	if c.longest > maxStateField || c.all > maxStateCall {
		return s
	}
	return c.redact(s)
}

func (c *stateCleaner) line(s *string) *string {
	if s == nil {
		return nil
	}
	out := chars.Line(c.text(*s))
	return &out
}

func (c *stateCleaner) lines(list *[]string) *[]string {
	if list == nil {
		return nil
	}
	out := []string{}
	for _, s := range *list {
		if t := chars.Line(c.text(s)); t != "" {
			out = append(out, t)
		}
	}
	return &out
}

func (c *stateCleaner) tooLong() error {
	switch {
	case c.longest > maxStateField:
		return fmt.Errorf("a text of %d bytes, %d are allowed: %w", c.longest, maxStateField, ErrTooLong)
	case c.all > maxStateCall:
		return fmt.Errorf("%d bytes, %d are allowed at a time: %w", c.all, maxStateCall, ErrTooLong)
	}
	return nil
}
