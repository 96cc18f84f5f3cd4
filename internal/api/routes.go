package api

import (
	"time"

	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// The routes.
var (
	Event = Route[mem.Event, mem.Reply]{Name: "event"}
	// as Event, for who wants no answer but to know what became of it
	Report = Route[mem.Event, capture.Outcome]{Name: "report"}
	Drain  = Route[Nothing, Nothing]{Name: "drain"} // finish what runs, then exit
	Open   = Route[Nothing, Opened]{Name: "open"}   // open the door for a browser, if it is shut
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
	Search   = Route[recall.SearchRequest, recall.SearchResponse]{Name: "search", Get: "search"}
	Show     = Route[event.IDs, views.ShowResponse]{Name: "show", Get: "show"}
	Why      = Route[views.WhyRequest, views.WhyResponse]{Name: "why", Get: "receipts/{id}"}
	Next     = Route[views.NextRequest, mem.Receipt]{Name: "next", Get: "next"}
	Timeline = Route[views.TimelineRequest, views.TimelineResponse]{Name: "timeline", Get: "timeline"}
	Status   = Route[mem.ProjectRef, views.StatusResponse]{Name: "status", Get: "status"}
	Add      = Route[curate.AddRequest, curate.AddResponse]{Name: "add"}
	Import   = Route[curate.ImportRequest, curate.ImportResponse]{Name: "import"}
	Edit     = Route[curate.EditRequest, curate.EditResponse]{Name: "edit"}
	Mark     = Route[curate.MarkRequest, curate.MarkResponse]{Name: "mark"}
	Feedback = Route[curate.FeedbackRequest, curate.MarkResponse]{Name: "feedback"}
	Purge    = Route[event.IDs, event.PurgeResponse]{Name: "purge"}
	Doomed   = Route[event.IDs, event.PurgeResponse]{Name: "doomed"} // what Purge would erase; changes nothing
	Scan     = Route[event.ScanRequest, mem.ScanResponse]{Name: "scan"}
	Pause    = Route[event.PauseRequest, event.PauseResponse]{Name: "pause"}
	Save     = Route[continuity.SaveRequest, continuity.SaveResponse]{Name: "checkpoint_save"}
	Resume   = Route[continuity.CheckpointsRequest, continuity.ResumeResponse]{Name: "checkpoint_resume"}
	Diff     = Route[continuity.DiffRequest, continuity.DiffResponse]{Name: "checkpoint_diff", Get: "checkpoint_diff"}
	WriteLog = Route[filesync.LogRequest, filesync.LogResponse]{Name: "checkpoint_log"}
	Drift    = Route[views.DriftRequest, curate.FindingsResponse]{Name: "checkpoint_drift"}
	Lint     = Route[curate.LintRequest, curate.FindingsResponse]{Name: "lint"}

	Consolidate = Route[curate.ConsolidateRequest, curate.ConsolidateResponse]{Name: "consolidate"}
	Rounds      = Route[curate.RunsRequest, curate.ConsolidateResponse]{Name: "rounds", Get: "rounds"}
	Review      = Route[curate.ReviewRequest, curate.ReviewResponse]{Name: "review", Get: "review"}
	// does something about a finding of Review
	Resolve = Route[curate.ResolveRequest, curate.ResolveResponse]{Name: "resolve"}
	Merge   = Route[curate.MergeRequest, curate.MergeResponse]{Name: "merge"}

	Checkpoints = Route[continuity.CheckpointsRequest, continuity.Checkpoints]{Name: "checkpoints", Get: "checkpoints"}

	// the session that goes on where one was; zero if nobody can tell
	GoesOn   = Route[continuity.SessionRequest, mem.Session]{Name: "goes-on"}
	Handoff  = Route[continuity.HandoffRequest, mem.Checkpoint]{Name: "handoff"} // keeps one
	Receipts = Route[views.ReceiptsRequest, views.ReceiptsResponse]{Name: "receipts", Get: "receipts"}
	WhatIf   = Route[views.WhatIfRequest, views.WhatIfResponse]{Name: "what_if", Get: "what_if"} // changes nothing
	Economy  = Route[views.EconomyRequest, views.EconomyResponse]{Name: "economy", Get: "economy"}
	Related  = Route[recall.RelatedRequest, recall.RelatedResponse]{Name: "related", Get: "related"}
	Files    = Route[views.FilesRequest, views.FileTree]{Name: "files", Get: "files"}
	File     = Route[views.FileRequest, views.FilePage]{Name: "file", Get: "file"}
	Fleet    = Route[Nothing, views.OverviewResponse]{Name: "fleet", Get: "fleet"}

	Sizes = Route[Nothing, SizesResponse]{Name: "sizes", Get: "sizes"}
	State = Route[mem.StateRequest, mem.WorkState]{Name: "state"}
	Stand = Route[mem.ProjectRef, mem.WorkState]{Name: "standing", Get: "state"} // what State tells, and changes nothing
)

// What the viewer shows, beside what a person asks for.
var (
	Projects     = Route[Nothing, views.ProjectsResponse]{Name: "projects", Get: "projects"}
	Now          = Route[mem.ProjectRef, NowResponse]{Name: "now", Get: "now"}
	Prompts      = Route[views.PromptsRequest, views.PromptsResponse]{Name: "prompts", Get: "prompts"}
	SessionOf    = Route[views.MemoryRequest, mem.Session]{Name: "session_record", Get: "session_records/{id}"}
	Settle       = Route[Nothing, Working]{Name: "settle"} // has it that no session works on a prompt
	WorkingNow   = Route[Nothing, Working]{Name: "working", Get: "working"}
	Feed         = Route[views.FeedRequest, views.FeedResponse]{Name: "feed", Get: "feed"}
	Sessions     = Route[views.SessionsRequest, views.SessionsResponse]{Name: "sessions", Get: "sessions"}
	SessionStory = Route[views.MemoryRequest, views.SessionStory]{Name: "session", Get: "sessions/{id}"}
	MemoryStory  = Route[views.MemoryRequest, views.MemoryStory]{Name: "memory", Get: "memories/{id}"}
)
