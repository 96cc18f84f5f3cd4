package mem

import "time"

// Scope says how far a memory reaches.
type Scope string

// The three scopes. A session memory is not told to other sessions.
const (
	ScopeSession Scope = "session"
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

// Kind says what a memory is about. The list is closed; tags are free.
type Kind string

// The kinds, in the order in which legends list them.
const (
	Request    Kind = "request"
	Gotcha     Kind = "gotcha"
	ErrorFix   Kind = "error_fix"
	Howto      Kind = "howto"
	Change     Kind = "change"
	Discovery  Kind = "discovery"
	Rationale  Kind = "rationale"
	Decision   Kind = "decision"
	TradeOff   Kind = "trade_off"
	Convention Kind = "convention"
	Preference Kind = "preference"
	Fact       Kind = "fact"
	Todo       Kind = "todo"
	FileNote   Kind = "file_note"
	Command    Kind = "command"
	Summary    Kind = "summary"
	Snapshot   Kind = "snapshot"
	Scratch    Kind = "scratch"
	Utterance  Kind = "utterance" // one thing said in a session; left out of every query that does not name it
)

// KindInfo is what is fixed for a kind.
type KindInfo struct {
	Kind       Kind
	Glyph      string
	Importance float64 // 0…1, used where the maker of a memory has no better idea
}

// Kinds lists every kind in legend order.
func Kinds() []KindInfo {
	return []KindInfo{
		{Request, "🎯", 0.4},
		{Gotcha, "🔴", 0.7},
		{ErrorFix, "🟡", 0.6},
		{Howto, "🔵", 0.5},
		{Change, "🟢", 0.3},
		{Discovery, "🟣", 0.4},
		{Rationale, "🟠", 0.6},
		{Decision, "🟤", 0.7},
		{TradeOff, "⚖️", 0.6},
		{Convention, "📐", 0.6},
		{Preference, "👤", 0.7},
		{Fact, "📄", 0.5},
		{Todo, "☐", 0.6},
		{FileNote, "📌", 0.5},
		{Command, "⌘", 0.4},
		{Summary, "Σ", 0.5},
		{Snapshot, "⏸", 0.5},
		{Scratch, "·", 0.2},
		{Utterance, "💬", 0.2},
	}
}

// Info returns what is fixed for k; ok is false for a kind that is not in the list.
func (k Kind) Info() (info KindInfo, ok bool) {
	for _, i := range Kinds() {
		if i.Kind == k {
			return i, true
		}
	}
	return KindInfo{Kind: k, Glyph: "·", Importance: 0.5}, false
}

// Named reports whether names and links of memories of the kind are looked for: not
// of what was only asked, done or said.
func (k Kind) Named() bool {
	switch k {
	case Request, Change, Command, Snapshot, Scratch, Utterance:
		return false
	}
	return true
}

// Trust is how far a text may be relied on. It decides where the text may
// appear: only a person raises it.
type Trust int

// The levels, worst first. A text made of several inputs has the worst of theirs.
const (
	TrustNone      Trust = iota // web, MCP, unapproved import, unknown: never told unasked
	TrustTool                   // local tool output: one-line titles made by rule
	TrustAssistant              // the assistant's own words from turns without TrustNone input
	TrustUser                   // written or approved by the person
)

// String is the level's short name, L0 … L3.
func (t Trust) String() string { return "L" + string(rune('0'+int(t))) }

// Origin is the channel a text came through.
type Origin string

// The origins.
const (
	FromUserPrompt  Origin = "user_prompt"
	FromUserCommand Origin = "user_command" // typed at our own command line
	FromAssistant   Origin = "assistant"
	FromTool        Origin = "tool_local"
	FromWeb         Origin = "tool_web"
	FromMCP         Origin = "mcp"
	FromVault       Origin = "vault" // a file of the person's
	FromImport      Origin = "import"
)

// Status is where a memory stands in its life.
type Status string

// The states. An archived memory is found but not told unasked, and active again
// once it is used. All after it are hidden; a forgotten one can be restored for a
// while.
const (
	Active       Status = "active"
	Archived     Status = "archived"
	Consolidated Status = "consolidated" // says the same as another one of its reach: see MergedInto
	Promoted     Status = "promoted"     // the same, and that one reaches further
	Superseded   Status = "superseded"
	Forgotten    Status = "forgotten"
)

// Memory is one kept statement.
type Memory struct {
	ID      string `json:"id"` // "m_" + the row's number in base 32; empty on a new one, the store sets it
	Scope   Scope  `json:"scope"`
	Project string `json:"project,omitempty"` // project key; empty for ScopeUser
	Session string `json:"session,omitempty"` // the agent's session id it was learned in

	Kind     Kind         `json:"kind"`
	Title    string       `json:"title"`              // one line, ≤ 160 characters
	Body     string       `json:"body,omitempty"`     // full text; empty where the title says it all
	Facts    []string     `json:"facts,omitempty"`    // single statements
	Concepts []string     `json:"concepts,omitempty"` // free topic words
	Tags     []string     `json:"tags,omitempty"`
	Files    []string     `json:"files,omitempty"`    // project-relative where inside the project, slashes
	Anchors  []Anchor     `json:"anchors,omitempty"`  // what some of Files held when it was made or last confirmed
	Modified []string     `json:"modified,omitempty"` // those of Files that were changed
	Tool     string       `json:"tool,omitempty"`
	Command  string       `json:"command,omitempty"`   // normalised command line it is about
	ExitCode int          `json:"exit_code,omitempty"` // of Command; 0 also when it has none
	Event    string       `json:"event,omitempty"`     // what made it, e.g. "pre-compact"
	Summary  *SummaryText `json:"summary,omitempty"`   // kind summary only
	Who      string       `json:"who,omitempty"`       // kind utterance only: "user", "assistant", or a name

	Importance float64 `json:"importance"` // 0…1
	Confidence float64 `json:"confidence"` // 0…1
	Trust      Trust   `json:"trust"`
	Origin     Origin  `json:"origin"`
	Source     Source  `json:"source"`

	Resolved bool   `json:"resolved"` // false on an open todo
	Status   Status `json:"status"`   // empty on a new one means Active
	Pinned   bool   `json:"pinned,omitempty"`
	// Supersedes is the id of the memory that this one replaces; applying it
	// marks that one Superseded.
	Supersedes string `json:"supersedes,omitempty"`
	// MergedInto is the id of the memory that says the same and stands for this
	// one; it has to be there. Erasing that one erases this one.
	MergedInto   string `json:"merged_into,omitempty"`
	PromotedFrom Scope  `json:"promoted_from,omitempty"` // where it was learned, if it reaches further since
	Branch       string `json:"branch,omitempty"`
	Commit       string `json:"commit,omitempty"`

	// Key makes a memory unique in its session: a second one with the same key
	// replaces text, source and Resolved of the first, adds its files and tags and raises Repeats. An
	// utterance of the same words and trust changes nothing. Empty means the hash
	// of kind, scope, title and body.
	Key     string `json:"key,omitempty"`
	Repeats int    `json:"repeats,omitempty"` // how often it came again

	// Index holds words for search that the text itself does not show: parts
	// of identifiers and paths, pairs of unsegmented characters. Made by package rank.
	Index string `json:"-"`

	// Invariant is what holds always, in one or two sentences: it is told where
	// the rest has no room.
	Invariant string   `json:"invariant,omitempty"`
	Projects  []string `json:"projects,omitempty"`       // free names of projects it matters to; not keys
	HalfLife  float64  `json:"half_life_days,omitempty"` // of its use, in days; 0 means the configured one
	Evergreen bool     `json:"evergreen,omitempty"`      // its age does not count
	Note      Note     `json:"note,omitzero"`            // its file in the vault; the zero value means none

	Prevented int        `json:"prevented,omitempty"` // mistakes it kept from being made
	Feedback  []Feedback `json:"feedback,omitempty"`  // what was said about it, newest last, at most MaxFeedback
	// Proposals are changes that wait for the person, newest last, at most MaxProposals.
	Proposals []Proposal `json:"proposals,omitempty"`

	Uses     int       `json:"uses"` // fetched or cited; being told is not a use
	UsedIn   []string  `json:"-"`    // the turns of its newest uses, newest last, at most MaxUsedIn; see Edit.UsedIn
	LastUsed time.Time `json:"last_used,omitzero"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
	Hidden   time.Time `json:"hidden,omitzero"` // when it was forgotten
}

// SpeakerName is the name of who said something, empty for the two sides of a
// conversation with an agent: their names are words of every question.
func SpeakerName(who string) string {
	if who == "user" || who == "assistant" {
		return ""
	}
	return who
}

// Anchor ties a memory to what a file held.
type Anchor struct {
	File string `json:"file"` // one of Files
	Hash string `json:"hash"` // of the content, as git names a blob; empty if the file was not there
}

// Note ties a memory to the file of the vault that holds it.
type Note struct {
	File    string    `json:"file"` // below the vault's folder, with slashes
	Hash    string    `json:"hash"` // of the file as the memory was last brought in step with it
	Size    int64     `json:"size"` // of the file then, in bytes; -1: it was so fresh that its time tells nothing
	Written time.Time `json:"written"`
	State   string    `json:"-"` // of the memory then, so that a change of either side is told from one of the other
	// Uses and Prevented are the memory's own then.
	Uses, Prevented int `json:"-"`
}

// Feedback is what somebody found a memory to be worth.
type Feedback struct {
	At      time.Time `json:"at"`
	Verdict string    `json:"verdict"`        // useful, wrong, stale, prevented; or what was done: edited, forget …
	Note    string    `json:"note,omitempty"` // what happened, in a sentence
	Was     string    `json:"was,omitempty"`  // the text before, of Edited that changed it; the beginning of a long one
	By      Origin    `json:"by"`
	Session string    `json:"session,omitempty"`
}

// The verdicts. Beside them the feedback of a memory holds why it was changed, or
// why an order of MarkAsk was given, where somebody said so.
const (
	Edited        = "edited"
	Useful        = "useful"    // it helped
	Wrong         = "wrong"     // it is not so
	Stale         = "stale"     // it is no longer so
	PreventedThat = "prevented" // it kept a mistake from being made: the note names it
)

// MaxUsedIn is how many turns a memory remembers to have been used in.
const MaxUsedIn = 8

// MaxFeedback is how many of its feedback a memory keeps.
const MaxFeedback = 20

// Source says where a memory came from, well enough to find it again.
type Source struct {
	Agent     string `json:"agent,omitempty"`
	Session   string `json:"session,omitempty"`
	PromptID  string `json:"prompt_id,omitempty"`
	Prompt    int    `json:"prompt,omitempty"` // number of the prompt in its session, from 1; the store fills it
	Event     string `json:"event,omitempty"`  // id of the event
	ToolUseID string `json:"tool_use_id,omitempty"`
	AgentID   string `json:"agent_id,omitempty"` // the subagent
}

// SummaryText is the five-part text of a summary.
type SummaryText struct {
	Request      string `json:"request,omitempty"`
	Investigated string `json:"investigated,omitempty"`
	Learned      string `json:"learned,omitempty"`
	Completed    string `json:"completed,omitempty"`
	NextSteps    string `json:"next_steps,omitempty"`
	Notes        string `json:"notes,omitempty"`
}
