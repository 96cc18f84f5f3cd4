package engine

import (
	"context"

	"remanence/internal/mem"
)

// taskCompleted marks an item of work as done.
func (e *Engine) taskCompleted(ctx context.Context, m *moment) (mem.Reply, error) {
	if m.Text == "" {
		return mem.Reply{}, nil
	}
	done := todo{id: m.TaskID, text: mem.Clip(mem.Line(m.Text), 160), status: "completed"}
	m.leaveTasks([]todo{done})
	_, err := e.keepTodos(ctx, m, call{todos: []todo{done}})
	return mem.Reply{}, err
}
