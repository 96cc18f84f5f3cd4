package agent

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"remanence/internal/mem"
)

// The events of all clients name tools as package mem does, and give the inputs the names that they have there.

// native is a tool of a client: its canonical name, and the canonical names of its inputs where they differ.
type native struct {
	name  string
	input map[string]string
}

// rename makes the name and the input of a call canonical.
func rename(e *mem.Event, tools map[string]native) {
	t, ok := tools[e.Tool]
	if !ok {
		return
	}
	e.Tool = t.name
	in, ok := readFields(e.Input)
	if !ok || len(t.input) == 0 {
		return
	}
	for name, other := range t.input {
		if v, there := in[name]; there && in[other] == nil {
			in[other] = v
			delete(in, name)
		}
	}
	if b, err := json.Marshal(in); err == nil {
		e.Input = b
	}
}

// mcpTool names a tool of an MCP server.
func mcpTool(server, tool string) string { return "mcp__" + server + "__" + tool }

// result is what a tool returned.
type result struct {
	text   string
	status int  // exit status of a command; 0 also if it is not known
	failed bool // the tool did not do what it was called for
}

// give puts a result into the event. A call that failed becomes a PostToolUseFailure, whatever the client calls it.
func (r result) give(e *mem.Event) {
	if e.Kind == mem.PreToolUse {
		return
	}
	if r.status != 0 {
		r.text, r.failed = "Exit code "+strconv.Itoa(r.status)+"\n"+strings.TrimSpace(r.text), true
	}
	e.Response, e.Error = nil, ""
	switch {
	case r.failed:
		e.Kind, e.Error = mem.PostToolUseFailure, r.text
	case r.text != "" && e.Tool != mem.ToolWrite && e.Tool != mem.ToolEdit: // whose input says what they did
		e.Kind, e.Response = mem.PostToolUse, quoted(r.text)
	default:
		e.Kind = mem.PostToolUse
	}
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return b
}

// lastStatus returns the number in the last match of a pattern, 0 if there is none.
func lastStatus(pattern *regexp.Regexp, text string) int {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return 0
	}
	n, err := strconv.Atoi(all[len(all)-1][1])
	if err != nil {
		return 0
	}
	return n
}

// textsOf returns a text, or the texts of a list of parts.
func textsOf(raw json.RawMessage) string {
	f := fields{"text": raw}
	if s := f.text("text"); s != "" {
		return s
	}
	var parts []string
	f.each("text", func(part fields) {
		if s := part.text("text"); s != "" {
			parts = append(parts, s)
		}
	})
	return strings.Join(parts, "\n")
}
