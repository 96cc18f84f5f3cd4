package filesync

import "remanence/internal/mem"

// LogAsk puts an entry into the person's journal.
type LogRequest struct {
	mem.Place
	Agent string   `json:"agent,omitempty"` // as in AddAsk
	Entry LogEntry `json:"entry"`
}

// LogEntry is what a stretch of work came to. Only Title is needed.
type LogEntry struct {
	Title     string   `json:"title"`
	Projects  []string `json:"projects,omitempty"` // empty means the one of the place
	Scope     string   `json:"scope,omitempty"`
	Happened  string   `json:"happened,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
	Cited     []string `json:"cited,omitempty"`     // memories that were of use
	Prevented []string `json:"prevented,omitempty"` // those that kept somebody from a mistake, and from which
	New       []string `json:"new,omitempty"`       // memories
	Drift     []string `json:"drift,omitempty"`
	Lint      []string `json:"lint,omitempty"`
}

// Logged says where an entry went: to the end of a file, or where there is none
// into a memory.
type LogResponse struct {
	File   string      `json:"file,omitempty"`
	Memory *mem.Memory `json:"memory,omitempty"`
	Text   string      `json:"text"` // as it was written
}
