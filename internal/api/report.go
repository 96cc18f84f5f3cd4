package api

// Working says whether anything is being worked on.
type Working struct {
	IsProcessing bool `json:"isProcessing"` // whether any session works on a prompt
	QueueDepth   int  `json:"queueDepth"`   // jobs waiting
}
