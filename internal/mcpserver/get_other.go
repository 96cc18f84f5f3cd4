package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// otherRecord returns the session, checkpoint or receipt of an id, and nil if the id has the form of none of them.
func (s *Server) otherRecord(ctx context.Context, id string) (*record, error) {
	switch {
	case strings.HasPrefix(id, "s_"):
		return s.sessionRecord(ctx, id)
	case strings.HasPrefix(id, "c_"):
		return s.checkpointRecord(ctx, id)
	case strings.HasPrefix(id, "r_"):
		return s.receiptRecord(ctx, id)
	}
	return nil, nil
}

// sessionRecord lists what was remembered in a session, oldest first.
func (s *Server) sessionRecord(ctx context.Context, id string) (*record, error) {
	sess, err := s.Memory.Session(ctx, views.MemoryRequest{ID: id})
	if err != nil {
		return nil, err
	}
	got, err := s.Memory.Timeline(ctx, views.TimelineRequest{
		ProjectRef: mem.ProjectRef{Project: sess.Project}, Session: sess.Short, Around: mostAround,
	})
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, e := range got.Entries {
		lines = append(lines, fmt.Sprintf("%s %s %s %s", e.At.UTC().Format("2006-01-02T15:04Z"), e.ID, e.What,
			chars.Clip(s.Plain(e.Title), 160)))
	}
	return &record{
		ID: sess.Short, Kind: "session", Title: chars.Clip(s.Plain(sess.FirstPrompt), 240),
		Text: strings.Join(lines, "\n"), Project: sess.Project, Created: sess.Created.UTC().Format(time.RFC3339),
		Source: fmt.Sprintf("%s, %d prompts, %s", sess.Agent, sess.Prompts, sess.Status),
	}, nil
}

func (s *Server) checkpointRecord(ctx context.Context, id string) (*record, error) {
	got, err := s.Memory.Checkpoints(ctx, continuity.CheckpointsRequest{ProjectRef: s.Place, ID: id})
	if err != nil {
		return nil, err
	}
	if len(got.Checkpoints) == 0 {
		return nil, fmt.Errorf("checkpoint %s: %w", id, mem.ErrNotFound)
	}
	c := got.Checkpoints[0]
	var lines []string
	for _, part := range []struct{ label, text string }{
		{"Request: ", c.State.Request},
		{"Status: ", c.State.Status},
		{"In progress: ", strings.Join(c.State.Doing, "; ")},
		{"Open: ", strings.Join(c.State.Open, "; ")},
		{"Failing: ", strings.Join(c.State.Blocked, "; ")},
		{"Waiting for: ", strings.Join(c.State.Waiting, "; ")},
		{"Next: ", strings.Join(c.State.Next, "; ")},
		{"Files: ", strings.Join(c.State.Files, ", ")},
		{"Note: ", c.Note},
		{"Handoff: ", c.Handoff},
	} {
		if part.text != "" {
			lines = append(lines, part.label+part.text)
		}
	}
	return &record{
		ID: c.ID, Kind: "checkpoint", Title: "checkpoint, " + c.Trigger, Text: s.plainText(strings.Join(lines, "\n")),
		Project: c.Project, Untrusted: c.Handoff != "" && c.Trust == mem.TrustNone,
		Created: c.At.UTC().Format(time.RFC3339), Source: "session " + got.Shorts[c.Session],
	}, nil
}

func (s *Server) receiptRecord(ctx context.Context, id string) (*record, error) {
	got, err := s.Memory.Why(ctx, views.WhyRequest{ProjectRef: s.Place, ID: id})
	if err != nil {
		return nil, err
	}
	r := got.Receipt
	return &record{
		ID: r.ID, Kind: "receipt", Title: fmt.Sprintf("%s, %s", r.Trigger, r.Outcome), Text: s.plainText(r.Text),
		Project: r.Project, Created: r.At.UTC().Format(time.RFC3339), Source: "session " + got.Short,
	}, nil
}

// projectName returns a function that names projects by their keys. It asks for the names at the first use and returns
// the key of a project without a name.
func (s *Server) projectName(ctx context.Context) func(key string) string {
	var names map[string]string
	return func(key string) string {
		if key == "" {
			return ""
		}
		if names == nil {
			names = map[string]string{}
			if got, err := s.Memory.Projects(ctx); err == nil {
				for _, p := range got.Projects {
					names[p.Key] = s.Plain(p.Name)
				}
			}
		}
		if name := names[key]; name != "" {
			return name
		}
		return key
	}
}
