package mem

import "time"

// SessionStatus is the lifecycle state of a session.
type SessionStatus string

// The states. Summarizing and Abandoned are computed when a session is read:
// Summarizing while a digest of the session waits, Abandoned after abandonAfter
// without an event.
const (
	Initialized SessionStatus = "initialized"
	Running     SessionStatus = "active"
	Summarizing SessionStatus = "summarizing"
	Completed   SessionStatus = "completed"
	Abandoned   SessionStatus = "abandoned"
)

// abandonAfter is the time without events after which an open session counts as abandoned.
const abandonAfter = 12 * time.Hour

// Session is one conversation with an agent.
type Session struct {
	ID          string        `json:"id"`     // the agent's id
	Number      int64         `json:"number"` // the store's key, never changes
	Short       string        `json:"short"`  // "s_" + number in base 32
	Agent       string        `json:"agent"`
	Project     string        `json:"project"`
	ProjectName string        `json:"project_name"`
	Root        string        `json:"root,omitempty"`
	Cwd         string        `json:"cwd,omitempty"`
	FirstPrompt string        `json:"first_prompt,omitempty"`
	Prompts     int           `json:"prompts"` // number of prompts that a person typed
	Status      SessionStatus `json:"status"`
	Source      string        `json:"source,omitempty"` // SessionStart source of its last start
	Model       string        `json:"model,omitempty"`
	Entrypoint  string        `json:"entrypoint,omitempty"`
	Parent      string        `json:"parent,omitempty"` // the session it was forked from
	Transcript  string        `json:"transcript,omitempty"`
	Created     time.Time     `json:"created"`
	Completed   time.Time     `json:"completed,omitzero"`
	EndReason   string        `json:"end_reason,omitempty"`
	LastEvent   time.Time     `json:"last_event"`
	Processing  bool          `json:"processing"` // true from a prompt to its Stop

	LastNotification string `json:"last_notification,omitempty"`
	Notifications    int    `json:"notifications,omitempty"`
	Compactions      int    `json:"compactions,omitempty"`

	StateLine       string `json:"-"`               // the last injected state line
	StateLinePrompt int    `json:"-"`               // number of the prompt it was injected with
	InjectedTokens  int    `json:"injected_tokens"` // injected since the last compaction

	ContextTokens     int       `json:"context_tokens,omitempty"` // context usage when last read; 0 if unknown
	ContextWindow     int       `json:"context_window,omitempty"` // as the client reported it; 0 if it did not
	HandoffArmed      bool      `json:"handoff_armed"`            // a handoff is requested when the context is nearly full
	AutoCompactTokens int       `json:"cliff,omitempty"`          // tokens at the last automatic compaction
	ContextReadAt     time.Time `json:"-"`                        // when ContextTokens was read
	Compacted         time.Time `json:"-"`                        // time of the last compaction

	Injected map[string]bool `json:"-"` // ids and marks injected since the last compaction

	// Memories is the number of memories made in it, of any status, at most
	// MemoriesCounted. Only Store.Session sets it; elsewhere it is 0.
	Memories int `json:"-"`
}

// MemoriesCounted is the limit of Session.Memories.
const MemoriesCounted = 200

// SessionChange is the change of a session by one event. The store creates the
// session if it does not exist. Zero fields leave the stored value as it is.
type SessionChange struct {
	Agent, Project, ProjectName, Root, Cwd string
	Model, Entrypoint, Parent, Transcript  string
	Source                                 string
	FirstPrompt                            string        // stored only if there is none
	Status                                 SessionStatus // Completed also sets the time; others reopen the session
	EndReason                              string
	Processing                             *bool
	Notification                           string // also increments Notifications
	StateLine                              *string
	HandoffArmed                           *bool

	// Compacted starts a new context window: it increments Compactions, clears
	// Injected, sets InjectedTokens and ContextTokens to 0, and sets HandoffArmed.
	Compacted bool
	// ClearInjected clears Injected without a compaction.
	ClearInjected bool
	// CopyInjectedFrom is a session whose Injected is copied to this one.
	CopyInjectedFrom string
}

// Turn is one prompt and what followed until the agent stopped. The first event
// with a new prompt id creates it.
type Turn struct {
	Session  string    `json:"session"`
	PromptID string    `json:"prompt_id"`
	Number   int       `json:"number"` // among the session's prompts by a person, from 1; 0 if not typed by a person
	Text     string    `json:"text,omitempty"`
	Private  bool      `json:"private,omitempty"`
	Trust    Trust     `json:"trust"` // lowest trust of the turn's inputs
	At       time.Time `json:"at"`
}

// TurnChange is the change of a turn by one event.
type TurnChange struct {
	Text    string // set once
	Person  bool   // a person typed it: the turn gets the next number
	Private bool
	// Taint lowers the trust of the turn to this level, and that of all memories
	// made in the turn, now or later, except those with TrustUser. It is used only
	// if Tainted is set, because the zero value is the lowest level.
	Taint   Trust
	Tainted bool
}

// KeyMark is the prefix of project keys.
const KeyMark = "p_"

// Project is one repository or directory. Clones and worktrees share it.
type Project struct {
	Key    string `json:"key"` // KeyMark + 12 hex digits
	Name   string `json:"name"`
	Root   string `json:"root,omitempty"`   // top directory of this checkout
	Common string `json:"common,omitempty"` // real path of the git common directory; empty outside git
	Origin string `json:"origin,omitempty"` // normalised remote, host/path
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`

	LastEvent time.Time `json:"last_event,omitzero"`

	// File is what the configuration file of the checkout sets, if the person trusts the repository. Nil means nothing.
	// It is not stored.
	File *ProjectFile `json:"-"`
}

// ProjectFile is the part of a repository's configuration file that has an effect.
type ProjectFile struct {
	ID           string         // names the project in all its clones; empty means that the repository does
	Key          string         // the project's key by ID; empty without one
	Name         string         // empty means that of the directory or the remote
	ExcludePaths []string       // globs; a tool call on one is not captured, besides those of the person
	TokenBudgets map[string]int // by hook, such as "user_prompt"; they lower those of the person, never raise them
}

// Checkpoint is the state of the current work, stored before a compaction, at the
// end of a session, or on request.
type Checkpoint struct {
	ID      string    `json:"id"` // "c_" + number in base 32, set by the store
	Session string    `json:"session"`
	Project string    `json:"project"`
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"` // manual, auto, session-end, stop-failure, TriggerSave or TriggerHandoff
	State   State     `json:"state"`
	// Evidence is exact material that a summary may lose: files, commands, numbers, errors.
	Evidence Evidence `json:"evidence"`
	Recent   []Quote  `json:"recent,omitempty"` // newest last
	Note     string   `json:"note,omitempty"`   // only with TriggerSave

	// Handoff is a note by the agent or the person for the next session. Only with
	// TriggerHandoff; it never changes.
	Handoff  string `json:"handoff,omitempty"`
	Trust    Trust  `json:"trust,omitempty"`     // of Handoff
	PromptID string `json:"prompt_id,omitempty"` // turn in which Handoff was written
}

// TriggerHandoff is the Trigger of a checkpoint with a Handoff.
const TriggerHandoff = "handoff"

// State is a snapshot of a session's work.
type State struct {
	Phase   string   `json:"phase,omitempty"`
	Request string   `json:"request,omitempty"` // the last prompt
	Status  string   `json:"status,omitempty"`  // the last answer
	Next    []string `json:"next,omitempty"`
	Open    []string `json:"open,omitempty"`    // open todo items
	Doing   []string `json:"doing,omitempty"`   // items in progress
	Blocked []string `json:"blocked,omitempty"` // failing commands
	Waiting []string `json:"waiting,omitempty"` // blockers that the person or the agent recorded
	Files   []string `json:"files,omitempty"`   // files being edited
}

// Zero reports whether the state is empty.
func (s State) Zero() bool {
	return s.Phase == "" && s.Request == "" && s.Status == "" &&
		len(s.Next)+len(s.Open)+len(s.Doing)+len(s.Blocked)+len(s.Waiting)+len(s.Files) == 0
}

// Evidence is exact material of a session, copied and not summarised.
type Evidence struct {
	Files    []string  `json:"files,omitempty"`
	Commands []Outcome `json:"commands,omitempty"`
	Errors   []string  `json:"errors,omitempty"`
	Numbers  []string  `json:"numbers,omitempty"` // lines with figures
}

// Outcome is a command and its result.
type Outcome struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Note    string `json:"note,omitempty"` // first line of the error, or the most relevant line
}

// Quote is one utterance in a checkpoint or a search result.
type Quote struct {
	Who  string `json:"who"` // "user" or "assistant"
	Text string `json:"text"`

	At time.Time `json:"-"` // zero if unknown; not stored
}

// Pause disables Remanence for a target. Target is "all", a project key or a
// session id. A zero Until means until resumed.
type Pause struct {
	Target     string    `json:"target"`
	Until      time.Time `json:"until,omitzero"`
	InjectOnly bool      `json:"inject_only,omitempty"` // only injection is disabled, not capture
	Lift       bool      `json:"-"`                     // in a batch: ends the pause of Target
}

// Of reports whether the pause applies to a session of a project.
func (p Pause) Of(project, session string) bool {
	return p.Target == "all" || p.Target == project || p.Target == session
}
