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
func (e *Engine) taskCompleted(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if ec.Text == "" {
		return mem.Reply{}, event.Changes{}, nil
	}
	done := extract.Todo{Id: ec.TaskID, Text: chars.Clip(chars.Line(ec.Text), 160), Status: "completed"}
	kept, _, err := e.Capture.Todos(ctx, ec, extract.Call{Todos: []extract.Todo{done}})
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	kept.Merge(filesync.NoteTasks(ec, []extract.Todo{done}))
	return mem.Reply{}, kept, nil
}
