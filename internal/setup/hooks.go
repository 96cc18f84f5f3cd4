package setup

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Profile chooses which events are hooked. The zero value means Lean.
type Profile string

// The three profiles. Silent hooks the same events as Lean: it differs in what is injected, which is not decided here.
const (
	Lean   Profile = "lean"
	Full   Profile = "full"
	Silent Profile = "silent"
)

// Entry is one hook of ours as it stands in settings: run Command when Event happens to a matching subject. Command is
// a line for a shell, which takes a millisecond of each call. Claude Code also starts a program with separate "args",
// but other agents that read the same files ignore them and would run the bare program.
type Entry struct {
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"` // "" matches everything
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // seconds; 0 leaves it to the agent
	// Flat means that the command is an element of the event's list, which elsewhere holds lists of hooks with a matcher.
	Flat bool `json:"flat,omitempty"`
}

type hook struct {
	event, matcher string
	timeout        int // seconds
}

func leanHooks() []hook {
	return []hook{
		{"SessionStart", "", 10},
		{"UserPromptSubmit", "", 5},
		{"PreToolUse", "Task", 5},
		{"PostToolUse", "", 5},
		{"PostToolUseFailure", "", 5},
		{"Stop", "", 5},
		{"StopFailure", "", 5},
		{"SubagentStart", "", 5},
		{"SubagentStop", "", 5},
		{"TaskCompleted", "", 5},
		{"PreCompact", "", 10},
		{"PostCompact", "", 5},
		{"SessionEnd", "", 10},
	}
}

func moreHooks() []hook {
	return []hook{
		{"PreToolUse", "Read|Write|Edit|Bash", 3},
		{"Notification", "", 5},
		{"Setup", "", 10},
	}
}

// Entries returns the hooks of a profile for one binary, in the order in which they are written. An unknown profile
// is an error.
func Entries(p Profile, binary string) ([]Entry, error) {
	hooks := leanHooks()
	switch p {
	case Lean, Silent, "":
	case Full:
		hooks = append(hooks, moreHooks()...)
	default:
		return nil, fmt.Errorf("unknown hook profile %q: choose lean, full or silent", p)
	}
	return entriesOf(hooks, shellWord(binary), AgentID), nil
}

// entriesOf returns the hooks of an agent that run a program, which is given as a word of a shell.
func entriesOf(hooks []hook, program, agent string) []Entry {
	entries := make([]Entry, 0, len(hooks))
	for _, h := range hooks {
		entries = append(entries, Entry{
			Event: h.event, Matcher: h.matcher, Command: program + hookWord + agent, Timeout: h.timeout,
		})
	}
	return entries
}

// hookWord stands between the program and the agent in the command of a hook of ours.
const hookWord = " hook "

// PluginID stands for the agent in the hooks of the plugin, which Codex, Copilot and Qwen can install as well.
const PluginID = "plugin"

// PluginHooks is the text of the plugin's hooks/hooks.json: the lean hooks, run from the plugin's own directory.
func PluginHooks() []byte {
	return pluginHooks(entriesOf(leanHooks(), `"${CLAUDE_PLUGIN_ROOT}/bin/remanence"`, PluginID))
}

func pluginHooks(entries []Entry) []byte {
	return withHooks("{\n  \"description\": \"Remanence: memory for coding agents\"\n}\n", entries)
}

// Paste is the JSON that a person can put into settings by hand where they cannot be merged.
func Paste(entries []Entry) []byte {
	return withHooks("{}\n", entries)
}

// Handler is one hook found in settings, of any program.
type Handler struct {
	Event, Matcher string
	Type, Command  string
	Args           []string
	Flat           bool // see Entry
}

// Ours reports whether a hook was written by an installation of Remanence, of whatever version and place: the program
// is called remanence and has the arguments of a hook of an agent. A person's own command line around it is not
// ours.
func Ours(h Handler) bool {
	if h.Type != "command" {
		return false
	}
	if len(h.Args) > 0 { // as older versions wrote it
		return isRemanence(h.Command) && len(h.Args) >= 2 && h.Args[0] == "hook" && h.Args[1] == AgentID
	}
	program, agent, ok := strings.Cut(strings.TrimSpace(h.Command), hookWord)
	name, event, _ := strings.Cut(agent, " ")
	if event != "" {
		event = " " + event
	}
	if _, known := ClientByID(name); !ok || !known && name != AgentID && name != PluginID || !isEventArg(event) {
		return false
	}
	return isRemanence(unquote(strings.TrimSpace(program)))
}

// isRemanence reports whether the last element of a path, with either kind of slash, is the name of the program.
func isRemanence(program string) bool {
	base := path.Base(strings.ReplaceAll(program, `\`, "/"))
	return base == "remanence" || strings.EqualFold(base, "remanence.exe")
}

// isEventArg accepts nothing, or the one kebab-case word that may follow a shell form.
func isEventArg(s string) bool {
	return s == "" || strings.HasPrefix(s, " ") && strings.Trim(s[1:], "abcdefghijklmnopqrstuvwxyz-") == ""
}

// shellWord quotes a path as one word of a shell. All shells know double quotes, but within them a dollar sign, a
// backquote and two backslashes have a meaning.
func shellWord(path string) string {
	if strings.ContainsAny(path, "\"$`") || strings.Contains(path, `\\`) {
		return "'" + path + "'"
	}
	return `"` + path + `"`
}

// unquote returns the one shell word that s is, or "" if it is more than one.
func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		if strings.IndexByte(s[1:n-1], s[0]) >= 0 {
			return ""
		}
		return s[1 : n-1]
	}
	if strings.ContainsAny(s, " \t\n\"'`;&|<>()") {
		return ""
	}
	return s
}

// checkBinary makes sure that what we write can run from any directory and will be recognised as ours later.
func checkBinary(binary string) error {
	if !filepath.IsAbs(binary) {
		return fmt.Errorf("%w: %q is not absolute; run the installed binary by its full path", ErrBinary, binary)
	}
	if !isRemanence(binary) {
		return fmt.Errorf("%w: %s must be called remanence, or its hooks could not be distinguished from others; rename it",
			ErrBinary,
			binary)
	}
	if unquote(shellWord(binary)) != binary {
		return fmt.Errorf("%w: the quotation marks in %s cannot be written into a hook; move it to another directory",
			ErrBinary, binary)
	}
	return nil
}

// quote renders a JSON string without the escapes that only web pages need.
func quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		panic(err) // a string always has a JSON form
	}
	return strings.TrimSuffix(b.String(), "\n")
}
