package ui

import (
	"strings"

	"remanence/internal/chars"
	"remanence/internal/views"
)

// The states of a status line.
const (
	LineOn     = "on"
	LinePaused = "paused"
	LineIdle   = "idle"   // no daemon runs; the next event starts it
	LineSilent = "silent" // the daemon does not answer in time
	LineOff    = "off"    // uninstalled
)

// StatusLineView is what an agent's status line shows.
type StatusLineView struct {
	views.StatusLineResponse
	State   string `json:"state"`
	Wrapped string `json:"wrapped,omitempty"` // what the person's own command printed
}

// SchemaName returns the name of the view's schema.
func (StatusLineView) SchemaName() string { return "statusline" }

// Print writes the view for a person.
func (v StatusLineView) Print(p *Printer) {
	var parts []string
	if v.Wrapped != "" {
		parts = append(parts, v.Wrapped) // as it is: colours and links are the person's
	}
	switch v.State {
	case LineOn:
		parts = append(parts, "remanence "+Plural(v.Memories, "memory", "memories"))
		if v.Tokens > 0 {
			parts = append(parts, chars.Thousands(v.Tokens)+" tokens injected")
		}
		if v.Review > 0 {
			parts = append(parts, chars.Thousands(v.Review)+" to review")
		}
	case LineOff:
	default:
		parts = append(parts, "remanence "+v.State)
	}
	if len(parts) > 0 {
		_ = p.Write(strings.Join(parts, " · ") + "\n") // whole: the agent draws it, and the printer knows what failed
	}
}
