//go:build e2e

package e2e

import "testing"

func TestOpenTasksAreToldUntilTheyAreDone(t *testing.T) {
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
	told := u.run(second).told()
	wants(t, "second session", told, "OPEN ITEMS", "Oil the winch")
	wantsNot(t, "second session", told, "Paint the mast")
}
