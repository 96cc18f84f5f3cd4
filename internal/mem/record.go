package mem

import (
	"context"
	"time"
)

// Record is one stored row of an export. A value that refers to another row holds that row's id.
type Record struct {
	Table string
	Row   map[string]any // texts, int64 and float64, by the name of the column; absent ones are null
}

// RecordQuery selects the rows of an export. The zero value means all.
type RecordQuery struct {
	Project string    // key
	Since   time.Time // memories changed and sessions active at or after
}

// RecordCounts counts the rows of an import by table.
type RecordCounts struct {
	Taken map[string]int `json:"taken"`
	Known map[string]int `json:"known"` // there already; they stayed as they were

	Memories []string `json:"-"` // ids of the taken ones that are active
}

// RecordStore is a Store whose rows can be moved to another one: what an export and its import need. Not every back end
// can do that.
type RecordStore interface {
	// Records calls each with the rows that a query selects, as they are at one moment, rows after those that they
	// refer to. What is derived from them, and work that waits, is left out. An error of each ends the call.
	Records(ctx context.Context, q RecordQuery, each func(Record) error) error

	// PutRecords writes the rows that next returns until io.EOF: all, or after an error none. A row that is there
	// already stays as it is, so that writing twice changes nothing. A row keeps its id unless another row has it;
	// then it gets a new one, which rows that refer to it follow.
	PutRecords(ctx context.Context, next func() (Record, error)) (RecordCounts, error)
}
