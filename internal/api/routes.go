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
	Event = Route[mem.Event, mem.Reply]{
		Name: "event", Summary: "Report an event of an agent",
	}
	Report = Route[mem.Event, capture.Outcome]{
		Name: "report", Summary: "Report an event, and say what was stored of it",
	}
	Drain = Route[Nothing, Nothing]{
		Name: "drain", Summary: "Finish running requests and end the daemon",
	}
	// Open starts the HTTP listener if it is not running.
	Open = Route[Nothing, OpenResponse]{
		Name: "open", Summary: "Open the port of the viewer and make a login code",
	}
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
	Search = Route[recall.SearchRequest, recall.SearchResponse]{
		Name: "search", Get: "search", Summary: "Search memories",
	}
	Show = Route[event.IDs, views.ShowResponse]{
		Name: "show", Get: "show", Summary: "Read whole memories",
	}
	Timeline = Route[views.TimelineRequest, views.TimelineResponse]{
		Name: "timeline", Get: "timeline", Summary: "List what happened, in order",
	}
	Recap = Route[views.RecapRequest, views.RecapResponse]{
		Name: "recap", Get: "recap", Summary: "Say what was done, by day and project",
	}
	Blame = Route[views.BlameRequest, views.BlameResponse]{
		Name: "blame", Summary: "Say why lines are as they are, given the file's text",
	}
	Propose = Route[views.ProposeRequest, views.ProposeResponse]{
		Name: "propose", Summary: "Propose lines for AGENTS.md, given its text",
	}
	// BlameFile and ProposeFile read the file of a project themselves.
	BlameFile = Route[views.BlameFileRequest, views.BlameFileResponse]{
		Name: "blame_file", Get: "blame", Summary: "Say why the lines of a project's file are as they are",
	}
	ProposeFile = Route[views.ProposeFileRequest, views.ProposeFileResponse]{
		Name: "propose_file", Get: "propose", Summary: "Propose lines for a project's AGENTS.md",
	}
	Related = Route[recall.RelatedRequest, recall.RelatedResponse]{
		Name: "related", Get: "related", Summary: "List what is linked to a memory or a name",
	}
	Status = Route[mem.ProjectRef, views.StatusResponse]{
		Name: "status", Get: "status", Summary: "Read how memory and daemon stand",
	}
	Today = Route[mem.ProjectRef, views.TodayResponse]{
		Name: "today", Get: "today", Summary: "Read what the day brought",
	}
	StatusLine = Route[views.StatusLineRequest, views.StatusLineResponse]{
		Name: "status_line", Get: "status_line", Summary: "Read the figures of a status line",
	}
	Sizes = Route[Nothing, SizesResponse]{
		Name: "sizes", Get: "sizes", Summary: "List what takes how much space on disk",
	}

	Add = Route[curate.AddRequest, curate.AddResponse]{
		Name: "add", Summary: "Keep a statement",
	}
	Import = Route[curate.ImportRequest, curate.ImportResponse]{
		Name: "import", Summary: "Take in memories of another program",
	}
	Backfill = Route[capture.BackfillRequest, event.Backfill]{
		Name: "backfill", Summary: "Read in past sessions",
	}
	Backfilling = Route[Nothing, event.Backfill]{
		Name: "backfilling", Get: "backfill", Summary: "Say how far the backfill is",
	}
	Edit = Route[curate.EditRequest, curate.EditResponse]{
		Name: "edit", Summary: "Change a memory",
	}
	Mark = Route[curate.MarkRequest, curate.MarkResponse]{
		Name: "mark", Summary: "Forget, restore, pin or unpin memories",
	}
	Feedback = Route[curate.FeedbackRequest, curate.MarkResponse]{
		Name: "feedback", Summary: "Rate memories",
	}
	Merge = Route[curate.MergeRequest, curate.MergeResponse]{
		Name: "merge", Summary: "Merge two memories",
	}
	Purge = Route[event.PurgeRequest, event.PurgeResponse]{
		Name: "purge", Summary: "Erase memories, sessions or words for good",
	}
	PurgePreview = Route[event.PurgeRequest, event.PurgeResponse]{
		Name: "purge_preview", Summary: "List what an erasure would erase",
	}
	Scan = Route[event.ScanRequest, mem.ScanResponse]{
		Name: "scan", Summary: "Search stored text for secrets",
	}
	Pause = Route[event.PauseRequest, event.PauseResponse]{
		Name: "pause", Summary: "Pause or resume capture and injection",
	}

	Consolidate = Route[curate.ConsolidateRequest, curate.ConsolidateResponse]{
		Name: "consolidate", Summary: "Merge, promote and archive memories",
	}
	Runs = Route[curate.RunsRequest, curate.ConsolidateResponse]{
		Name: "runs", Get: "runs", Summary: "List past consolidations",
	}
	Review = Route[curate.ReviewRequest, curate.ReviewResponse]{
		Name: "review", Get: "review", Summary: "List what needs a person's decision",
	}
	Resolve = Route[curate.ResolveRequest, curate.ResolveResponse]{
		Name: "resolve", Summary: "Decide findings of the review",
	}
	Lint = Route[curate.LintRequest, curate.FindingsResponse]{
		Name: "lint", Summary: "Find faults in memories",
	}

	Save = Route[continuity.SaveRequest, continuity.SaveResponse]{
		Name: "checkpoint_save", Summary: "Save a checkpoint",
	}
	Resume = Route[continuity.CheckpointsRequest, continuity.ResumeResponse]{
		Name: "checkpoint_resume", Summary: "Read a checkpoint to continue from",
	}
	Diff = Route[continuity.DiffRequest, continuity.DiffResponse]{
		Name: "checkpoint_diff", Get: "checkpoint_diff", Summary: "Compare two checkpoints",
	}
	CheckpointLog = Route[filesync.LogRequest, filesync.LogResponse]{
		Name: "checkpoint_log", Summary: "List the commits of state files",
	}
	Drift = Route[views.DriftRequest, curate.FindingsResponse]{
		Name: "checkpoint_drift", Summary: "Find what changed since a checkpoint",
	}
	Checkpoints = Route[continuity.CheckpointsRequest, continuity.Checkpoints]{
		Name: "checkpoints", Get: "checkpoints", Summary: "List checkpoints",
	}
	HandoffPage = Route[mem.ProjectRef, views.HandoffPage]{
		Name: "handoff_page", Get: "handoff_page", Summary: "Read a project's handoff as a page",
	}
	Handoff = Route[continuity.HandoffRequest, mem.Checkpoint]{
		Name: "handoff", Summary: "Store a handoff",
	}
	State = Route[workstate.Request, workstate.State]{
		Name: "state", Summary: "Change or read a project's state of work",
	}
	Share = Route[filesync.ShareRequest, filesync.ShareResponse]{
		Name: "share", Summary: "Write memories into the repository",
	}
	ReadState = Route[mem.ProjectRef, workstate.State]{
		Name: "read_state", Get: "state", Summary: "Read how a project's work stands",
	}

	// Successor returns the session that continued another one; zero if it is unknown.
	Successor = Route[continuity.SessionRequest, mem.Session]{
		Name: "successor", Summary: "Find the session that continued another one",
	}
)

// Routes about injections.
var (
	Why = Route[views.WhyRequest, views.WhyResponse]{
		Name: "why", Get: "receipts/{id}", Summary: "Read an injection in all detail",
	}
	Receipts = Route[views.ReceiptsRequest, views.ReceiptsResponse]{
		Name: "receipts", Get: "receipts", Summary: "List injections, also those of nothing",
	}
	Next = Route[views.NextRequest, mem.Receipt]{
		Name: "next", Get: "next", Summary: "Preview what the next session will be given",
	}
	WhatIf = Route[views.WhatIfRequest, views.WhatIfResponse]{
		Name: "what_if", Get: "what_if", Summary: "Preview another budget or floor for an injection",
	}
	Economy = Route[views.EconomyRequest, views.EconomyResponse]{
		Name: "economy", Get: "economy", Summary: "Count what memory costs, and whether it is used",
	}
	Effect = Route[views.EffectRequest, views.EffectResponse]{
		Name: "effect", Get: "effect", Summary: "Compare sessions with and without a use of memory",
	}
)

// Routes of the viewer's pages.
var (
	Projects = Route[Nothing, views.ProjectsResponse]{
		Name: "projects", Get: "projects", Summary: "List the projects",
	}
	Overview = Route[Nothing, views.OverviewResponse]{
		Name: "overview", Get: "overview", Summary: "List how the work of all projects stands",
	}
	Now = Route[mem.ProjectRef, NowResponse]{
		Name: "now", Get: "now", Summary: "Read all that the viewer's first page shows",
	}
	Feed = Route[views.FeedRequest, views.FeedResponse]{
		Name: "feed", Get: "feed", Summary: "List what happened last",
	}
	Prompts = Route[views.PromptsRequest, views.PromptsResponse]{
		Name: "prompts", Get: "prompts", Summary: "List prompts",
	}
	Sessions = Route[views.SessionsRequest, views.SessionsResponse]{
		Name: "sessions", Get: "sessions", Summary: "List sessions",
	}
	SessionUses = Route[views.SessionUsesRequest, views.SessionUsesResponse]{
		Name: "session_uses", Get: "session_uses", Summary: "List which sessions used what others learned",
	}
	SessionStory = Route[views.MemoryRequest, views.SessionStory]{
		Name: "session", Get: "sessions/{id}", Summary: "Read what happened in a session",
	}
	GetSession = Route[views.MemoryRequest, mem.Session]{
		Name: "session_record", Get: "session_records/{id}", Summary: "Read the record of a session",
	}
	MemoryStory = Route[views.MemoryRequest, views.MemoryStory]{
		Name: "memory", Get: "memories/{id}", Summary: "Read a memory with its origin, injections and uses",
	}
	Files = Route[views.FilesRequest, views.FileTree]{
		Name: "files", Get: "files", Summary: "List files by memories",
	}
	File = Route[views.FileRequest, views.FilePage]{
		Name: "file", Get: "file", Summary: "List what is known of a file",
	}

	Processing = Route[Nothing, ProcessingResponse]{
		Name: "processing", Get: "processing", Summary: "Say whether sessions or jobs are in progress",
	}
	EndPrompts = Route[Nothing, ProcessingResponse]{
		Name: "end_prompts", Summary: "Mark every session as idle",
	}
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
