package engine

import "remanence/internal/mem"

// WhatIfAsk asks what a receipt would have told with another budget or floor.
type WhatIfRequest struct {
	ID     string   `json:"id"`
	Budget *int     `json:"budget,omitempty"` // tokens; nil means as it was
	Floor  *float64 `json:"floor,omitempty"`  // 0…1; nil means as it was
}

// WhatIf is what a receipt would have told. Nothing of it is kept.
type WhatIfResponse struct {
	Receipt mem.Receipt `json:"receipt"` // its Text is as the memories are worded today
	Added   []string    `json:"added"`   // ids that were left out and would be told
	Lost    []string    `json:"lost"`    // ids that were told and would not be
	Basis   string      `json:"basis"`   // BasisReceipt or BasisNow
}

// What a WhatIf was made from.
const (
	BasisReceipt = "receipt" // what that receipt names, told and left out
	BasisNow     = "now"     // a briefing as it would be made now
)
