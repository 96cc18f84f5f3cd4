package api

import "remanence/internal/mem"

// The routes.
var (
	Event = Route[mem.Event, mem.Reply]{"event"}
	Drain = Route[Nothing, Nothing]{"drain"} // finish what runs, then exit
)

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
	Search   = Route[mem.SearchAsk, mem.Found]{"search"}
	Show     = Route[mem.IDs, mem.Records]{"show"}
	Why      = Route[mem.WhyAsk, mem.Explained]{"why"}
	Next     = Route[mem.NextAsk, mem.Receipt]{"next"}
	Timeline = Route[mem.TimelineAsk, mem.Timeline]{"timeline"}
	Status   = Route[mem.Place, mem.Overview]{"status"}
	Add      = Route[mem.AddAsk, mem.Memory]{"add"}
	Edit     = Route[mem.EditAsk, mem.Memory]{"edit"}
	Mark     = Route[mem.MarkAsk, mem.Marked]{"mark"}
	Purge    = Route[mem.IDs, mem.Erased]{"purge"}
	Doomed   = Route[mem.IDs, mem.Erased]{"doomed"} // what Purge would erase; changes nothing
	Scan     = Route[mem.ScanAsk, mem.Scanned]{"scan"}
	Pause    = Route[mem.PauseAsk, mem.Pauses]{"pause"}
	Sizes    = Route[Nothing, mem.Sizes]{"sizes"}
)
