package api

import (
	"time"

	"remanence/internal/mem"
)

// The routes.
var (
	Event  = Route[mem.Event, mem.Reply]{Name: "event"}
	Report = Route[mem.Event, mem.Reported]{Name: "report"} // as Event, for who wants no answer but to know what became of it
	Drain  = Route[Nothing, Nothing]{Name: "drain"}         // finish what runs, then exit
	Open   = Route[Nothing, Opened]{Name: "open"}           // open the door for a browser, if it is shut
)

// Opened is where a person's browser finds the viewer, and a code that lets it in.
type Opened struct {
	URL   string    `json:"url"`   // ends with a slash
	Code  string    `json:"code"`  // good for one login, see CodeFor
	Until time.Time `json:"until"` // when the code ends
}

// Health is the worker's word on itself: GET /health and /api/health.
type Health struct {
	Status           string  `json:"status"` // "ok", or "draining" on its way out
	Version          string  `json:"version"`
	Build            string  `json:"build,omitempty"`
	PID              int     `json:"pid"`
	Uptime           float64 `json:"uptime"` // seconds
	QueueDepth       int     `json:"queueDepth"`
	OldestJobSeconds float64 `json:"oldestJobSeconds"` // 0 with no job waiting
}

// The states of Health.
const (
	OK       = "ok"
	Draining = "draining"
)

// What a person asks and orders.
var (
	Search   = Route[mem.SearchAsk, mem.Found]{Name: "search", Get: "search"}
	Show     = Route[mem.IDs, mem.Records]{Name: "show", Get: "show"}
	Why      = Route[mem.WhyAsk, mem.Explained]{Name: "why", Get: "receipts/{id}"}
	Next     = Route[mem.NextAsk, mem.Receipt]{Name: "next", Get: "next"}
	Timeline = Route[mem.TimelineAsk, mem.Timeline]{Name: "timeline", Get: "timeline"}
	Status   = Route[mem.Place, mem.Overview]{Name: "status", Get: "status"}
	Add      = Route[mem.AddAsk, mem.Added]{Name: "add"}
	Import   = Route[mem.ImportAsk, mem.Imported]{Name: "import"}
	Edit     = Route[mem.EditAsk, mem.EditResponse]{Name: "edit"}
	Mark     = Route[mem.MarkAsk, mem.Marked]{Name: "mark"}
	Feedback = Route[mem.FeedbackAsk, mem.Marked]{Name: "feedback"}
	Purge    = Route[mem.IDs, mem.Erased]{Name: "purge"}
	Doomed   = Route[mem.IDs, mem.Erased]{Name: "doomed"} // what Purge would erase; changes nothing
	Scan     = Route[mem.ScanAsk, mem.Scanned]{Name: "scan"}
	Pause    = Route[mem.PauseAsk, mem.Pauses]{Name: "pause"}
	Save     = Route[mem.SaveAsk, mem.Saved]{Name: "checkpoint_save"}
	Resume   = Route[mem.CheckpointsAsk, mem.Resumption]{Name: "checkpoint_resume"}
	Diff     = Route[mem.DiffAsk, mem.Difference]{Name: "checkpoint_diff", Get: "checkpoint_diff"}
	WriteLog = Route[mem.LogAsk, mem.Logged]{Name: "checkpoint_log"}
	Drift    = Route[mem.DriftAsk, mem.Findings]{Name: "checkpoint_drift"}
	Lint     = Route[mem.LintAsk, mem.Findings]{Name: "lint"}

	Consolidate = Route[mem.ConsolidateAsk, mem.Consolidation]{Name: "consolidate"}
	Rounds      = Route[mem.RoundsAsk, mem.Consolidation]{Name: "rounds", Get: "rounds"}
	Review      = Route[mem.ReviewAsk, mem.Inbox]{Name: "review", Get: "review"}
	Resolve     = Route[mem.ResolveAsk, mem.Resolved]{Name: "resolve"} // does something about a finding of Review
	Merge       = Route[mem.MergeAsk, mem.Merged]{Name: "merge"}

	Checkpoints = Route[mem.CheckpointsAsk, mem.Checkpoints]{Name: "checkpoints", Get: "checkpoints"}

	GoesOn   = Route[mem.SessionAsk, mem.Session]{Name: "goes-on"}    // the session that goes on where one was; zero if nobody can tell
	Handoff  = Route[mem.HandoffAsk, mem.Checkpoint]{Name: "handoff"} // keeps one
	Receipts = Route[mem.ReceiptsAsk, mem.ReceiptList]{Name: "receipts", Get: "receipts"}
	WhatIf   = Route[mem.WhatIfAsk, mem.WhatIf]{Name: "what_if", Get: "what_if"} // changes nothing
	Economy  = Route[mem.EconomyAsk, mem.Economy]{Name: "economy", Get: "economy"}
	Related  = Route[mem.RelatedAsk, mem.Graph]{Name: "related", Get: "related"}
	Files    = Route[mem.FilesAsk, mem.FileTree]{Name: "files", Get: "files"}
	File     = Route[mem.FileAsk, mem.FilePage]{Name: "file", Get: "file"}
	Fleet    = Route[Nothing, mem.Fleet]{Name: "fleet", Get: "fleet"}

	Sizes = Route[Nothing, mem.Sizes]{Name: "sizes", Get: "sizes"}
	State = Route[mem.StateAsk, mem.Standing]{Name: "state"}
	Stand = Route[mem.Place, mem.Standing]{Name: "standing", Get: "state"} // what State tells, and changes nothing
)

// What the viewer shows, beside what a person asks for.
var (
	Projects     = Route[Nothing, mem.Projects]{Name: "projects", Get: "projects"}
	Now          = Route[mem.Place, mem.Now]{Name: "now", Get: "now"}
	Prompts      = Route[mem.PromptsAsk, mem.Prompts]{Name: "prompts", Get: "prompts"}
	SessionOf    = Route[mem.RecordAsk, mem.Session]{Name: "session_record", Get: "session_records/{id}"}
	Settle       = Route[Nothing, mem.Working]{Name: "settle"} // has it that no session works on a prompt
	WorkingNow   = Route[Nothing, mem.Working]{Name: "working", Get: "working"}
	Feed         = Route[mem.FeedAsk, mem.Recent]{Name: "feed", Get: "feed"}
	Sessions     = Route[mem.SessionsAsk, mem.Sessions]{Name: "sessions", Get: "sessions"}
	SessionStory = Route[mem.RecordAsk, mem.SessionStory]{Name: "session", Get: "sessions/{id}"}
	MemoryStory  = Route[mem.RecordAsk, mem.MemoryStory]{Name: "memory", Get: "memories/{id}"}
)
