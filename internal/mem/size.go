package mem

import "context"

// Sizer is a Store that can tell what takes how much room.
type Sizer interface {
	// Sizes returns the parts of the store's files. Their sum is what the files
	// take, to the page. It reads all of them: seconds, for a large store.
	Sizes(ctx context.Context) ([]Part, error)
}

// Part is one part of what is kept on disk.
type Part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Count int64  `json:"count"` // of records, or of files; 0 where there is nothing to count
}

// Parts of a store and of what lies around it. A store need not have all.
const (
	PartPayloads    = "payloads" // what the agent reported, word for word; dropped after a time
	PartEvents      = "events"   // that it did
	PartMemories    = "memories"
	PartIndex       = "index" // of the memories' words and vectors
	PartSessions    = "sessions"
	PartReceipts    = "receipts"
	PartCheckpoints = "checkpoints"
	PartOther       = "other" // projects, jobs, pauses, and what the store needs itself
	PartFree        = "free"  // kept for reuse
	PartWAL         = "wal"   // not yet folded into the database
	PartSpool       = "spool" // events that wait for the worker
	PartBackups     = "backups"
	PartTranscripts = "transcripts" // what was said, word for word; dropped after a time
	PartLog         = "log"
	PartFiles       = "files" // small ones: locks, records of installs, the secret
)
