package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"remanence/internal/chars"
	"remanence/internal/fault"
)

// MaxAnswer is how long the text of an answer is at most, in bytes.
const MaxAnswer = 8 << 10

// Problem is why a call cannot be answered, as data: the model reads it and can go on without.
type Problem struct {
	Code     string   `json:"error"`              // stable: bad_arguments, not_found, memory_unavailable …
	Degraded bool     `json:"degraded,omitempty"` // nothing is wrong with the call; later it may work
	What     string   `json:"what"`
	Why      string   `json:"why,omitempty"`
	Fix      []string `json:"fix,omitempty"`
}

// Error implements error.
func (p Problem) Error() string {
	if p.Why == "" {
		return p.What
	}
	return p.What + ": " + p.Why
}

// The codes of the problems that the server finds by itself.
const (
	codeBad      = "bad_arguments"
	codeNotFound = "not_found"
	codePaused   = "paused"
	codeForeign  = "other_project"
	codeOften    = "rate_limited"
)

func bad(what string, args ...any) Problem {
	return Problem{Code: codeBad, What: fmt.Sprintf(what, args...)}
}

func (p Problem) because(why string, args ...any) Problem {
	p.Why = fmt.Sprintf(why, args...)
	return p
}

func (p Problem) fixedBy(fix ...string) Problem {
	p.Fix = fix
	return p
}

// result is an answer on the wire: one JSON text.
func result(v any) *mcp.CallToolResult {
	text, err := encode(v)
	if err != nil || len(text) > MaxAnswer {
		p := Problem{Code: "too_long", What: "the answer does not fit", Fix: []string{"ask for less"}}
		text, _ = encode(p) // of strings alone
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// problem is the answer to a call that cannot be answered.
func (s *Server) problem(err error) *mcp.CallToolResult {
	var p Problem
	switch e := err.(type) { //nolint:errorlint // a wrapped one is another error
	case Problem:
		p = e
	default:
		p = s.Explain(err)
	case fault.Fault:
		if p = s.Explain(err); e.Is(fault.Input) { // an argument
			p = Problem{Code: codeBad, What: e.What, Why: e.Why, Fix: e.Fix}
		}
	}
	p.What, p.Why = chars.Clip(s.Plain(p.What), 300), chars.Clip(s.Plain(p.Why), 600)
	r := result(p)
	r.IsError = !p.Degraded
	return r
}

// encode writes JSON without the escapes that only web pages need.
func encode(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// size is how long v is in an answer, in bytes.
func size(v any) int {
	text, err := encode(v)
	if err != nil {
		return MaxAnswer
	}
	return len(text) + 1
}

// room is the number of bytes of an answer that its items may take. The rest is for the fields around them.
const room = MaxAnswer - 1200

// fitting is how many of the items fit into a room of that many bytes.
func fitting[T any](items []T, room int) int {
	for i, it := range items {
		if room -= size(it); room < 0 {
			return i
		}
	}
	return len(items)
}

// age is how long ago something was, in one unit.
func age(t, now time.Time) string {
	if t.IsZero() {
		return ""
	}
	d := max(0, now.Sub(t))
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	}
	return t.Format("2006-01-02")
}
