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
	filesync.NoteTasks(m, []extract.Todo{done})
	_, err := e.Capture.KeepTodos(ctx, m, extract.Call{Todos: []extract.Todo{done}})
	return mem.Reply{}, err
}
