package api

import (
	"remanence/internal/mem"
	"remanence/internal/views"
)

// NowResponse is what a person wants to see first: what would be told next, how it
// stands, what happened last.
type NowResponse struct {
	views.StatusResponse
	Next mem.Receipt `json:"next"` // as NextAsk answers
	// NextProject is where Next would be told: the one that is asked about, or
	// else the one that was last active.
	NextProject mem.Project `json:"next_project"`

	Day    mem.Day               `json:"day"`
	Recent []views.TimelineEntry `json:"recent"` // as FeedAsk answers
}
