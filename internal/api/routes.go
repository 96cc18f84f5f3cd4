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
	"remanence/internal/workstate"
)

// Routes of hooks and of the daemon itself.
var (
	Event  = Route[mem.Event, mem.Reply]{Name: "event"}
	Report = Route[mem.Event, capture.Outcome]{Name: "report"} // as Event, but answers what was stored
	Drain  = Route[Nothing, Nothing]{Name: "drain"}            // finishes running requests, then exits
	Open   = Route[Nothing, OpenResponse]{Name: "open"}        // starts the HTTP listener if it is not running
)

// OpenResponse is the address of the viewer, and a code that logs a browser in.
type OpenResponse struct {
	URL   string    `json:"url"`   // ends with a slash
	Code  string    `json:"code"`  // valid for one login, see CodeFor
	Until time.Time `json:"until"` // when the code expires
}

// Health is the state of the daemon: GET /health and /api/health.
type Health struct {
	Status           string  `json:"status"` // OK or Draining
	Version          string  `json:"version"`
	Build            string  `json:"build,omitempty"`
	PID              int     `json:"pid"`
	Uptime           float64 `json:"uptime"` // seconds
	QueueDepth       int     `json:"queueDepth"`
	OldestJobSeconds float64 `json:"oldestJobSeconds"` // 0 if no job waits
}

// The states of Health.
const (
	OK       = "ok"
	Draining = "draining"
)

// Routes of the command line and of MCP. Those with a Get change nothing when they are read by it.
var (
	Search   = Route[recall.SearchRequest, recall.SearchResponse]{Name: "search", Get: "search"}
	Show     = Route[event.IDs, views.ShowResponse]{Name: "show", Get: "show"}
	Timeline = Route[views.TimelineRequest, views.TimelineResponse]{Name: "timeline", Get: "timeline"}
	Recap    = Route[views.RecapRequest, views.RecapResponse]{Name: "recap", Get: "recap"}
	Blame    = Route[views.BlameRequest, views.BlameResponse]{Name: "blame"}
	Propose  = Route[views.ProposeRequest, views.ProposeResponse]{Name: "propose"}
	// BlameFile and ProposeFile read the file of a project themselves.
	BlameFile   = Route[views.BlameFileRequest, views.BlameFileResponse]{Name: "blame_file", Get: "blame"}
	ProposeFile = Route[views.ProposeFileRequest, views.ProposeFileResponse]{Name: "propose_file", Get: "propose"}
	Related     = Route[recall.RelatedRequest, recall.RelatedResponse]{Name: "related", Get: "related"}
	Status      = Route[mem.ProjectRef, views.StatusResponse]{Name: "status", Get: "status"}
	Today       = Route[mem.ProjectRef, views.TodayResponse]{Name: "today", Get: "today"}
	StatusLine  = Route[views.StatusLineRequest, views.StatusLineResponse]{Name: "status_line", Get: "status_line"}
	Sizes       = Route[Nothing, SizesResponse]{Name: "sizes", Get: "sizes"}

	Add          = Route[curate.AddRequest, curate.AddResponse]{Name: "add"}
	Import       = Route[curate.ImportRequest, curate.ImportResponse]{Name: "import"}
	Backfill     = Route[capture.BackfillRequest, event.Backfill]{Name: "backfill"}
	Backfilling  = Route[Nothing, event.Backfill]{Name: "backfilling", Get: "backfill"} // how far it is
	Edit         = Route[curate.EditRequest, curate.EditResponse]{Name: "edit"}
	Mark         = Route[curate.MarkRequest, curate.MarkResponse]{Name: "mark"}
	Feedback     = Route[curate.FeedbackRequest, curate.MarkResponse]{Name: "feedback"}
	Merge        = Route[curate.MergeRequest, curate.MergeResponse]{Name: "merge"}
	Purge        = Route[event.IDs, event.PurgeResponse]{Name: "purge"}
	PurgePreview = Route[event.IDs, event.PurgeResponse]{Name: "purge_preview"} // what Purge would erase
	Scan         = Route[event.ScanRequest, mem.ScanResponse]{Name: "scan"}
	Pause        = Route[event.PauseRequest, event.PauseResponse]{Name: "pause"}

	Consolidate = Route[curate.ConsolidateRequest, curate.ConsolidateResponse]{Name: "consolidate"}
	Runs        = Route[curate.RunsRequest, curate.ConsolidateResponse]{Name: "runs", Get: "runs"}
	Review      = Route[curate.ReviewRequest, curate.ReviewResponse]{Name: "review", Get: "review"}
	Resolve     = Route[curate.ResolveRequest, curate.ResolveResponse]{Name: "resolve"} // a finding of Review
	Lint        = Route[curate.LintRequest, curate.FindingsResponse]{Name: "lint"}

	Save          = Route[continuity.SaveRequest, continuity.SaveResponse]{Name: "checkpoint_save"}
	Resume        = Route[continuity.CheckpointsRequest, continuity.ResumeResponse]{Name: "checkpoint_resume"}
	Diff          = Route[continuity.DiffRequest, continuity.DiffResponse]{Name: "checkpoint_diff", Get: "checkpoint_diff"}
	CheckpointLog = Route[filesync.LogRequest, filesync.LogResponse]{Name: "checkpoint_log"}
	Drift         = Route[views.DriftRequest, curate.FindingsResponse]{Name: "checkpoint_drift"}
	Checkpoints   = Route[continuity.CheckpointsRequest, continuity.Checkpoints]{Name: "checkpoints", Get: "checkpoints"}
	HandoffPage   = Route[mem.ProjectRef, views.HandoffPage]{Name: "handoff_page", Get: "handoff_page"}
	Handoff       = Route[continuity.HandoffRequest, mem.Checkpoint]{Name: "handoff"} // stores one
	State         = Route[workstate.Request, workstate.State]{Name: "state"}
	Share         = Route[filesync.ShareRequest, filesync.ShareResponse]{Name: "share"}
	ReadState     = Route[mem.ProjectRef, workstate.State]{Name: "read_state", Get: "state"}

	// Successor returns the session that continued another one; zero if it is unknown.
	Successor = Route[continuity.SessionRequest, mem.Session]{Name: "successor"}
)

// Routes about injections.
var (
	Why      = Route[views.WhyRequest, views.WhyResponse]{Name: "why", Get: "receipts/{id}"}
	Receipts = Route[views.ReceiptsRequest, views.ReceiptsResponse]{Name: "receipts", Get: "receipts"}
	Next     = Route[views.NextRequest, mem.Receipt]{Name: "next", Get: "next"}
	WhatIf   = Route[views.WhatIfRequest, views.WhatIfResponse]{Name: "what_if", Get: "what_if"}
	Economy  = Route[views.EconomyRequest, views.EconomyResponse]{Name: "economy", Get: "economy"}
	Effect   = Route[views.EffectRequest, views.EffectResponse]{Name: "effect", Get: "effect"}
)

// Routes of the viewer's pages.
var (
	Projects     = Route[Nothing, views.ProjectsResponse]{Name: "projects", Get: "projects"}
	Overview     = Route[Nothing, views.OverviewResponse]{Name: "overview", Get: "overview"}
	Now          = Route[mem.ProjectRef, NowResponse]{Name: "now", Get: "now"}
	Feed         = Route[views.FeedRequest, views.FeedResponse]{Name: "feed", Get: "feed"}
	Prompts      = Route[views.PromptsRequest, views.PromptsResponse]{Name: "prompts", Get: "prompts"}
	Sessions     = Route[views.SessionsRequest, views.SessionsResponse]{Name: "sessions", Get: "sessions"}
	SessionUses  = Route[views.SessionUsesRequest, views.SessionUsesResponse]{Name: "session_uses", Get: "session_uses"}
	SessionStory = Route[views.MemoryRequest, views.SessionStory]{Name: "session", Get: "sessions/{id}"}
	GetSession   = Route[views.MemoryRequest, mem.Session]{Name: "session_record", Get: "session_records/{id}"}
	MemoryStory  = Route[views.MemoryRequest, views.MemoryStory]{Name: "memory", Get: "memories/{id}"}
	Files        = Route[views.FilesRequest, views.FileTree]{Name: "files", Get: "files"}
	File         = Route[views.FileRequest, views.FilePage]{Name: "file", Get: "file"}

	Processing = Route[Nothing, ProcessingResponse]{Name: "processing", Get: "processing"}
	EndPrompts = Route[Nothing, ProcessingResponse]{Name: "end_prompts"} // marks every session as idle
)

// SizesResponse lists what takes how much space on disk.
type SizesResponse struct {
	Parts []mem.Part `json:"parts"`
	Bytes int64      `json:"bytes"` // sum of all parts
}

// ProcessingResponse reports whether sessions or jobs are being worked on.
type ProcessingResponse struct {
	IsProcessing bool `json:"isProcessing"` // whether any session works on a prompt
	QueueDepth   int  `json:"queueDepth"`   // waiting jobs
}

// NowResponse is the content of the viewer's first page.
type NowResponse struct {
	views.StatusResponse
	Next mem.Receipt `json:"next"` // as NextRequest returns it
	// NextItems says how the memories of Next stand, by their id.
	NextItems map[string]views.ItemState `json:"next_items"`
	// NextProject is the project of Next: the requested one, or else the one active last.
	NextProject mem.Project `json:"next_project"`

	Day    mem.Day               `json:"day"`
	Today  views.TodayResponse   `json:"today"`
	Recent []views.TimelineEntry `json:"recent"` // as FeedRequest returns them
}
