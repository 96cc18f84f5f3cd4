package engine

import (
	"context"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// taskCompleted marks an item of work as done.
func (e *Engine) taskCompleted(ctx context.Context, m *event.Context) (mem.Reply, error) {
	if m.Text == "" {
		return mem.Reply{}, nil
	}
	done := extract.Todo{Id: m.TaskID, Text: chars.Clip(chars.Line(m.Text), 160), Status: "completed"}
	kept, _, err := e.Capture.Todos(ctx, *m, extract.Call{Todos: []extract.Todo{done}})
	if err != nil {
		return mem.Reply{}, err
	}
	kept.Merge(filesync.NoteTasks(*m, []extract.Todo{done}))
	m.Take(kept)
	return mem.Reply{}, nil
}
