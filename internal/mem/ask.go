package mem

import "time"

// Place says which project a question or an order is about: a key, a name or
// "all", else the project of the directory. The zero value means all projects.
type Place struct {
	Project string `json:"project,omitempty"` // key, unique prefix, name, or "all"
	Dir     string `json:"dir,omitempty"`
}

// SearchAsk asks for memories by words or, without text, by filters alone.
type SearchAsk struct {
	Place
	Query   Query    `json:"query"`
	Without []string `json:"without,omitempty"` // features of the ranking to leave out, by the names of their parts; for measuring
}

// Found is what a search found.
type Found struct {
	Project Project              `json:"project"`
	Hits    []Hit                `json:"hits"`
	Stale   map[string]Freshness `json:"stale,omitempty"` // of hits that are tied to files, by id; others have none
	Total   int                  `json:"total"`           // memories that were searched; 0 where counting them would take longer
	TookMS  float64              `json:"took_ms"`
	Terms   []string             `json:"terms"`
	At      time.Time            `json:"at"`
}

// IDs names records by id or unique prefix.
type IDs struct {
	Place
	IDs []string `json:"ids"`
}

// Records are whole records.
type Records struct {
	Memories []Memory `json:"memories"`
}

// TimelineAsk asks what lies around an anchor: an event, memory or session id,
// a file, a day, or "" for now.
type TimelineAsk struct {
	Place
	Anchor  string `json:"anchor,omitempty"`
	Session string `json:"session,omitempty"`
	Around  int    `json:"around,omitempty"` // entries on each side; 0 means 10
}

// Timeline lists moments, oldest first.
type Timeline struct {
	Anchor  string   `json:"anchor,omitempty"` // id of the entry it is centred on
	Entries []Moment `json:"entries"`
}

// Moment is one entry of a timeline.
type Moment struct {
	ID      string    `json:"id"` // of the memory, or of the event
	At      time.Time `json:"at"`
	Session string    `json:"session"` // short id
	What    string    `json:"what"`    // event kind or memory kind
	Title   string    `json:"title"`
	Files   []string  `json:"files,omitempty"`
}

// WhyAsk asks for a receipt: its id, or "last" or "" for the newest of the project.
type WhyAsk struct {
	Place
	ID string `json:"id,omitempty"`
}

// Explained is a receipt and what became of its items.
type Explained struct {
	Receipt Receipt           `json:"receipt"`
	Short   string            `json:"session_short,omitempty"`
	States  map[string]Status `json:"states,omitempty"` // of items, where not active any more
	Used    map[string]bool   `json:"used,omitempty"`   // items cited or fetched after they were told
	Later   *Receipt          `json:"later,omitempty"`  // the newest one, if it is another and told nothing
}

// NextAsk asks what the next session of the place would be told, or, with a
// prompt, what that prompt would.
type NextAsk struct {
	Place
	Prompt  string    `json:"prompt,omitempty"`
	Before  time.Time `json:"before,omitzero"`   // the prompt is told only what was made before; the zero time means all
	Session string    `json:"session,omitempty"` // that the prompt would be given in, by id; "" means a new one
	Budget  int       `json:"budget,omitempty"`  // tokens; 0 means the configured one
	Source  string    `json:"source,omitempty"`  // as SessionStart; "" means startup
	Without []string  `json:"without,omitempty"` // as SearchAsk, of what the prompt recalls
}

// AddAsk keeps a statement of the person, or of an agent that runs our command line.
type AddAsk struct {
	Place
	Text  string   `json:"text"`
	Kind  Kind     `json:"kind,omitempty"`  // "" means fact
	Scope Scope    `json:"scope,omitempty"` // "" means project
	Files []string `json:"files,omitempty"`
	Tags  []string `json:"tags,omitempty"`
	Agent string   `json:"agent,omitempty"` // session of the agent that asks, UnknownAgent; "" means the person
}

// UnknownAgent is the session of an agent that does not say which it is in.
const UnknownAgent = "?"

// EditAsk changes the text or the kind of one memory. The person's hand makes it
// TrustUser; an agent's never raises its trust.
type EditAsk struct {
	ID    string  `json:"id"`
	Text  *string `json:"text,omitempty"`
	Kind  *Kind   `json:"kind,omitempty"`
	Scope *Scope  `json:"scope,omitempty"`
	Agent string  `json:"agent,omitempty"` // as in AddAsk
}

// MarkAsk changes the standing of memories, named by id or found by a query.
type MarkAsk struct {
	Place
	Verb   string   `json:"verb"` // forget, restore, pin, unpin
	IDs    []string `json:"ids,omitempty"`
	Query  *Query   `json:"query,omitempty"`
	DryRun bool     `json:"dry_run,omitempty"`
}

// Marked lists the memories a MarkAsk changed, or would.
type Marked struct {
	Verb     string   `json:"verb"`
	DryRun   bool     `json:"dry_run"`
	Memories []Memory `json:"memories"`
}

// Erased says what was erased, or would be, and what no command of ours can reach.
type Erased struct {
	Purged    Purged   `json:"purged"`
	Memories  []Memory `json:"memories,omitempty"` // that would be; what was erased is named no more
	Unreached []string `json:"unreached"`
}

// ScanAsk has what is stored searched for private spans and secrets by today's
// rules and, with Fix, what is found taken out for good.
type ScanAsk struct {
	Fix bool `json:"fix,omitempty"`
}

// Scanned is what a search for secrets found. It never holds what was found.
type Scanned struct {
	Records   int      `json:"records"` // looked at
	Held      int      `json:"held"`    // of them, those that held anything
	Finds     []Find   `json:"finds"`   // by place, then kind
	Fixed     bool     `json:"fixed"`   // it is gone, without a byte left
	Unreached []string `json:"unreached"`
}

// Find counts the secrets of one kind in one sort of record.
type Find struct {
	Where string   `json:"where"` // "memories", "events", …
	Kind  string   `json:"kind"`  // as in the marker; Private for a private span
	Count int      `json:"count"`
	IDs   []string `json:"ids"` // of a few of the records, where those have ids
}

// PrivateSpan is the kind of a Find that is a private span.
const PrivateSpan = "private"

// PauseAsk pauses or resumes capture and injection.
type PauseAsk struct {
	Place
	Scope      string        `json:"scope"` // session, project, all
	Session    string        `json:"session,omitempty"`
	For        time.Duration `json:"for,omitempty"` // 0 means until resumed
	InjectOnly bool          `json:"inject_only,omitempty"`
	Resume     bool          `json:"resume,omitempty"`
}

// Pauses are the pauses in force.
type Pauses struct {
	Pauses []Pause `json:"pauses"`
}

// Health is how the worker does. What it counts, it counts since it started.
type Health struct {
	Since      time.Time `json:"since,omitzero"`
	Hooks      int64     `json:"hooks"`       // events answered
	HookErrors int64     `json:"hook_errors"` // events that could not be kept here
	// FailedInRow is how many of the newest events could not be kept here.
	FailedInRow int64 `json:"failed_in_row"`

	HookP50MS float64 `json:"hook_p50_ms"` // of the newest hooks, from their first statement to our answer
	HookP95MS float64 `json:"hook_p95_ms"`
	Private   int     `json:"private"` // private spans taken out
	Secrets   int     `json:"secrets"` // secrets taken out

	QueueDepth int     `json:"queue_depth"`
	OldestJobS float64 `json:"oldest_job_s"`
	DeadJobs   int     `json:"dead_jobs"`
	LastError  string  `json:"last_error,omitempty"`
}

// Overview is what a person wants to know at a glance.
type Overview struct {
	Project Project  `json:"project"`
	Stats   Stats    `json:"stats"`
	Last    *Session `json:"last_session,omitempty"`
	Told    *Receipt `json:"last_told,omitempty"` // the newest injection that told something
	Pauses  []Pause  `json:"pauses"`
	Health  Health   `json:"health"`
	// Embedding says how it stands with the vectors; nil where nobody wants any.
	Embedding *Embedding `json:"embedding,omitempty"`
}
