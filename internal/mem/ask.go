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

	Strategy Strategy `json:"strategy,omitempty"` // "" means Auto

	// Facets also counts what was found by kind, project and more, and says where
	// the words stand in it.
	Facets bool `json:"facets,omitempty"`
}

// Strategy is how a search looks for words. Without words it does not count.
type Strategy string

// The strategies. Where there are no vectors, or that of the question is not to be had, all are ByKeyword.
const (
	Auto      Strategy = "auto"    // by words, and by meaning where there are vectors
	ByKeyword Strategy = "keyword" // by words alone
	ByVector  Strategy = "vector"  // by meaning alone
	Hybrid    Strategy = "hybrid"  // by both; as Auto, but says so where there are no vectors
)

// Strategies lists them all.
func Strategies() []Strategy { return []Strategy{Auto, ByKeyword, ByVector, Hybrid} }

// Found is what a search found.
type Found struct {
	Project Project              `json:"project"`
	Hits    []Hit                `json:"hits"`
	Stale   map[string]Freshness `json:"stale,omitempty"` // of hits that are tied to files, by id; others have none
	Total   int                  `json:"total"`           // memories that were searched; 0 where counting them would take longer
	TookMS  float64              `json:"took_ms"`
	Terms   []string             `json:"terms"`
	At      time.Time            `json:"at"`
	Warning string               `json:"warning,omitempty"` // what was asked for and could not be done

	Facets  map[string][]Count `json:"facets,omitempty"`  // with SearchAsk.Facets: by kind, project, agent, branch, trust, status, dir
	Counted int                `json:"counted,omitempty"` // the best matches, which Facets count
	Marks   map[string]Marks   `json:"marks,omitempty"`   // with SearchAsk.Facets, by id of the hit
}

// Marks says where the words of a search stand in a hit: from and to, in UTF-16
// units, ascending.
type Marks struct {
	Title   [][2]int `json:"title,omitempty"`
	Excerpt string   `json:"excerpt,omitempty"` // of the body, around the first word
	In      [][2]int `json:"in,omitempty"`      // the excerpt
}

// IDs names records by id or unique prefix.
type IDs struct {
	Place
	IDs   []string `json:"ids"`
	Agent string   `json:"agent,omitempty" query:"-"` // as in AddAsk: what an agent reads whole is used in its turn
}

// Records are whole records.
type Records struct {
	Memories []Memory            `json:"memories"`
	Beside   map[string][]Beside `json:"beside,omitempty"` // by id, the weightiest first
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
	More    bool     `json:"more,omitempty"` // than Around asked for was kept before or after
}

// Moment is one entry of a timeline.
type Moment struct {
	ID      string    `json:"id"` // of the memory, or of the event
	At      time.Time `json:"at"`
	Session string    `json:"session"` // short id
	What    string    `json:"what"`    // event kind or memory kind; "prompt", "injection", "session_end" from FeedAsk
	Title   string    `json:"title"`
	Files   []string  `json:"files,omitempty"`

	Project     string `json:"project,omitempty"` // key; this and what follows only from FeedAsk
	ProjectName string `json:"project_name,omitempty"`
	Tokens      int    `json:"tokens,omitempty"` // of an injection
	Count       int    `json:"count,omitempty"`  // items of an injection
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
	Weights Weights           `json:"weights"`
}

// Weights are what the parts of a score count in its sum. The part "authority"
// is a factor on it.
type Weights struct {
	Kept map[string]float64 `json:"kept"` // of memories
	Said map[string]float64 `json:"said"` // of what was said in a session
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

	Title      string     `json:"title,omitempty"`      // "" means the text's first line
	Importance *float64   `json:"importance,omitempty"` // 0…1; nil means as the kind's
	Related    []Relation `json:"related,omitempty"`
	Supersedes string     `json:"supersedes,omitempty"` // id of the memory that it replaces
	Origin     Origin     `json:"origin,omitempty"`     // of an agent's statement; "" means FromAssistant
	// IfNew keeps nothing where a memory of the same scope says the same, or says
	// one of both with more detail; that one is returned then.
	IfNew bool `json:"if_new,omitempty"`
	// KeepBoth records that the statement and the memories like it both hold:
	// consolidation never merges them.
	KeepBoth bool `json:"keep_both,omitempty"`
}

// Relation says how something that has a name stands to a memory.
type Relation struct {
	Name         string `json:"name"`
	Type         string `json:"type,omitempty"`         // what it is: file, library, person …
	Relationship string `json:"relationship,omitempty"` // what the memory says of it: uses, replaces …
}

// Added is what became of an AddAsk.
type Added struct {
	Memory       // that was kept; zero where nothing was
	Similar *Hit `json:"similar,omitempty"` // the memory most like it, 0…1 as Score; only with IfNew
	// Relation says how Similar relates to the statement. With same and adds nothing
	// was kept; with differs and opposite the statement was kept beside Similar.
	Relation string `json:"relation,omitempty"`
	// Difference says by what they differ: order, number, negation, name …
	Difference string `json:"difference,omitempty"`
	// Proposal is set where nothing was kept, because the memory that was to be
	// replaced has more trust than the author: the change waits for the person.
	Proposal *Proposal `json:"proposal,omitempty"`
}

// ImportAsk brings memories that were kept elsewhere. Of each counts what it
// says and is about (kind, title, body, facts, concepts, tags, files, modified,
// command, summary), its project, by key, name or root, and when it was created.
type ImportAsk struct {
	Project  string   `json:"project,omitempty"` // of those that name none; "" means they are about all projects
	Memories []Memory `json:"memories"`          // 1…1000
	DryRun   bool     `json:"dry_run,omitempty"` // only counts
	Dir      string   `json:"dir,omitempty"`     // whose project may be named though nothing is kept of it yet
}

// Imported is what became of an ImportAsk.
type Imported struct {
	Tag   string   `json:"tag"`   // of all that were kept: remanence forget --tag TAG takes the import back
	IDs   []string `json:"ids"`   // in the order in which they came; "" for one that was not kept
	Kept  int      `json:"kept"`  // how many are new
	Known int      `json:"known"` // were there in the same words
	Empty int      `json:"empty"` // of which the rules on private text left nothing
}

// UnknownAgent is the session of an agent that does not say which it is in.
const UnknownAgent = "?"

// EditAsk changes one memory. The person's hand makes it TrustUser; an agent's
// leaves the trust as it is, and is only proposed where the memory has more trust.
type EditAsk struct {
	ID    string  `json:"id"`
	Text  *string `json:"text,omitempty"`
	Kind  *Kind   `json:"kind,omitempty"`
	Scope *Scope  `json:"scope,omitempty"`
	Agent string  `json:"agent,omitempty"` // as in AddAsk

	Importance *float64 `json:"importance,omitempty"` // 0…1
	Resolved   *bool    `json:"resolved,omitempty"`
	AddTags    []string `json:"add_tags,omitempty"`
	DropTags   []string `json:"drop_tags,omitempty"`
	Wider      bool     `json:"wider,omitempty"`  // Scope may not become narrower
	Reason     string   `json:"reason,omitempty"` // why, in a sentence
}

// Reports reports whether nothing is asked for but to note that the work is done.
func (a EditAsk) Reports() bool {
	return a.Resolved != nil && a.Text == nil && a.Kind == nil && a.Scope == nil && a.Importance == nil && len(a.AddTags)+len(a.DropTags) == 0
}

// EditResponse is the memory after an EditAsk.
type EditResponse struct {
	Memory // as it is now
	// Proposal is set where nothing was changed and the change waits for the person.
	Proposal *Proposal `json:"proposal,omitempty"`
}

// MaxFound is how many memories a MarkAsk with a query is about at most.
const MaxFound = 1000

// MarkAsk changes the standing of memories, named by id or found by a query.
type MarkAsk struct {
	Place
	Verb   string   `json:"verb"` // forget, restore, pin, unpin
	IDs    []string `json:"ids,omitempty"`
	Query  *Query   `json:"query,omitempty"`
	DryRun bool     `json:"dry_run,omitempty"`
	Reason string   `json:"reason,omitempty"` // why, in a sentence
	Agent  string   `json:"agent,omitempty"`  // as in AddAsk
}

// SessionAsk names a session by the agent's id.
type SessionAsk struct {
	ID string `json:"id"`
}

// FeedbackAsk says what memories were worth.
type FeedbackAsk struct {
	IDs     []string `json:"ids"`
	Verdict string   `json:"verdict"`         // Useful, Wrong, Stale, PreventedThat
	Note    string   `json:"note,omitempty"`  // what happened; PreventedThat needs it: which mistake
	Agent   string   `json:"agent,omitempty"` // as in AddAsk
}

// Marked lists the memories a MarkAsk changed, or would.
type Marked struct {
	Verb     string   `json:"verb"`
	DryRun   bool     `json:"dry_run"`
	Memories []Memory `json:"memories"`
	// Proposed are the orders that wait for the person; their memories are as they were.
	Proposed []Proposal `json:"proposed,omitempty"`
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
	// Review is what waits in the inbox; nil where nobody has looked yet.
	Review *Undecided `json:"review,omitempty"`
	// Context is that of Last; nil where nobody knows it.
	Context *Context `json:"context,omitempty"`
	// Embedding says how it stands with the vectors; nil where nobody wants any.
	Embedding *Embedding `json:"embedding,omitempty"`
	// Digest says how it stands with the digest by a model; nil where nobody wants one.
	Digest *Digesting `json:"digest,omitempty"`
}
