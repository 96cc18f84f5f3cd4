package mem

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Receipt is the record of one injection, including attempts that injected nothing.
type Receipt struct {
	ID      string    `json:"id"` // "r_" + 8 digits made from the event's id
	Event   string    `json:"event,omitempty"`
	Session string    `json:"session"`
	Project string    `json:"project,omitempty"`
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"` // session_start, resume, compact, prompt, file, command, subagent
	Query   string    `json:"asked,omitempty"`
	Terms   []string  `json:"terms,omitempty"`

	Outcome    InjectionOutcome `json:"outcome"` // injected, abstained, nothing
	Candidates int              `json:"candidates"`
	Floor      float64          `json:"floor"`
	Budget     int              `json:"budget"` // tokens, without the frame
	Tokens     int              `json:"tokens"` // of Text, with its frame
	TookMS     float64          `json:"took_ms"`
	Items      []InjectedItem   `json:"items,omitempty"`
	LeftOut    []LeftOutItem    `json:"dropped,omitempty"`
	ToSubagent bool             `json:"aside,omitempty"` // injected into a subagent, not into the session itself
	Marks      []string         `json:"marks,omitempty"` // further keys not to inject again, e.g. "file:a.go"
	Text       string           `json:"text,omitempty"`  // the exact injected text

	Compaction *Compaction `json:"compaction,omitempty"` // set for the first prompt after a compaction
}

// Compaction counts what a compaction kept of a session's exact material, and how
// much of the rest was injected again.
type Compaction struct {
	Checkpoint  string `json:"checkpoint"` // id of the checkpoint before it
	Exact       int    `json:"exact"`      // pieces: files, commands, errors, figures, open items, decisions
	Kept        int    `json:"kept"`       // pieces that the summary contains
	Restored    int    `json:"restored"`   // other pieces, injected right after the compaction
	InjectedNow int    `json:"told"`       // other pieces, injected first with this receipt
}

// InjectedKeys returns the keys that must not be injected again: marks and ids of items.
// Items that were only listed, or injected into a subagent, are not included.
func (r Receipt) InjectedKeys() []string {
	keys := slices.Clone(r.Marks)
	for _, it := range r.Items {
		if !r.ToSubagent && it.Section != SectionIndex {
			keys = append(keys, it.ID)
		}
	}
	return keys
}

// InjectionOutcome is the outcome of an injection.
type InjectionOutcome string

// The outcomes.
const (
	Injected  InjectionOutcome = "injected"
	Abstained InjectionOutcome = "abstained" // no candidate was relevant enough
	Nothing   InjectionOutcome = "nothing"   // there was no candidate
	Off       InjectionOutcome = "off"       // in a preview only: injection is paused, or the project is excluded
)

// InjectedItem is one memory that an injection contained.
type InjectedItem struct {
	ID     string             `json:"id"`
	Rank   int                `json:"rank"`
	Kind   Kind               `json:"kind,omitempty"`
	Title  string             `json:"title,omitempty"`
	Score  float64            `json:"score"`
	Parts  map[string]float64 `json:"parts,omitempty"`
	Tokens int                `json:"tokens"`
	Stale  Freshness          `json:"stale,omitempty"`
	// Section is the section of the injected block. An item in SectionIndex is listed
	// by title only and may be injected again.
	Section string `json:"place,omitempty"`
}

// SectionIndex is the section that lists memories by title.
const SectionIndex = "index"

// LeftOutItem is a candidate that was left out of an injection, and the rule that did it.
type LeftOutItem struct {
	ID    string             `json:"id"`
	Title string             `json:"title,omitempty"`
	Score float64            `json:"score"`
	Parts map[string]float64 `json:"parts,omitempty"`
	// Required marks items that must not be left out for space: invariants, who the person is.
	Required bool `json:"required,omitempty"`
	// Gate is the rule: below_floor, budget, already_told, in_conversation, other_failure, done,
	// stale, disputed, in_instructions, trust, duplicate, limit, missing or unreadable.
	Gate string `json:"gate"`
}

// Job is work that is done later, with retries.
type Job struct {
	ID        string    `json:"id"`   // set by the store
	Kind      string    `json:"kind"` // "transcript", "snapshot"
	Session   string    `json:"session,omitempty"`
	Key       string    `json:"key,omitempty"`  // not added while a job with equal Kind, Session and Key waits
	Data      string    `json:"data,omitempty"` // format depends on Kind
	NotBefore time.Time `json:"not_before,omitzero"`
	Attempts  int       `json:"attempts"` // number of leases, this one included; also counts leases that a crash ended
	Created   time.Time `json:"created"`
	Error     string    `json:"error,omitempty"` // of the last attempt
	Dead      bool      `json:"dead,omitempty"`  // given up; kept so that it can be run again
}

// JobKinds selects jobs by kind. The zero value selects all.
type JobKinds struct {
	Only   []string // only these kinds; nil means any
	Except []string // none of these kinds
}

// AllLeftOut counts what was left out, also what LeftOut does not name.
func (r Receipt) AllLeftOut() int { return max(len(r.LeftOut), r.Candidates-len(r.Items)) }

// AsPreview returns the receipt of an injection that does not take place: it has no id, in its text neither, because
// nothing is stored under it.
func (r Receipt) AsPreview() Receipt {
	r.Text = strings.NewReplacer(" id="+strconv.Quote(r.ID), "", ": remanence why "+r.ID, "").Replace(r.Text)
	r.ID = ""
	return r
}
