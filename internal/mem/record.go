package mem

import "time"

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
