package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// created is a task tool's call that made a task, as the client answers it.
func created(id, subject string) mem.Event {
	return tool(mem.PostToolUse, "p1", "create"+id+subject, "TaskCreate",
		map[string]any{"subject": subject, "description": "all of it"},
		map[string]any{"task": map[string]any{"id": id, "subject": subject}})
}

// updated is one that changed a task: the call's input beside its id.
func updated(call, id string, in map[string]any) mem.Event {
	in["taskId"] = id
	return tool(mem.PostToolUse, "p1", call, "TaskUpdate", in, map[string]any{
		"success": true, "taskId": id,
		"updatedFields": []string{"status"},
	})
}

func TestTaskIsOpenUntilItsUpdateEndsIt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		create  any // tool_response
		in, out map[string]any
		open    bool
	}{
		{
			"completed",
			map[string]any{"task": map[string]any{"id": "1", "subject": "oil the winch"}},
			map[string]any{"taskId": "1", "status": "completed"},
			nil, false,
		},
		{
			"deleted",
			map[string]any{"task": map[string]any{"id": "1"}},
			map[string]any{"taskId": "1", "status": "deleted"},
			nil, false,
		},
		{
			"in progress",
			map[string]any{"task": map[string]any{"id": "1"}},
			map[string]any{"taskId": "1", "status": "in_progress"},
			nil, true,
		},
		{
			"numbers",
			map[string]any{"task": map[string]any{"id": 1}},
			map[string]any{"taskId": 1, "status": "completed"},
			nil,
			false,
		},
		{"flat id", map[string]any{"taskId": "1"}, map[string]any{"task_id": "1", "status": "completed"}, nil, false},
		{
			"text", "Task #1 created successfully: oil the winch",
			map[string]any{"taskId": "1", "status": "completed"},
			nil,
			false,
		},
		{
			"blocks",
			[]map[string]any{{"type": "text", "text": "Task #1 created"}},
			map[string]any{"taskId": "1", "status": "completed"},
			nil, false,
		},
		{
			"status in the answer",
			map[string]any{"task": map[string]any{"id": "1"}},
			map[string]any{"taskId": "1"},
			map[string]any{"success": true, "taskId": "1", "statusChange": map[string]any{"from": "pending", "to": "completed"}},
			false,
		},
		{
			"refused",
			map[string]any{"task": map[string]any{"id": "1"}},
			map[string]any{"taskId": "1", "status": "completed"},
			map[string]any{"success": false, "taskId": "1", "error": "a hook refused it"},
			true,
		},
		{
			"another",
			map[string]any{"task": map[string]any{"id": "1"}},
			map[string]any{"taskId": "11", "status": "completed"},
			nil, true,
		},
		{"huge id", map[string]any{"task": map[string]any{"id": "1"}}, map[string]any{
			"taskId": strings.Repeat("1", 1000),
			"status": "completed",
		}, nil, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			s.play(start("startup"), prompt("p1", "work on the boat, please"),
				tool(mem.PostToolUse, "p1", "t1", "TaskCreate", map[string]any{"subject": "oil the winch"}, tt.create),
				tool(mem.PostToolUse, "p1", "t2", "TaskUpdate", tt.in, tt.out))
			got := s.play(in("two", start("startup"))...).Context
			if open := strings.Contains(got, "oil the winch"); open != tt.open {
				t.Errorf("open: %v, want %v:\n%s", open, tt.open, got)
			}
		})
	}
}

func TestRenamedTaskIsOneItem(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "work on the boat, please"), created("1", "oil the winch"),
		updated("t2", "1", map[string]any{"subject": "replace the winch"}))
	got := s.play(in("two", start("startup"))...).Context
	wants(t, "renamed", got, "replace the winch")
	wantsNot(t, "renamed", got, "oil the winch")
	s.play(updated("t3", "1", map[string]any{"status": "completed"}))
	wantsNot(t, "completed", s.play(in("three", start("startup"))...).Context, "winch")
}

func TestReopenedTaskIsOpen(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "work on the boat, please"), created("1", "oil the winch"),
		updated("t2", "1", map[string]any{"status": "completed"}),
		updated("t3", "1", map[string]any{"status": "in_progress"}))
	wants(t, "open items", s.play(in("two", start("startup"))...).Context, "oil the winch")
}

func TestTaskIdsOfTwoSessionsAreTwoTasks(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "work on the boat, please"), created("1", "oil the winch"))
	s.play(in("two", start("startup"), prompt("p1", "work on the house"), created("1", "paint the door"),
		updated("t2", "1", map[string]any{"status": "completed"}))...)
	got := s.play(in("three", start("startup"))...).Context
	wants(t, "open items", got, "oil the winch")
	wantsNot(t, "open items", got, "paint the door")
}

func TestATaskOfASharedListIsClosedInALaterSession(t *testing.T) {
	s := newStage(t)
	of := func(list string, events ...mem.Event) []mem.Event {
		for i := range events {
			events[i].TaskList = list
		}
		return events
	}
	s.play(of("boat", start("startup"), prompt("p1", "work on the boat, please"), created("1", "oil the winch"),
		created("2", "paint the mast"))...)
	done := map[string]any{"status": "completed"}
	s.play(in("two", of("house", start("startup"), prompt("p1", "go on"), updated("t3", "2", done))...)...)
	s.play(in("three", of("boat", start("startup"), prompt("p1", "go on"), updated("t4", "1", done))...)...)
	got := s.play(in("four", start("startup"))...).Context
	wants(t, "open items", got, "paint the mast")
	wantsNot(t, "open items", got, "oil the winch")
}

func TestTaskThatAListShowsAsDoneIsDone(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "work on the boat, please"), created("1", "oil the winch"),
		created("2", "paint the mast"))
	var rows []map[string]any
	for i, status := range []string{"completed", "pending", "pending"} {
		rows = append(rows, map[string]any{"id": fmt.Sprint(i + 1), "subject": []string{
			"oil the winch", "paint the mast",
			"caulk the deck",
		}[i], "status": status})
	}
	s.play(in("two", start("startup"), prompt("p1", "go on"), tool(mem.PostToolUse, "p1", "t3", "TaskList",
		map[string]any{}, map[string]any{"tasks": rows}))...)
	got := s.play(in("three", start("startup"))...).Context
	wants(t, "open items", got, "paint the mast")
	wantsNot(t, "open items", got, "oil the winch", "caulk the deck")
}
