package mem

import "time"

// MindDir is the directory of a project's state files.
const MindDir = ".mind"

// Mind is what the state files of a project say. The zero value is a project
// without any.
type Mind struct {
	Present bool // there are some
	// Trusted says that the person, or this machine by making them, stands for
	// them. Of others nothing was read, and nothing else here is set.
	Trusted bool

	Stamp   string    // changes whenever one of the files does
	Written time.Time // when STATE.md was, by its file system
	Size    int64     // bytes of all state files
	Taken   bool      // this version was made findable
	// StaleAfter is the age from which STATE.md is out of date.
	StaleAfter time.Duration
	Standing

	Sections []MindSection // of STATE.md, in order
	Work     []MindSection // of PROGRESS.md, what is not done
	Decided  []MindSection // of DECISIONS.md, oldest first
	Log      []string      // last lines of SESSION-LOG.md
	Parts    []MindPart    // of all state files, for search
	Warnings []string      // about the files and their configuration, for the person
}

// MindSection is a heading and the lines below it that are not blank.
type MindSection struct {
	Heading string
	Lines   []string
}

// MindPart is a piece of a state file that is found by itself.
type MindPart struct {
	Key   string // file and heading; the same for the same place
	File  string // its name in MindDir
	Kind  Kind
	Title string
	Body  string
}

// MindLimits say how much of the state files is told and kept. A zero field
// means its default, but none for what a briefing tells.
type MindLimits struct {
	KeepSessions    int           // told apart in SESSION-LOG.md by a compression
	KeepDecisions   int           // likewise in DECISIONS.md
	ArchiveAfter    time.Duration // a completed task moves to ARCHIVE.md
	TrackingLines   int           // that a tracking file is cut to
	CompressBytes   int64         // of a file, from which a compression is offered
	LogTail         int           // lines of SESSION-LOG.md in a briefing, 0 is none
	RecentDecisions int           // decisions in a briefing, 0 is none
	ProgressLines   int           // lines of PROGRESS.md in a briefing, 0 is none
	Checkpoints     int           // stamped checkpoint files, at least 3
	StaleAfter      time.Duration // STATE.md is out of date
	AutoCompress    bool          // compress at the end of a session
}

// MindDefaults are the limits nobody changed.
func MindDefaults() MindLimits {
	return MindLimits{
		KeepSessions: 5, KeepDecisions: 10, ArchiveAfter: 30 * 24 * time.Hour, TrackingLines: 100, CompressBytes: 12000,
		LogTail: 20, RecentDecisions: 5, ProgressLines: 40, Checkpoints: 10, StaleAfter: 30 * time.Minute,
	}
}

// MindNotes is what an event leaves in the state files. Leaving it twice leaves
// it once.
type MindNotes struct {
	At      time.Time `json:"at"`
	Session string    `json:"session,omitempty"`
	Taken   string    `json:"taken,omitempty"`  // the version that was made findable; the rest does not count then
	Turned  bool      `json:"turned,omitempty"` // a turn ended: the time of the last activity
	Files   []string  `json:"files,omitempty"`  // that the session changed so far
	Agents  []string  `json:"agents,omitempty"` // lines about subagents
	Tasks   []string  `json:"tasks,omitempty"`  // lines about completed tasks
	Done    []string  `json:"done,omitempty"`   // tasks to complete in PROGRESS.md

	Compaction string    `json:"compaction,omitempty"` // trigger of a compaction to save the state for
	Derived    string    `json:"derived,omitempty"`    // where the work stands, for a checkpoint without STATE.md
	EndReason  string    `json:"end_reason,omitempty"` // the session ended
	Since      time.Time `json:"since,omitzero"`       // when the session began
}
