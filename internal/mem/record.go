package mem

import (
	"context"
	"time"
)

// Record is one stored row of an export. A value that refers to another row holds that row's id.
type Record struct {
	Table string
	Row   map[string]any // text, int64, float64 and bytes by the names of columns; null is absent
}

// RecordQuery selects the rows of an export. The zero value means all.
type RecordQuery struct {
	Project string    // key
	Since   time.Time // memories changed and sessions active at or after
	// Work adds what an export leaves out: jobs, pauses, spending, vectors, and the last numbers of the tables.
	Work bool
}

// RecordCounts counts the rows of an import by table.
type RecordCounts struct {
	Taken map[string]int `json:"taken"`
	Known map[string]int `json:"known"` // there already; they stayed as they were

	Memories []string `json:"-"` // ids of the taken ones that are active
}

// RecordStore is a Store whose rows can be moved to another one: what an export and its import need.
type RecordStore interface {
	// Records calls each with the rows that a query selects, as they are at one moment, rows after those that they
	// refer to. What is derived from them, and work that waits, is left out. An error of each ends the call.
	Records(ctx context.Context, q RecordQuery, each func(Record) error) error

	// PutRecords writes the rows that next returns until io.EOF: all, or after an error none. A row that is there
	// already stays as it is, so that writing twice changes nothing. A row keeps its id unless another row has it;
	// then it gets a new one, which rows that refer to it follow.
	PutRecords(ctx context.Context, next func() (Record, error)) (RecordCounts, error)
}

// MoveStore is a Store that can be copied to another back end. The copy has the same rows, numbers and ids.
type MoveStore interface {
	// Records is that of RecordStore.
	Records(ctx context.Context, q RecordQuery, each func(Record) error) error

	// AddRecords writes rows that Records of another store gave, in that order, all of them or none. They may not be
	// there yet. What is derived from them is missing until FinishRecords.
	AddRecords(ctx context.Context, rows []Record) error

	// FinishRecords derives from the rows what searches need.
	FinishRecords(ctx context.Context) error
}
