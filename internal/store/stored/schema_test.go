package stored

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestStepsOfASchemaHaveNoGap(t *testing.T) {
	step := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{"schema/0001_first.sql": step("a"), "schema/0002_more.sql": step("b")}
	if got, err := Migrations(files); err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %q, %v", got, err)
	}
	files["schema/0004_late.sql"] = step("d")
	if got, err := Migrations(files); err == nil {
		t.Errorf("got %q without step 3, want an error", got)
	}
}
