package cli

import (
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestAWarningIsShownOnceADay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices.json")
	monday := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, step := range []struct {
		name   string
		now    time.Time
		causes []notice
		want   []string
	}{
		{"first", monday, []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, []string{"full", "3 lost"}},
		{"again", monday.Add(time.Hour), []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, nil},
		{"more of it, same day", monday.Add(2 * time.Hour), []notice{{"lost", 4, "4 lost"}}, nil},
		{"next day, still full, nothing more lost", monday.AddDate(0, 0, 1), []notice{{"disk", 0, "full"}, {"lost", 3, "3 lost"}}, []string{"full"}},
		{"next day, more lost", monday.AddDate(0, 0, 1), []notice{{"lost", 5, "5 lost"}}, []string{"5 lost"}},
		{"counted anew", monday.AddDate(0, 0, 3), []notice{{"lost", 1, "1 lost"}}, []string{"1 lost"}},
		{"nothing", monday.AddDate(0, 0, 2), nil, nil},
	} {
		if got := dueNotices(file, step.now, step.causes); !slices.Equal(got, step.want) {
			t.Errorf("%s: got %q, want %q", step.name, got, step.want)
		}
	}
}
