package stored

import (
	"context"
	"time"

	"remanence/internal/mem"
)

// Writer runs the statements that write one batch, in the dialect of its database and in one transaction. An [Entry]
// decides what is written. A session is passed by its number, nil for none.
type Writer interface {
	batchWriter
	sessionWriter
	memoryWriter
	receiptWriter
	runWriter
}

type batchWriter interface {
	// Next returns the number of a new row of a table. No number is used twice, even if the newest row was erased.
	Next(ctx context.Context, table string) (int64, error)
	// FindEvent returns the position of an event, 0 if there is none.
	FindEvent(ctx context.Context, id string) (int64, error)
	// FindErasedEvent returns the position of an erased event with a key, 0 if there is none.
	FindErasedEvent(ctx context.Context, key string) (int64, error)
	// LastEvent returns the position, key and time of the last event of a session, given by its id; 0 if there is none.
	LastEvent(ctx context.Context, session string) (seq int64, key string, at time.Time, err error)
	// InsertEvent writes the event of the batch and returns its position.
	InsertEvent(ctx context.Context, session any, payload string) (int64, error)
	// PutProject writes a project, under the key of its repository if that is known.
	PutProject(ctx context.Context, p mem.Project) error
	// FindAlias returns the key under which a project with another key is stored, "" if key is no alias.
	FindAlias(ctx context.Context, key string) (string, error)
	PutPause(ctx context.Context, p mem.Pause) error
	PutJob(ctx context.Context, session any, j mem.Job) error
	FailJob(ctx context.Context, j mem.Job) error
	FinishJobs(ctx context.Context, ids []string) error
	AddSpending(ctx context.Context, s mem.Spending) error
}

type sessionWriter interface {
	FindSession(ctx context.Context, id string) (s mem.Session, found bool, err error)
	InsertSession(ctx context.Context, s mem.Session) error
	// UpdateSession writes what may change of a session.
	UpdateSession(ctx context.Context, s mem.Session) error
	PutTranscriptPosition(ctx context.Context, p mem.TranscriptPosition) error

	// FindTurn returns a turn and the number of its row.
	FindTurn(ctx context.Context, session any, promptID string) (n int64, t mem.Turn, found bool, err error)
	// LastTurn returns the place of the last turn of the session until the time of another, 0 if there is none.
	LastTurn(ctx context.Context, t mem.Turn) (place int64, err error)
	// InsertTurn writes a turn of the session of the event.
	InsertTurn(ctx context.Context, n, place int64, t mem.Turn) error
	UpdateTurn(ctx context.Context, n int64, t mem.Turn) error
}

type memoryWriter interface {
	FindMemory(ctx context.Context, id string) (m MemoryRow, found bool, err error)
	// FindMemoryByKey finds a memory of the session, or without one of the project, by its key.
	FindMemoryByKey(ctx context.Context, session any, project, key string) (m MemoryRow, found bool, err error)
	// MemoriesOfTurn returns the memories of a turn of the session of the event.
	MemoriesOfTurn(ctx context.Context, promptID string) ([]MemoryRow, error)
	InsertMemory(ctx context.Context, m MemoryRow) error
	UpdateMemory(ctx context.Context, old MemoryRow, now mem.Memory) error
	// UtterancesBefore returns the last utterances of a session before a row, the nearest first.
	UtterancesBefore(ctx context.Context, session any, n int64, most int) ([]Utterance, error)
	UtterancesWithin(ctx context.Context, session any, s Span) ([]Utterance, error)
	UtterancesAfter(ctx context.Context, session any, n int64, most int) ([]Utterance, error)
	IndexUtterance(ctx context.Context, u IndexedUtterance) error
	PutLinks(ctx context.Context, l mem.MemoryLinks) error
}

type receiptWriter interface {
	InsertCheckpoint(ctx context.Context, n int64, session any, c mem.Checkpoint) error
	// InsertReceipt writes a receipt and which memories it names.
	InsertReceipt(ctx context.Context, session any, r mem.Receipt) error
	// FindReceipt returns a receipt with its session; found is false also if it cannot be decoded.
	FindReceipt(ctx context.Context, id string) (session any, r mem.Receipt, found bool, err error)
	DeleteReceipt(ctx context.Context, id string) error
	// AddInjected adds keys and tokens to what was injected into a session.
	AddInjected(ctx context.Context, session any, keys []string, tokens int) error
	// RemoveInjected is the reverse of AddInjected.
	RemoveInjected(ctx context.Context, session any, keys []string, tokens int) error
	// ClearInjected removes all keys of the session of the event.
	ClearInjected(ctx context.Context) error
	// CopyInjected adds the keys of a session, given by its id, to those of the session of the event.
	CopyInjected(ctx context.Context, from string) error
}

type runWriter interface {
	// FindRun returns the number of a run; an error if there is none.
	FindRun(ctx context.Context, id string) (int64, error)
	InsertRun(ctx context.Context, n int64, session any, r mem.Run) error
	// InsertChange writes a change of a run, unless its memory was erased.
	InsertChange(ctx context.Context, run int64, c mem.Step) error
	// UndoRuns marks the changes of runs as undone.
	UndoRuns(ctx context.Context, ids []string) error
	// InsertDismissal writes a dismissal, unless its memory was erased.
	InsertDismissal(ctx context.Context, d mem.Dismissal) error
}
