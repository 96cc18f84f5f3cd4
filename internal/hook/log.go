package hook

import (
	"encoding/json"
	"path"
	"strings"
	"sync"

	"remanence/internal/mem"
)

// Line is one line of the log. It shows no text of the payload.
type Line struct {
	Component string // "HOOK"
	Note      string // what was unusual; empty if nothing was

	event mem.Event // named when the line is written: most never are
}

// String is e.g. "HOOK PostToolUse Bash(git…)": of an event with a tool its name,
// and of a command the program.
func (l Line) String() string {
	parts := []string{l.Component, string(l.event.Kind), toolLabel(l.event), l.Note}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// report is where a call tells how it went. Two goroutines may tell: the call
// and its hard limit, which has the last word.
type report struct {
	mu      sync.Mutex
	log     func(Line)
	dropped func(reason string)
	counted bool // a call drops one event at most
	over    bool
}

// to sets where to tell.
func (t *report) to(c Config) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log, t.dropped = c.Log, c.Dropped
}

func (t *report) drop(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || t.counted || t.dropped == nil {
		return
	}
	t.counted = true
	t.dropped(reason)
}

func (t *report) line(e mem.Event, note string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over && t.log != nil {
		t.log(Line{Component: "HOOK", Note: note, event: e})
	}
}

// last tells that the time is over and lets nothing more be told.
func (t *report) last() {
	t.drop(DroppedTime)
	t.line(mem.Event{}, "dropped: out of time")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
}

// toolLabel names the tool and, of a command, the program.
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

// program is the first word of a command if it looks like the name of a
// program and nothing else: an assignment there may hold a secret.
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
