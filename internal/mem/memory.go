package mem

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Scope is the set of sessions in which a memory may be used.
type Scope string

// The scopes. A memory of ScopeSession is not injected into other sessions.
const (
	ScopeSession Scope = "session"
	ScopeProject Scope = "project"
	ScopeUser    Scope = "user"
)

// Kind is the sort of a memory. The list is closed; Tags are free.
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
	Utterance  Kind = "utterance" // one message of a session; queries return it only if Kinds names it
)

// KindInfo holds the constants of a kind.
type KindInfo struct {
	Kind       Kind
	Glyph      string
	Importance float64 // 0…1, the default for new memories of the kind
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

// Info returns the constants of k. For an unknown kind, ok is false and info has
// usable defaults.
func (k Kind) Info() (info KindInfo, ok bool) {
	for _, i := range Kinds() {
		if i.Kind == k {
			return i, true
		}
	}
	return KindInfo{Kind: k, Glyph: "·", Importance: 0.5}, false
}

// HasEntities reports whether memories of the kind get entities and links. Requests,
// changes, commands and utterances do not.
func (k Kind) HasEntities() bool {
	switch k {
	case Request, Change, Command, Snapshot, Scratch, Utterance:
		return false
	}
	return true
}

// Trust is how far a text can be relied on. It limits where the text may appear.
// Only a person can raise it.
type Trust int

// The levels, lowest first. A text made of several inputs has the lowest of theirs.
const (
	TrustNone      Trust = iota // web, MCP, unapproved import, unknown; never injected unless requested
	TrustTool                   // output of local tools: one-line titles made without a model
	TrustAssistant              // the assistant's own words from turns without TrustNone input
	TrustUser                   // written or approved by the person
)

// String is the level's short name, L0 … L3.
func (t Trust) String() string { return "L" + string(rune('0'+int(t))) }

// MarshalText implements encoding.TextMarshaler: JSON holds the short name.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads a short name or its number.
func (t *Trust) UnmarshalText(text []byte) error {
	digit := strings.TrimPrefix(string(text), "L")
	if len(digit) != 1 || digit[0] < '0' || digit[0] > '3' {
		return fmt.Errorf("%q is no trust level from L0 to L3", text)
	}
	*t = Trust(digit[0] - '0')
	return nil
}

// UnmarshalJSON implements json.Unmarshaler. Stored data has numbers as well as names.
func (t *Trust) UnmarshalJSON(b []byte) error { return t.UnmarshalText(bytes.Trim(b, `"`)) }

// Strings is a list of texts. In JSON an empty list is [], never null.
type Strings []string

// MarshalJSON implements json.Marshaler.
func (s Strings) MarshalJSON() ([]byte, error) {
	if len(s) == 0 {
		return []byte("[]"), nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode([]string(s))
	return b.Bytes(), err
}

// Origin is the channel a text came through.
type Origin string

// The origins.
const (
	FromUserPrompt  Origin = "user_prompt"
	FromUserCommand Origin = "user_command" // typed at the remanence command line
	FromAssistant   Origin = "assistant"
	FromTool        Origin = "tool_local"
	FromWeb         Origin = "tool_web"
	FromMCP         Origin = "mcp"
	FromVault       Origin = "vault" // a file of the vault
	FromImport      Origin = "import"
)

// Status is the lifecycle state of a memory.
type Status string

// The states. An Archived memory is found by a search, but not injected; using it
// makes it Active again. The states below Archived are hidden from queries. A
// Forgotten memory can be restored until it is erased.
const (
	Active       Status = "active"
	Archived     Status = "archived"
	Consolidated Status = "consolidated" // another memory with the same scope says the same, see MergedInto
	Promoted     Status = "promoted"     // likewise, and the other memory has a wider scope
	Superseded   Status = "superseded"
	Forgotten    Status = "forgotten"
)

// Memory is one stored statement. [Batch] writes it, and [Query] finds it. Its
// JSON form is the same in the API, the command line's --json, exports and the viewer.
type Memory struct {
	ID      string `json:"id"` // "m_" + the row's number in base 32; empty on a new one, the store sets it
	Scope   Scope  `json:"scope"`
	Project string `json:"project,omitempty"` // project key; empty for ScopeUser
	Session string `json:"session,omitempty"` // the agent's id of the session it was made in

	Kind     Kind         `json:"kind"`
	Title    string       `json:"title"`          // one line, ≤ 160 characters
	Body     string       `json:"body,omitempty"` // full text; empty if the title is the full text
	Facts    Strings      `json:"facts"`          // separate statements
	Concepts Strings      `json:"concepts"`       // free topic words
	Tags     Strings      `json:"tags"`
	Files    Strings      `json:"files"`              // relative to the project if inside it; slashes
	Anchors  []Anchor     `json:"anchors,omitempty"`  // content of some of Files when made or last confirmed
	Modified []string     `json:"modified,omitempty"` // those of Files that were changed
	Tool     string       `json:"tool,omitempty"`
	Command  string       `json:"command,omitempty"`   // normalised command line it is about
	ExitCode int          `json:"exit_code,omitempty"` // of Command; also 0 if unknown
	Event    string       `json:"event,omitempty"`     // what produced it, e.g. "pre-compact"
	Summary  *SummaryText `json:"summary,omitempty"`   // kind summary only
	Who      string       `json:"speaker,omitempty"`   // kind utterance only: "user", "assistant", or a name

	Importance float64 `json:"importance"` // 0…1
	Confidence float64 `json:"confidence"` // 0…1
	Trust      Trust   `json:"trust"`
	Origin     Origin  `json:"origin"`
	Source     Source  `json:"source"`

	Resolved bool   `json:"resolved"` // false on an open todo
	Status   Status `json:"status"`   // empty on a new one means Active
	Pinned   bool   `json:"pinned,omitempty"`
	// Supersedes is the id of a memory that this one replaces. Writing this one
	// sets the status of the other to Superseded.
	Supersedes string `json:"supersedes,omitempty"`
	// MergedInto is the id of an existing memory that says the same and is used
	// instead of this one. Erasing that memory erases this one.
	MergedInto   string `json:"merged_into,omitempty"`
	PromotedFrom Scope  `json:"promoted_from,omitempty"` // scope before a promotion
	Branch       string `json:"branch,omitempty"`
	Commit       string `json:"commit,omitempty"`
	// Commits are those that the turn of a summary made, oldest first. The repository had each of them then.
	Commits []Commit `json:"commits,omitempty"`

	// Key makes a memory unique in its session. A second memory with the same key
	// replaces text, source and Resolved of the first, adds its files and tags, and
	// increments Repeats. A repeated utterance with the same text and trust changes
	// nothing. Empty means the hash of kind, scope, title and body.
	Key     string `json:"key,omitempty"`
	Repeats int    `json:"repeats,omitempty"` // how often it was captured again

	// Index holds search words that the text does not contain: parts of identifiers
	// and paths, and character pairs of unsegmented scripts. Package rank makes it.
	Index string `json:"-"`

	// Invariant is the part that always holds, in one or two sentences. It is
	// injected where the full text does not fit.
	Invariant string   `json:"invariant,omitempty"`
	Projects  []string `json:"projects,omitempty"`       // free names of other relevant projects; not keys
	HalfLife  float64  `json:"half_life_days,omitempty"` // of its usefulness, in days; 0 means the configured one
	Evergreen bool     `json:"evergreen,omitempty"`      // never decays
	Note      Note     `json:"note,omitzero"`            // its file in the vault; the zero value means none

	Prevented int        `json:"prevented,omitempty"` // number of mistakes that it prevented
	Feedback  []Feedback `json:"feedback,omitempty"`  // newest last, at most 20
	// Proposals are changes that wait for a person's decision, newest last, at most 20.
	Proposals []Proposal `json:"proposals,omitempty"`

	Uses     int       `json:"uses"` // turns that used it; an injection is not a use
	UsedIn   []Use     `json:"-"`    // its newest uses, newest last, at most 8; see Edit.UsedIn
	LastUsed time.Time `json:"last_used,omitzero"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`         // by an event: its time
	Hidden   time.Time `json:"hidden,omitzero"` // when it was forgotten
}

// SpeakerName returns the name in Who. It is empty for "user" and
// "assistant", which would match too many queries.
func (m Memory) SpeakerName() string {
	if m.Who == "user" || m.Who == "assistant" {
		return ""
	}
	return m.Who
}

// Commit is a commit of a project's repository.
type Commit struct {
	ID        string    `json:"id"`       // full hash
	Authored  time.Time `json:"authored"` // when it was made first; a rebase and an amendment keep it
	Committed time.Time `json:"-"`        // when this commit was made
	Subject   string    `json:"-"`
}

// Anchor is the content hash of a file that a memory is about.
type Anchor struct {
	File string `json:"file"` // one of Files
	Hash string `json:"hash"` // git blob hash of the content; empty if the file did not exist
}

// Note links a memory to its file in the vault.
type Note struct {
	File    string    `json:"file"` // relative to the vault, or with SharedDir to the project; slashes
	Hash    string    `json:"hash"` // of the file when it was last synchronised with the memory
	Size    int64     `json:"size"` // bytes of the file then; -1 if it was too new for Written to be reliable
	Written time.Time `json:"written"`
	State   string    `json:"-"` // hash of the memory then; shows which side changed since
	// Uses and Prevented are the memory's counters then.
	Uses, Prevented int `json:"-"`
	// Front and End are what stood before and behind the body of a file of the vault then, redacted. A file that is
	// written again after it was deleted has them.
	Front, End string `json:"-"`
}

// Feedback is one judgement or change of a memory, with its author.
type Feedback struct {
	At      time.Time `json:"at"`
	Verdict string    `json:"verdict"`        // useful, wrong, stale, prevented; or an action: edited, forget …
	Note    string    `json:"note,omitempty"` // one sentence
	Was     string    `json:"was,omitempty"`  // of Edited: the text before, if it changed; clipped
	By      Origin    `json:"by"`
	Session string    `json:"session,omitempty"`
}

// maxUsedIn is the largest length of Memory.UsedIn.
const maxUsedIn = 8

// maxFeedback is the largest length of Memory.Feedback.
const maxFeedback = 20

// Source is the place in a session that a memory came from.
type Source struct {
	Agent     string `json:"agent,omitempty"`
	Session   string `json:"session"` // empty if it was not made in a session
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
