package mem

// The canonical names of tools. An event names its tool so whatever the client calls it, and its input has the members
// that Claude Code gives to that tool. A tool that is not listed keeps the name that its client gives it.
const (
	ToolShell      = "Bash" // runs a command
	ToolRead       = "Read"
	ToolWrite      = "Write" // writes a whole file
	ToolEdit       = "Edit"
	ToolMultiEdit  = "MultiEdit"
	ToolNotebook   = "NotebookEdit"
	ToolGrep       = "Grep"
	ToolGlob       = "Glob"
	ToolList       = "LS"
	ToolFetch      = "WebFetch"
	ToolSearchWeb  = "WebSearch"
	ToolAgent      = "Agent" // starts a subagent
	ToolAsk        = "AskUserQuestion"
	ToolPlan       = "ExitPlanMode" // succeeds if the person approves the plan
	ToolTodo       = "TodoWrite"    // replaces the list of tasks
	ToolTaskCreate = "TaskCreate"
	ToolTaskUpdate = "TaskUpdate"
)
