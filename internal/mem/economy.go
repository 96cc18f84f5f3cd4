package mem

import (
	"context"
	"time"
)

// ReceiptsAsk asks for receipts, newest first, a page at a time.
type ReceiptsAsk struct {
	Place
	Session string `json:"session,omitempty"` // the agent's id, a short id or a unique prefix
	Trigger string `json:"trigger,omitempty"` // exact
	Outcome string `json:"outcome,omitempty"` // exact
	Memory  string `json:"memory,omitempty"`  // only receipts that told it
	Offset  int    `json:"offset,omitempty"`
	Limit   int    `json:"limit,omitempty"` // 0 means 50; at most 200
}

// ReceiptList is a page of receipts.
type ReceiptList struct {
	Project  Project       `json:"project"`
	Receipts []ReceiptLine `json:"receipts"`
	More     bool          `json:"more"` // there are older ones
}

// ReceiptLine is a receipt at a glance.
type ReceiptLine struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Session    string    `json:"session"`       // the agent's id
	Short      string    `json:"session_short"` // empty if the session is not known any more
	Project    string    `json:"project"`       // its name
	Trigger    string    `json:"trigger"`
	Asked      string    `json:"asked"`
	Outcome    string    `json:"outcome"`
	Candidates int       `json:"candidates"`
	Told       int       `json:"told"` // items
	LeftOut    int       `json:"left_out"`
	Tokens     int       `json:"tokens"`
	Budget     int       `json:"budget"`
	TookMS     float64   `json:"took_ms"`
	Floor      float64   `json:"floor"`
	Best       float64   `json:"best"` // the most of the question that an item below the floor covers, 0…1
}

// WhatIfAsk asks what a receipt would have told with another budget or floor.
type WhatIfAsk struct {
	ID     string   `json:"id"`
	Budget *int     `json:"budget,omitempty"` // tokens; nil means as it was
	Floor  *float64 `json:"floor,omitempty"`  // 0…1; nil means as it was
}

// WhatIf is what a receipt would have told. Nothing of it is kept.
type WhatIf struct {
	Receipt Receipt  `json:"receipt"` // its Text is as the memories are worded today
	Added   []string `json:"added"`   // ids that were left out and would be told
	Lost    []string `json:"lost"`    // ids that were told and would not be
	Basis   string   `json:"basis"`   // BasisReceipt or BasisNow
}

// What a WhatIf was made from.
const (
	BasisReceipt = "receipt" // what that receipt names, told and left out
	BasisNow     = "now"     // a briefing as it would be made now
)

// EconomyAsk asks what memory costs and whether it is used.
type EconomyAsk struct {
	Place
	Days int `json:"days,omitempty"` // up to today; 0 means 30, at most 366
}

// Economy is what memory costs in tokens, and what came of it. All of it is
// counted but for Estimate.
type Economy struct {
	Project  Project        `json:"project"`
	Since    time.Time      `json:"since"`
	Days     []EconomyDay   `json:"days"`          // oldest first, every day
	Triggers []string       `json:"triggers"`      // that occur, in the order of a session
	Sessions int            `json:"sessions"`      // that were told something
	Agents   map[string]int `json:"agents"`        // tokens told to each; under "" of sessions that are not known any more
	Cut      bool           `json:"cut,omitempty"` // only the newest MaxEconomy receipts were counted

	Total       EconomyDay `json:"total"`        // of all days; its Day is empty
	Told        int        `json:"told"`         // times an item was told
	Used        int        `json:"used"`         // of them, those followed by a use of the item
	ToolsTokens int        `json:"tools_tokens"` // descriptions of our tools, once a session of an agent that has them

	Estimate Estimate   `json:"estimate"`
	Dead     []DeadItem `json:"dead"` // most told first
}

// MaxEconomy is how many receipts are counted at most.
const MaxEconomy = 20_000

// EconomyDay is one day, where the person is.
type EconomyDay struct {
	Day       string         `json:"day"`    // 2006-01-02
	Tokens    map[string]int `json:"tokens"` // told, by trigger
	Injected  int            `json:"injected"`
	Abstained int            `json:"abstained"` // asked, and nothing told
	Results   int            `json:"results"`   // tokens of the answers of our tools
	Calls     int            `json:"calls"`     // of our tools
	Model     int            `json:"model"`     // tokens of a model that digests turns; of all projects
	Avoided   int            `json:"avoided"`   // an estimate, see Estimate
}

// Told is how many tokens were told, by all triggers.
func (d EconomyDay) Told() (n int) {
	for _, t := range d.Tokens {
		n += t
	}
	return n
}

// Estimate is what nobody can measure: what would have been read again.
type Estimate struct {
	Tokens  int    `json:"tokens"`
	Items   int    `json:"items"`    // that were told, used, and are about a file
	PerRead int    `json:"per_read"` // median tokens of a file as agents read it here
	Reads   int    `json:"reads"`    // that the median was taken of
	Formula string `json:"formula"`
}

// DeadItem is a memory that is told again and again and never used.
type DeadItem struct {
	ID     string    `json:"id"`
	Kind   Kind      `json:"kind"`
	Title  string    `json:"title"`
	Pinned bool      `json:"pinned"`
	Told   int       `json:"told"`
	Tokens int       `json:"tokens"` // of all times
	Last   time.Time `json:"last"`
}

// DeadAfter is how often a memory is told without any use before it is dead weight.
const DeadAfter = 6

// FilesAsk asks which files memories are about.
type FilesAsk struct {
	Place
	Under string `json:"under,omitempty"` // only files below this folder
	Limit int    `json:"limit,omitempty"` // 0 means 300; at most 2000
}

// FileTree are the files that memories are about, most memories first.
type FileTree struct {
	Project Project    `json:"project"`
	Files   []FileLine `json:"files"`
	Total   int        `json:"total"` // files, those beyond the limit too
}

// FileLine is one file.
type FileLine struct {
	Path     string    `json:"path"`
	Memories int       `json:"memories"` // active ones about it, changes apart
	Changes  int       `json:"changes"`  // times it was changed in a session
	Recalls  int       `json:"recalls"`  // times a memory about it was told
	Last     time.Time `json:"last"`     // when something was learned of it
}

// FileAsk asks for one file.
type FileAsk struct {
	Place
	Path string `json:"path"`
}

// FilePage is what is known of one file.
type FilePage struct {
	Project  Project              `json:"project"`
	Path     string               `json:"path"`
	Memories []Memory             `json:"memories"` // newest first, at most 200
	Sessions []Session            `json:"sessions"` // that learned of it or changed it, last active first
	Stale    map[string]Freshness `json:"stale"`    // of memories that are tied to it, by id
}

// FileCounter is a Store that can count memories by file.
type FileCounter interface {
	// FileCounts returns the files that active memories of a project are about,
	// of all projects with an empty key, most memories first, and how many there are.
	FileCounts(ctx context.Context, project, under string, limit int) ([]FileLine, int, error)
}

// Fleet is where the work of every project stands, last active first.
type Fleet struct {
	At       time.Time   `json:"at"`
	Projects []FleetItem `json:"projects"`
}

// FleetItem is one project.
type FleetItem struct {
	Standing Standing `json:"standing"`
	Memories int      `json:"memories"`
	Sessions int      `json:"sessions"`
	Stale    bool     `json:"stale"` // nothing was heard of it for StaleAfter
}

// StaleAfter is the silence after which a project counts as stale.
const StaleAfter = 7 * 24 * time.Hour
