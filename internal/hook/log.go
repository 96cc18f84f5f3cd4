package hook

import (
	"encoding/json"
	"path"
	"strings"
	"sync"

	"remanence/internal/mem"
)

// Line is one line of the log. It contains no text of the payload.
type Line struct {
	Component string // "HOOK"
	Note      string // what was unusual; may be empty

	event mem.Event // formatted only when the line is written
}

// String returns, for example, "HOOK PostToolUse Bash(git…)": event kind, tool, and the
// program of a command.
func (l Line) String() string {
	parts := []string{l.Component, string(l.event.Kind), toolLabel(l.event), l.Note}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// outcomeLog logs the outcome of a call and counts a dropped event. The call and the timer of
// its hard limit use it concurrently.
type outcomeLog struct {
	mu      sync.Mutex
	log     func(Line)
	dropped func(reason string)
	counted bool // a call drops at most one event
	closed  bool
}

// configure sets the destinations from c.
func (t *outcomeLog) configure(c Config) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log, t.dropped = c.Log, c.Dropped
}

func (t *outcomeLog) drop(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.counted || t.dropped == nil {
		return
	}
	t.counted = true
	t.dropped(reason)
}

func (t *outcomeLog) line(e mem.Event, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed && t.log != nil {
		t.log(Line{Component: "HOOK", Note: note, event: e})
	}
}

// expire records a timeout and ignores later calls.
func (t *outcomeLog) expire() {
	t.drop(DroppedTime)
	t.line(mem.Event{}, "dropped: out of time")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}

// toolLabel returns the tool and, for a command, its program.
func toolLabel(e mem.Event) string {
	if e.Tool == "" {
		return ""
	}
	var in struct {
		Command string `json:"command"`
	}
	if json.Unmarshal(e.Input, &in) != nil || in.Command == "" {
		return e.Tool
	}
	return e.Tool + "(" + program(in.Command) + "…)"
}

// program returns the first word of a command if it can only be a program name. An assignment,
// for example, may contain a secret.
func program(command string) string {
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9'
	}
	if len(name) > 24 || strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) >= 0 {
		return ""
	}
	return name
}
