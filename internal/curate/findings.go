package curate

import "remanence/internal/mem"

// LintAsk looks for memories that are in need of care.
type LintRequest struct {
	mem.Place
	Rules []string `json:"rules,omitempty"` // only these; empty means all
}

// Findings is what a look at memories or at work found. It never is an order:
// each needs somebody's judgement.
type FindingsResponse struct {
	Project  mem.Project `json:"project"`
	Session  string      `json:"session_short,omitempty"` // that was looked at, if it was one
	Looked   int         `json:"looked"`                  // at so many memories
	Findings []Finding   `json:"findings"`
}

// Finding is one.
type Finding struct {
	Rule  string   `json:"rule"`
	Text  string   `json:"text"`
	IDs   []string `json:"ids,omitempty"` // of the memories it is about
	Files []string `json:"files,omitempty"`
	Fix   string   `json:"fix,omitempty"` // the command that would do what is usually meant
}
