package sqlite

import (
	"fmt"
	"os"
	"time"

	"remanence/internal/store/stored"
)

// storedTime scans a stamp into a time.
type storedTime time.Time

// timeAt is where to scan a stored time into t.
func timeAt(t *time.Time) *storedTime { return (*storedTime)(t) }

// Scan implements sql.Scanner.
func (t *storedTime) Scan(v any) error {
	n, ok := v.(int64)
	if !ok {
		return fmt.Errorf("stored time is a %T", v)
	}
	*t = storedTime(stored.TimeOf(n))
	return nil
}

// array encodes values for json_each.
func array[T ~string | ~int64](v []T) string {
	if len(v) == 0 {
		return "[]"
	}
	s, _ := stored.Text(v)
	return s
}

// fileSize returns the size of a file, 0 if it does not exist.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
