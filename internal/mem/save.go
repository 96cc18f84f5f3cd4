package mem

// SaveAsk saves where the work stands.
type SaveAsk struct {
	Place
	Session string `json:"session,omitempty"` // "" means the agent's, else the last one of the project
	Agent   string `json:"agent,omitempty"`   // as in AddAsk
	Note    string `json:"note,omitempty"`    // what the person or the agent has to say to it
	Index   bool   `json:"index,omitempty"`   // take in what the session's transcript says, and index it, now
}

// TriggerSave is the Trigger of a checkpoint that somebody asked for.
const TriggerSave = "save"

// Saved is what became of a SaveAsk. It never is less than the checkpoint: who
// could not even save that gets an error.
type Saved struct {
	Checkpoint Checkpoint `json:"checkpoint"`
	Short      string     `json:"session_short,omitempty"`
	Taken      Taken      `json:"taken"`
	Indexed    int        `json:"indexed"` // pieces of what was said that can be found now and could not before
	Found      int        `json:"found"`   // reports of the session that had been lost
	Trouble    []string   `json:"trouble"` // what did not work; empty if all is well
}

// Taken is what was taken in of a session's transcript.
type Taken struct {
	There bool `json:"there"` // the transcript is
	Said  int  `json:"said"`  // things said that were not there before
	Bad   int  `json:"bad"`   // lines that are no record, or too long, so far
}

// CheckpointsAsk asks for checkpoints, newest first: one by its id or, without
// one, those of a session or of the place.
type CheckpointsAsk struct {
	Place
	ID      string `json:"id,omitempty"`      // exact or unique prefix; "last" is the newest
	Session string `json:"session,omitempty"` // id, short id or unique prefix
	Limit   int    `json:"limit,omitempty"`   // 0 means DefaultLimit
}

// Checkpoints are checkpoints and the short ids of their sessions.
type Checkpoints struct {
	Project     Project           `json:"project"`
	Checkpoints []Checkpoint      `json:"checkpoints"`
	Shorts      map[string]string `json:"shorts"` // by session
}

// Resumption is all that somebody needs who goes on with the work.
type Resumption struct {
	Checkpoint Checkpoint  `json:"checkpoint"`
	Handoff    *Checkpoint `json:"handoff,omitempty"` // the newest of the same session, if there is one
	Project    Project     `json:"project"`
	Session    Session     `json:"session"` // zero if it is erased
	Text       string      `json:"text"`    // the same as Markdown
}

// DiffAsk compares two checkpoints; without ids the newest of the place with the
// one before it of the same session.
type DiffAsk struct {
	Place
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"` // "" means the newest of From's session
}

// Difference is what changed from one checkpoint to another.
type Difference struct {
	From    Checkpoint `json:"from"`
	To      Checkpoint `json:"to"`
	Changes []Changed  `json:"changes"`
}

// Changed is one thing that came or went.
type Changed struct {
	What string `json:"what"` // request, status, phase, next, open, doing, blocked, waiting, files, commands, errors, numbers
	Gone bool   `json:"gone"` // it was in the first and is not in the second
	Text string `json:"text"`
}

// LogAsk puts an entry into the person's journal.
type LogAsk struct {
	Place
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
type Logged struct {
	File   string  `json:"file,omitempty"`
	Memory *Memory `json:"memory,omitempty"`
	Text   string  `json:"text"` // as it was written
}

// LintAsk looks for memories that are in need of care.
type LintAsk struct {
	Place
	Rules []string `json:"rules,omitempty"` // only these; empty means all
}

// DriftAsk looks for work of a session that nobody laid down.
type DriftAsk struct {
	Place
	Session string `json:"session,omitempty"` // as in SaveAsk
	Agent   string `json:"agent,omitempty"`
}

// Findings is what a look at memories or at work found. It never is an order:
// each needs somebody's judgement.
type Findings struct {
	Project  Project   `json:"project"`
	Session  string    `json:"session_short,omitempty"` // that was looked at, if it was one
	Looked   int       `json:"looked"`                  // at so many memories
	Findings []Finding `json:"findings"`
}

// Finding is one.
type Finding struct {
	Rule  string   `json:"rule"`
	Text  string   `json:"text"`
	IDs   []string `json:"ids,omitempty"` // of the memories it is about
	Files []string `json:"files,omitempty"`
	Fix   string   `json:"fix,omitempty"` // the command that would do what is usually meant
}
