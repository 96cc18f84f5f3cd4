package workstate

import (
	"time"

	"remanence/internal/mem"
)

// Dir is the directory of a project's state files.
const Dir = ".mind"

// Files is the content of a project's state files. The zero value means that the
// project has none.
type Files struct {
	Present bool // state files exist
	// Trusted means that the person approved the files, or that this machine made
	// them. Other files are not read, and the fields below are zero.
	Trusted bool

	Stamp   string    // changes whenever one of the files changes
	Written time.Time // modification time of STATE.md
	Size    int64     // bytes of all state files
	Indexed bool      // this version is indexed for search
	// StaleAfter is the age after which STATE.md is out of date.
	StaleAfter time.Duration
	State

	Sections []Section // of STATE.md, in order
	Work     []Section // of PROGRESS.md, open items only
	Decided  []Section // of DECISIONS.md, oldest first
	Log      []string  // last lines of SESSION-LOG.md
	Parts    []Part    // of all state files, indexed for search
	Warnings []string  // about the files and their configuration, for the person
}

// Section is a heading and the non-blank lines below it.
type Section struct {
	Heading string
	Lines   []string
}

// Part is a section of a state file, indexed as one memory.
type Part struct {
	Key   string // file and heading; stable while the heading stays
	File  string // name in Dir
	Kind  mem.Kind
	Title string
	Body  string
}

// Limits limits how much of the state files is injected and kept. A zero field
// means its default; a zero limit of a briefing means none.
type Limits struct {
	KeepSessions    int           // sessions that compression keeps in SESSION-LOG.md
	KeepDecisions   int           // decisions that compression keeps in DECISIONS.md
	ArchiveAfter    time.Duration // age at which a completed task moves to ARCHIVE.md
	TrackingLines   int           // largest length of a tracking file
	CompressBytes   int64         // file size from which compression is offered
	LogTail         int           // lines of SESSION-LOG.md in a briefing, 0 means none
	RecentDecisions int           // decisions in a briefing, 0 means none
	ProgressLines   int           // lines of PROGRESS.md in a briefing, 0 means none
	Checkpoints     int           // dated checkpoint files to keep, at least 3
	StaleAfter      time.Duration // age at which STATE.md is out of date
	AutoCompress    bool          // compress at the end of a session
}

// DefaultLimits returns the default limits.
func DefaultLimits() Limits {
	return Limits{
		KeepSessions: 5, KeepDecisions: 10, ArchiveAfter: 30 * 24 * time.Hour, TrackingLines: 100,
		CompressBytes: 12000, LogTail: 20, RecentDecisions: 5, ProgressLines: 40, Checkpoints: 10,
		StaleAfter: 30 * time.Minute,
	}
}

// Notes is what an event writes into the state files. Writing it twice has the
// same effect as once.
type Notes struct {
	At        time.Time `json:"at"`
	Session   string    `json:"session,omitempty"`
	Indexed   string    `json:"taken,omitempty"`  // version that was indexed; the other fields are then ignored
	TurnEnded bool      `json:"turned,omitempty"` // a turn ended: updates the time of the last activity
	Files     []string  `json:"files,omitempty"`  // changed by the session so far
	Agents    []string  `json:"agents,omitempty"` // lines about subagents
	Tasks     []string  `json:"tasks,omitempty"`  // lines about completed tasks
	Done      []string  `json:"done,omitempty"`   // tasks to complete in PROGRESS.md

	Compaction string    `json:"compaction,omitempty"` // trigger of the compaction that the state is saved for
	Derived    string    `json:"derived,omitempty"`    // state for a checkpoint if there is no STATE.md
	EndReason  string    `json:"end_reason,omitempty"` // the session ended
	Since      time.Time `json:"since,omitzero"`       // start of the session
}
