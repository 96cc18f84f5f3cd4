package views

import (
	"context"
	"fmt"
	"time"

	"remanence/internal/mem"
)

// Prompts returns prompts of persons, newest first.
func (s *Service) Prompts(ctx context.Context, req PromptsRequest) (PromptsResponse, error) {
	limit := req.Limit
	if limit <= 0 {
		limit = mem.DefaultLimit
	}
	q := mem.EventQuery{Kinds: []mem.EventKind{mem.UserPromptSubmit}, Limit: max(0, req.Offset) + limit + 1}
	if req.ID != "" {
		q.Around, q.Limit = req.ID, 1
	} else {
		p, err := s.Event.Place(ctx, req.ProjectRef)
		if err != nil {
			return PromptsResponse{}, err
		}
		q.Project = p.Key
	}
	events, err := s.Store.Events(ctx, q)
	if err != nil {
		return PromptsResponse{}, fmt.Errorf("prompts: %w", err)
	}
	out := PromptsResponse{Prompts: []Prompt{}}
	for i, ev := range events {
		if req.ID == "" && i < req.Offset || req.ID != "" && (ev.ID != req.ID || ev.Kind != mem.UserPromptSubmit) {
			continue
		}
		out.Prompts = append(
			out.Prompts,
			Prompt{ID: ev.ID, Session: ev.Session, Turn: ev.PromptID, Text: ev.Text, Private: ev.Private, At: ev.At},
		)
	}
	if len(out.Prompts) > limit {
		out.Prompts, out.More = out.Prompts[:limit], true
	}
	if req.ID != "" && len(out.Prompts) == 0 {
		return out, fmt.Errorf("prompt %s: %w", req.ID, mem.ErrNotFound)
	}
	return out, nil
}

// PromptsRequest asks for prompts of persons, newest first.
type PromptsRequest struct {
	mem.ProjectRef
	ID     string `json:"id,omitempty"`    // exact ID of one prompt; Offset and Place are ignored then
	Limit  int    `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int    `json:"offset,omitempty"`
}

// PromptsResponse lists prompts.
type PromptsResponse struct {
	Prompts []Prompt `json:"prompts"`
	More    bool     `json:"more,omitempty"` // older prompts exist
}

// Prompt is one prompt of a person.
type Prompt struct {
	ID      string    `json:"id"` // of its event
	Session string    `json:"session"`
	Turn    string    `json:"prompt_id,omitempty"`
	Text    string    `json:"text,omitempty"` // empty if it was private or its retention ended
	Private bool      `json:"private,omitempty"`
	At      time.Time `json:"at"`
}
