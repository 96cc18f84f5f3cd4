package mem

// Part is one part of the data on disk, with its size.
type Part struct {
	Name  PartName `json:"name"`
	Bytes int64    `json:"bytes"`
	Count int64    `json:"count"` // number of records or files; 0 if not countable
}

// PartName names a part of the data on disk.
type PartName string

// The parts. A store may lack some of them.
const (
	PartPayloads    PartName = "payloads" // full payloads of events; dropped after a time
	PartEvents      PartName = "events"   // events without payload
	PartMemories    PartName = "memories"
	PartIndex       PartName = "index" // full-text index and vectors of memories
	PartSessions    PartName = "sessions"
	PartReceipts    PartName = "receipts"
	PartCheckpoints PartName = "checkpoints"
	PartOther       PartName = "other" // projects, jobs, pauses, and internal tables
	PartFree        PartName = "free"  // free pages
	PartWAL         PartName = "wal"   // write-ahead log, before the next database checkpoint
	PartSpool       PartName = "spool" // events that wait for the daemon
	PartBackups     PartName = "backups"
	PartTranscripts PartName = "transcripts" // archive of utterances; dropped after a time
	PartLog         PartName = "log"
	PartFiles       PartName = "files" // small files: locks, install records, the secret
)
