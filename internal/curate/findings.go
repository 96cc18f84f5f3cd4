package curate

import "remanence/internal/mem"

// LintRequest asks for problems among the memories of a place.
type LintRequest struct {
	mem.ProjectRef
	Rules []string `json:"rules,omitempty"` // only these rules; empty means all
}

// FindingsResponse lists problems found by lint or drift detection. A person or an agent decides about
// each.
type FindingsResponse struct {
	Project  mem.Project `json:"project"`
	Session  string      `json:"session_short,omitempty"` // short id of the examined session, if any
	Examined int         `json:"examined"`                // number of examined memories
	Findings []Finding   `json:"findings"`
}

// Finding is one problem.
type Finding struct {
	Rule  string   `json:"rule"`
	Text  string   `json:"text"`
	IDs   []string `json:"ids,omitempty"` // of the memories concerned
	Files []string `json:"files,omitempty"`
	Fix   string   `json:"fix,omitempty"` // the command that usually fixes it
}
