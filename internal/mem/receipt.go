package mem

import (
	"slices"
	"time"
)

// Receipt is the record of one injection, or of one that was tried and said nothing.
type Receipt struct {
	ID      string    `json:"id"` // "r_" + 8 digits made from the event's id
	Event   string    `json:"event,omitempty"`
	Session string    `json:"session"`
	Project string    `json:"project,omitempty"`
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"` // session_start, resume, compact, prompt, file, command, subagent
	Asked   string    `json:"asked,omitempty"`
	Terms   []string  `json:"terms,omitempty"`

	Outcome    string         `json:"outcome"` // injected, abstained, nothing
	Candidates int            `json:"candidates"`
	Floor      float64        `json:"floor"`
	Budget     int            `json:"budget"` // tokens, the frame apart
	Tokens     int            `json:"tokens"` // of the text, with its frame
	TookMS     float64        `json:"took_ms"`
	Items      []InjectedItem `json:"items,omitempty"`
	Dropped    []Cut          `json:"dropped,omitempty"`
	Aside      bool           `json:"aside,omitempty"` // told to a subagent: the session itself was not told its items
	Marks      []string       `json:"marks,omitempty"` // more that must not be told twice, e.g. "file:a.go"
	Text       string         `json:"text,omitempty"`  // the exact text

	Compaction *Compaction `json:"compaction,omitempty"` // of the first prompt after one
}

// Compaction is what became of the exact material in hand when the client put a
// summary in the place of a conversation.
type Compaction struct {
	Checkpoint string `json:"checkpoint"` // id of the one taken before it
	Exact      int    `json:"exact"`      // pieces it held: files, commands, errors, figures, open items, decisions
	Kept       int    `json:"kept"`       // of them in the summary
	Restored   int    `json:"restored"`   // not in it, and told right after the compaction
	Told       int    `json:"told"`       // nowhere until then, and told with this receipt
}

// Told lists what must not be told again: marks, and the ids of items. Items
// that were only listed, or told to a subagent, are not among them.
func (r Receipt) Told() []string {
	told := slices.Clone(r.Marks)
	for _, it := range r.Items {
		if !r.Aside && it.Place != PlaceIndex {
			told = append(told, it.ID)
		}
	}
	return told
}

// The outcomes of an injection.
const (
	Injected  = "injected"
	Abstained = "abstained"
	Nothing   = "nothing"
	Off       = "off" // of one that is only foreseen: paused, or the project is excluded
)

// Told is one item of a receipt.
type InjectedItem struct {
	ID     string             `json:"id"`
	Rank   int                `json:"rank"`
	Kind   Kind               `json:"kind,omitempty"`
	Title  string             `json:"title,omitempty"`
	Score  float64            `json:"score"`
	Parts  map[string]float64 `json:"parts,omitempty"`
	Tokens int                `json:"tokens"`
	Stale  Freshness          `json:"stale,omitempty"`
	// Place is the section of the block. What stands in PlaceIndex was listed
	// by its title only and does not count as told.
	Place string `json:"place,omitempty"`
}

// PlaceIndex is the section that lists titles.
const PlaceIndex = "index"

// Cut is one item that was left out, and the rule that cut it.
type Cut struct {
	ID    string             `json:"id"`
	Title string             `json:"title,omitempty"`
	Score float64            `json:"score"`
	Parts map[string]float64 `json:"parts,omitempty"`
	// Required says that it may not be missing: an invariant, who the person is.
	Required bool   `json:"required,omitempty"`
	Gate     string `json:"gate"` // below_floor, budget, already_told, in_conversation, done, stale, trust, duplicate, limit, missing, unreadable
}

// Job is work for later.
type Job struct {
	ID       string    `json:"id"`   // set by the store
	Kind     string    `json:"kind"` // "transcript", "snapshot"
	Session  string    `json:"session,omitempty"`
	Key      string    `json:"key,omitempty"`  // a waiting job with the same kind, session and key is not added again
	Data     string    `json:"data,omitempty"` // the kind's own
	NotBy    time.Time `json:"not_before,omitzero"`
	Attempts int       `json:"attempts"` // how often it was leased, this time included: a job that ends its worker counts too
	Created  time.Time `json:"created"`
	Error    string    `json:"error,omitempty"` // of the last attempt
	Dead     bool      `json:"dead,omitempty"`  // given up; kept for replay
}
