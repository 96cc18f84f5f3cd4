//go:build e2e

package e2e

import "testing"

func TestOpenTasksAreInjectedUntilTheyAreDone(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	tasks := session{args: "--model claude-sonnet-4-5", env: []string{"CC_SETENV=CLAUDE_CODE_ENABLE_TASKS=1"}}

	first := tasks
	first.script = script(
		calls("TaskCreate", map[string]any{"subject": "Paint the mast", "description": "white"}),
		calls("TaskCreate", map[string]any{"subject": "Oil the winch", "description": "all of it"}),
		calls("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"}),
		says("One of two is done."),
	)
	first.prompts = []string{"let us work on the boat"}
	r := u.run(first)
	if n := len(r.hooks()["TaskCompleted"]); n != 1 {
		t.Fatalf("TaskCompleted came %d times, want once", n)
	}
	second := tasks
	second.script, second.prompts = script(says("I know.")), []string{"what is left to do on the boat?"}
	injected := u.run(second).injected()
	wants(t, "second session", injected, "OPEN ITEMS", "Oil the winch")
	wantsNot(t, "second session", injected, "Paint the mast")
}

// What the tools themselves answer says which task is meant: no other event names
// one that is deleted or gets another subject.
func TestChangedTasksAreInjectedAsTheyAre(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	const model, on = "--model claude-sonnet-4-5", "CC_SETENV=CLAUDE_CODE_ENABLE_TASKS=1"
	u.run(session{args: model, env: []string{on}, prompts: []string{"let us work on the boat"}, script: script(
		calls("TaskCreate", map[string]any{"subject": "Paint the mast", "description": "white"}),
		calls("TaskCreate", map[string]any{"subject": "Oil the winch", "description": "all of it"}),
		calls("TaskCreate", map[string]any{"subject": "Caulk the deck", "description": "twice"}),
		calls("TaskUpdate", map[string]any{"taskId": "1", "status": "deleted"}),
		calls("TaskUpdate", map[string]any{"taskId": "2", "subject": "Replace the winch"}),
		calls("TaskUpdate", map[string]any{"taskId": "3", "status": "in_progress"}),
		says("The list is in order."),
	)})
	// A list of another session, which counts from one again.
	u.run(session{args: model, env: []string{on}, prompts: []string{"let us work on the house"}, script: script(
		calls("TaskCreate", map[string]any{"subject": "Sweep the yard", "description": "all of it"}),
		calls("TaskCreate", map[string]any{"subject": "Hang the door", "description": "upright"}),
		calls("TaskCreate", map[string]any{"subject": "Glaze the window", "description": "double"}),
		calls("TaskUpdate", map[string]any{"taskId": "3", "status": "deleted"}),
		says("Three, and one of them is gone."),
	)})
	injected := u.run(session{prompts: []string{"what is left to do?"}, script: script(says("I know."))}).injected()
	wants(t, "third session", injected, "OPEN ITEMS", "Replace the winch", "Caulk the deck", "Sweep the yard",
		"Hang the door")
	wantsNot(t, "third session", injected, "Paint the mast", "Oil the winch", "Glaze the window")
}

func TestATaskOfASharedListIsClosedInALaterSession(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	tasks := session{
		args: "--model claude-sonnet-4-5",
		env:  []string{"CC_SETENV=CLAUDE_CODE_ENABLE_TASKS=1 CLAUDE_CODE_TASK_LIST_ID=boat"},
	}
	first := tasks
	first.prompts, first.script = []string{"let us work on the boat"}, script(
		calls("TaskCreate", map[string]any{"subject": "Paint the mast", "description": "white"}),
		calls("TaskCreate", map[string]any{"subject": "Oil the winch", "description": "all of it"}),
		says("Two things to do."),
	)
	second := tasks
	second.prompts, second.script = []string{"we drop the mast"}, script(
		calls("TaskUpdate", map[string]any{"taskId": "1", "status": "deleted"}),
		says("The mast stays as it is."),
	)
	third := tasks
	third.prompts, third.script = []string{"what is left to do on the boat?"}, script(says("I know."))
	u.run(first)
	u.run(second)
	injected := u.run(third).injected()
	wants(t, "third session", injected, "OPEN ITEMS", "Oil the winch")
	wantsNot(t, "third session", injected, "Paint the mast")
}
