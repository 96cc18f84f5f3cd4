package api

import "remanence/internal/mem"

// SizesResponse say what takes how much room on disk.
type SizesResponse struct {
	Parts []mem.Part `json:"parts"`
	Bytes int64      `json:"bytes"` // sum of all
}
