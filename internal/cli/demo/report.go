package demo

import (
	"encoding/json"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/mem"
)

// Report is what the demo did, for programs.
type Report struct {
	Dir      string       `json:"dir"`
	Kept     bool         `json:"kept"` // the directory is still there
	Steps    []Step       `json:"steps"`
	Memories []mem.Memory `json:"memories"` // made of the first session
	// ReadTokens are the tokens of the files read in the first two sessions.
	ReadTokens int `json:"read_tokens"`
	// InjectedTokens are those injected into the third session.
	InjectedTokens int `json:"injected_tokens"`
}

// Step is one call of the hook.
type Step struct {
	Session  int      `json:"session"` // 1, 2 or 3
	Event    string   `json:"event"`
	Detail   string   `json:"detail"` // redacted
	TookMS   float64  `json:"took_ms"`
	Redacted []string `json:"redacted"` // what was taken out before anything was written
	Injected string   `json:"injected"` // "" if nothing was
	Tokens   int      `json:"tokens"`   // of what was injected
}

// SchemaName names the form of the JSON.
func (Report) SchemaName() string { return "demo" }

// List returns the items that --jsonl prints.
func (r Report) List() []any { return ui.Items(r.Steps) }

// Print writes one line for each step.
func (r Report) Print(p *ui.Printer) {
	for _, s := range r.Steps {
		p.Line("%d  %s %s  %.1f ms", s.Session, ui.Pad(s.Event, 20), ui.Clip(ui.OneLine(s.Detail), 46), s.TookMS)
	}
}

// note adds a call of the hook to the report.
func (s *player) note(session int, payload []byte, took time.Duration, injected string) {
	var in struct {
		Response struct{ File struct{ Content string } } `json:"tool_response"`
	}
	_ = json.Unmarshal(payload, &in) // other tools answer in other shapes
	what, tokens := s.what(payload), chars.Tokens(injected)
	switch {
	case session == 3:
		s.report.InjectedTokens += tokens
	case strings.HasSuffix(what, " failed"):
		s.failures++
	default:
		s.report.ReadTokens += chars.Tokens(in.Response.File.Content)
	}
	s.report.Steps = append(s.report.Steps, Step{
		Session: session, Event: what, Detail: s.detail(payload), TookMS: float64(took.Microseconds()) / 1000,
		Redacted: ui.NotNil(s.takenOut(payload)), Injected: injected, Tokens: tokens,
	})
}
