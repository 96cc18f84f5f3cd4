package sqlite

import (
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestFilesAreCountedByTheirMemories(t *testing.T) {
	s := openStore(t)
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	note := func(title, project string, kind mem.Kind, files ...string) mem.Memory {
		return mem.Memory{
			Scope: mem.ScopeProject, Project: project, Kind: kind, Title: title, Files: files,
			Trust: mem.TrustUser, Created: at,
		}
	}
	res := apply(t, s, mem.Batch{Memories: []mem.Memory{
		note("the lock is one for each session", "p_1", mem.Gotcha, "auth/session.go", "auth/login.go"),
		note("logins race", "p_1", mem.Fact, "auth/session.go"),
		note("changed it", "p_1", mem.Change, "auth/session.go"),
		note("another project", "p_2", mem.Fact, "till.go"),
		note("beside the folder", "p_1", mem.Fact, "authors.md"),
	}})
	receipt := mem.Receipt{
		ID: "r_1", Session: "one", Project: "p_1", Outcome: mem.Injected,
		Items: []mem.InjectedItem{{ID: res[0].IDs[0]}}, LeftOut: []mem.LeftOutItem{{ID: res[0].IDs[1]}},
	}
	apply(t, s, mem.Batch{Receipts: []mem.Receipt{receipt}})
	forgotten := mem.Forgotten
	apply(t, s, mem.Batch{Edits: []mem.Edit{{ID: res[0].IDs[4], Status: &forgotten}}})
	for _, c := range []struct {
		project, under string
		limit, total   int
		want           []mem.FileRow
	}{
		{"p_1", "", 10, 2, []mem.FileRow{
			{Path: "auth/session.go", Memories: 2, Changes: 1, Recalls: 1, Last: at},
			{Path: "auth/login.go", Memories: 1, Recalls: 1, Last: at},
		}},
		{"p_1", "auth/", 1, 2, []mem.FileRow{{Path: "auth/session.go", Memories: 2, Changes: 1, Recalls: 1, Last: at}}},
		{"", "till", 10, 0, nil},
		{"p_2", "", 10, 1, []mem.FileRow{{Path: "till.go", Memories: 1, Last: at}}},
	} {
		got, total, err := s.FileCounts(t.Context(), c.project, c.under, c.limit)
		if err != nil || total != c.total || len(got) != len(c.want) {
			t.Errorf("%q under %q: %+v of %d, %v, want %+v of %d", c.project, c.under, got, total, err, c.want, c.total)
			continue
		}
		for i := range got {
			if !got[i].Last.Equal(c.want[i].Last) {
				t.Errorf("%s: last %v, want %v", got[i].Path, got[i].Last, c.want[i].Last)
			}
			if got[i].Last = c.want[i].Last; got[i] != c.want[i] {
				t.Errorf("%q under %q: got %+v, want %+v", c.project, c.under, got[i], c.want[i])
			}
		}
	}
}
