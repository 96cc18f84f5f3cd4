package mem

import "time"

// SessionStatus is where a session stands.
type SessionStatus string

// The states. Summarizing and Abandoned are derived: the first while a digest
// of the session waits, the second after AbandonAfter without any event.
const (
	Initialized SessionStatus = "initialized"
	Running     SessionStatus = "active"
	Summarizing SessionStatus = "summarizing"
	Completed   SessionStatus = "completed"
	Abandoned   SessionStatus = "abandoned"
)

// AbandonAfter is the silence after which a session that never ended counts as abandoned.
const AbandonAfter = 12 * time.Hour

// Session is one conversation with an agent.
type Session struct {
	ID          string        `json:"id"`     // the agent's id
	Number      int64         `json:"number"` // our integer key, never changes
	Short       string        `json:"short"`  // "s_" + number in base 32
	Agent       string        `json:"agent"`
	Project     string        `json:"project"`
	ProjectName string        `json:"project_name"`
	Root        string        `json:"root,omitempty"`
	Cwd         string        `json:"cwd,omitempty"`
	FirstPrompt string        `json:"first_prompt,omitempty"`
	Prompts     int           `json:"prompts"` // prompts of the person
	Status      SessionStatus `json:"status"`
	Source      string        `json:"source,omitempty"` // how it last started
	Model       string        `json:"model,omitempty"`
	Entrypoint  string        `json:"entrypoint,omitempty"`
	Parent      string        `json:"parent,omitempty"` // the session it was forked from
	Transcript  string        `json:"transcript,omitempty"`
	Created     time.Time     `json:"created"`
	Completed   time.Time     `json:"completed,omitzero"`
	EndReason   string        `json:"end_reason,omitempty"`
	LastEvent   time.Time     `json:"last_event"`
	Processing  bool          `json:"processing"` // from a prompt to its Stop

	LastNotification string `json:"last_notification,omitempty"`
	Notifications    int    `json:"notifications,omitempty"`
	Compactions      int    `json:"compactions,omitempty"`

	Nudge       string `json:"-"` // the state line last given
	NudgePrompt int    `json:"-"` // number of the prompt it was given with
	ToldTokens  int    `json:"told_tokens"`

	ContextTokens int       `json:"context_tokens,omitempty"` // in use when last looked at; 0 if unknown
	ContextWindow int       `json:"context_window,omitempty"` // as the client told; 0 if it did not
	HandoffArmed  bool      `json:"handoff_armed"`            // a handoff is asked for when the context is nearly full
	Cliff         int       `json:"cliff,omitempty"`          // tokens at which the client last compacted by itself
	Sampled       time.Time `json:"-"`                        // when ContextTokens was looked at
	Compacted     time.Time `json:"-"`                        // the last time

	Told map[string]bool `json:"-"` // ids and other marks told since the last compaction

	// Memories is how many memories it made, whatever became of them, counted up
	// to MemoriesCounted. Only Store.Session tells; elsewhere it is 0.
	Memories int `json:"-"`
}

// MemoriesCounted is how far the memories of a session are counted.
const MemoriesCounted = 200

// SessionChange is what one event changes about its session. The store makes
// the session if it is not there. Zero fields leave what is stored alone.
type SessionChange struct {
	Agent, Project, ProjectName, Root, Cwd string
	Model, Entrypoint, Parent, Transcript  string
	Source                                 string
	FirstPrompt                            string        // kept only if none is stored
	Status                                 SessionStatus // Completed also sets the time; any other reopens
	EndReason                              string
	Processing                             *bool
	Notification                           string // also counts one
	Nudge                                  *string
	HandoffArmed                           *bool

	// Compacted starts a new conversation window: one compaction is counted,
	// what was told is forgotten, ToldTokens and ContextTokens start at 0 again,
	// and HandoffArmed becomes true.
	Compacted bool
	// TellAgain forgets what was told without counting a compaction.
	TellAgain bool
	// ToldLike marks as told all that was told to another session.
	ToldLike string
}

// Turn is one prompt and what followed it. Turns are made by the first event
// that carries a prompt id, whichever that is.
type Turn struct {
	Session  string    `json:"session"`
	PromptID string    `json:"prompt_id"`
	Number   int       `json:"number"` // among the person's prompts of the session, from 1; 0 if it is not one
	Text     string    `json:"text,omitempty"`
	Private  bool      `json:"private,omitempty"`
	Trust    Trust     `json:"trust"` // worst input seen in the turn, at most TrustUser
	At       time.Time `json:"at"`
}

// TurnChange is what one event changes about the turn of its prompt id.
type TurnChange struct {
	Text    string // set once
	Person  bool   // a person typed it: it gets the next number
	Private bool
	// Taint lowers the turn's trust to it, and that of all that was and will be
	// learned in the turn, except what has TrustUser. The zero value is the
	// worst level, so it counts only with Tainted set.
	Taint   Trust
	Tainted bool
}

// KeyMark begins the keys of projects.
const KeyMark = "p_"

// Project is one repository or directory, whatever its clones and worktrees.
type Project struct {
	Key    string `json:"key"` // KeyMark + 12 hex digits
	Name   string `json:"name"`
	Root   string `json:"root,omitempty"`   // top directory of this checkout
	Common string `json:"common,omitempty"` // real path of the git common directory; empty outside git
	Origin string `json:"origin,omitempty"` // normalised remote, host/path
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`

	LastEvent time.Time `json:"last_event,omitzero"`
}

// Checkpoint is the work in hand, saved before a compaction or at a session's end.
type Checkpoint struct {
	ID      string    `json:"id"` // "c_" + number in base 32, set by the store
	Session string    `json:"session"`
	Project string    `json:"project"`
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"` // manual, auto, session-end, stop-failure, TriggerSave or TriggerHandoff
	State   State     `json:"state"`
	// Evidence is what summaries lose: files, commands with outcome, numbers, errors.
	Evidence Evidence `json:"evidence"`
	Recent   []Quote  `json:"recent,omitempty"` // newest last
	Note     string   `json:"note,omitempty"`   // only with TriggerSave

	// Handoff is what the agent or the person wrote for whoever goes on; only
	// with TriggerHandoff, and never changed later.
	Handoff  string `json:"handoff,omitempty"`
	Trust    Trust  `json:"trust,omitempty"`     // of Handoff
	PromptID string `json:"prompt_id,omitempty"` // turn that Handoff was written in
}

// TriggerHandoff is the Trigger of a checkpoint with a Handoff.
const TriggerHandoff = "handoff"

// State is where the work stands.
type State struct {
	Phase   string   `json:"phase,omitempty"`
	Request string   `json:"request,omitempty"` // the last thing asked
	Status  string   `json:"status,omitempty"`  // the last thing answered
	Next    []string `json:"next,omitempty"`
	Open    []string `json:"open,omitempty"`    // open todo items
	Doing   []string `json:"doing,omitempty"`   // items in progress
	Blocked []string `json:"blocked,omitempty"` // failing commands
	Waiting []string `json:"waiting,omitempty"` // what was laid down as being in the way
	Files   []string `json:"files,omitempty"`   // files in edit
}

// Zero reports whether nothing is known.
func (s State) Zero() bool {
	return s.Phase == "" && s.Request == "" && s.Status == "" &&
		len(s.Next)+len(s.Open)+len(s.Doing)+len(s.Blocked)+len(s.Waiting)+len(s.Files) == 0
}

// Evidence is exact material of a session.
type Evidence struct {
	Files    []string  `json:"files,omitempty"`
	Commands []Outcome `json:"commands,omitempty"`
	Errors   []string  `json:"errors,omitempty"`
	Numbers  []string  `json:"numbers,omitempty"` // lines that hold figures
}

// Outcome is a command and how it ended.
type Outcome struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Note    string `json:"note,omitempty"` // first line of the error, or of what matters
}

// Said is one utterance.
type Quote struct {
	Who  string `json:"who"` // "user" or "assistant"
	Text string `json:"text"`

	At time.Time `json:"-"` // zero if unknown; not kept
}

// Pause switches Remanence off for a target. Target is "all", a project key or
// a session id. A zero Until means until resumed.
type Pause struct {
	Target     string    `json:"target"`
	Until      time.Time `json:"until,omitzero"`
	InjectOnly bool      `json:"inject_only,omitempty"` // capture goes on, nothing is told
	Lift       bool      `json:"-"`                     // in a batch: end the pause of Target
}

// Of reports whether a pause is of a project, of a session, or of all.
func (p Pause) Of(project, session string) bool {
	return p.Target == "all" || p.Target == project || p.Target == session
}
