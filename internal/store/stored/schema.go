package stored

import (
	"fmt"
	"io/fs"
	"strings"
)

// Migrations returns the SQL of all steps of a schema in order. They are files schema/0001_name.sql, 0002_…, without a
// gap.
func Migrations(files fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(files, "schema") // sorted by name
	if err != nil {
		return nil, err
	}
	steps := make([]string, 0, len(entries))
	for i, e := range entries {
		if !strings.HasPrefix(e.Name(), fmt.Sprintf("%04d_", i+1)) {
			return nil, fmt.Errorf("schema %s is out of order", e.Name())
		}
		text, err := fs.ReadFile(files, "schema/"+e.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}
