package views

import "remanence/internal/mem"

// WhatIfRequest asks what a receipt would contain with another budget or floor.
type WhatIfRequest struct {
	ID     string   `json:"id"`
	Budget *int     `json:"budget,omitempty"` // tokens; nil means unchanged
	Floor  *float64 `json:"floor,omitempty"`  // 0…1; nil means unchanged
}

// WhatIfResponse is the recomputed receipt. It is not stored.
type WhatIfResponse struct {
	Receipt mem.Receipt `json:"receipt"` // its Text uses the current wording of the memories
	Added   []string    `json:"added"`   // IDs that would be injected in addition
	Removed []string    `json:"removed"` // IDs that would not be injected
	Basis   string      `json:"basis"`   // BasisReceipt or BasisNow
}

// Sources of a WhatIfResponse.
const (
	BasisReceipt = "receipt" // the items that the receipt names, injected and left out
	BasisNow     = "now"     // a briefing computed now
)
