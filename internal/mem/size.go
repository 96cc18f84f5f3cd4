package mem

// Part is one part of the data on disk, with its size.
type Part struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Count int64  `json:"count"` // number of records or files; 0 if not countable
}

// The parts. A store may lack some of them.
const (
	PartPayloads    = "payloads" // full payloads of events; dropped after a time
	PartEvents      = "events"   // events without payload
	PartMemories    = "memories"
	PartIndex       = "index" // full-text index and vectors of memories
	PartSessions    = "sessions"
	PartReceipts    = "receipts"
	PartCheckpoints = "checkpoints"
	PartOther       = "other" // projects, jobs, pauses, and internal tables
	PartFree        = "free"  // free pages
	PartWAL         = "wal"   // write-ahead log, before the next database checkpoint
	PartSpool       = "spool" // events that wait for the daemon
	PartBackups     = "backups"
	PartTranscripts = "transcripts" // archive of utterances; dropped after a time
	PartLog         = "log"
	PartFiles       = "files" // small files: locks, install records, the secret
)
