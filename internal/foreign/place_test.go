package foreign_test

import (
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/api"
	"remanence/internal/foreign"
	"remanence/internal/mem"
)

func TestProjectsAreFoundByRemoteDirectoryFileAndWork(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"here", "depot", "till/src", "web"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	transcripts := filepath.Join(base, "projects")
	lay(t, transcripts, "x/s.jsonl", `{"type":"user","sessionId":"s","cwd":"`+base+`/web",`+
		`"timestamp":"2026-03-01T00:00:00Z","message":{"content":"hello"}}`+"\n")
	read := api.ExportedMemories{
		Memories: []mem.Memory{
			{Project: "api"},
			{Project: "HERE"},
			{Project: "depot"},
			{Project: "web"},
			{Project: "gone"},
			{},
			{Project: "till", Files: mem.Strings{filepath.Join(base, "till/src/a.go")}},
			{Scope: mem.ScopeUser},
		},
		Dirs: map[string][]string{"depot": {"/nowhere/depot", filepath.Join(base, "depot")}, "gone": {"/nowhere/gone"}},
	}
	known := []mem.Project{{Key: "p_api", Name: "backend", Root: "/far/backend", Origin: "example.com/team/api"}}
	here := mem.Project{Key: "p_here", Name: "here", Root: filepath.Join(base, "here")}
	agents := foreign.Agents{Folder: transcripts}
	parts, places, err := foreign.Requests(read, foreign.NewPlaces(read, known, here, agents), false)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%d requests, %v", len(parts), err)
	}
	want := []string{
		"p_api", here.Root, filepath.Join(base, "depot"), filepath.Join(base, "web"), "gone", here.Root,
		filepath.Join(base, "till"), "",
	}
	for i, m := range parts[0].Memories {
		if m.Project != want[i] {
			t.Errorf("memory %d of %q goes to %q, want %q", i, read.Memories[i].Project, m.Project, want[i])
		}
	}
	for _, p := range places {
		if p.Known == (p.Name == "gone") {
			t.Errorf("%s is known here: %v", p.Name, p.Known)
		}
	}
	all, _, err := foreign.Requests(read, foreign.NewPlaces(read, known, here, agents), true)
	if err != nil || all[0].Memories[0].Project != here.Root || all[0].Memories[7].Project != here.Root {
		t.Errorf("with a project named: %+v, %v", all, err)
	}
}

func TestALargeImportIsDivided(t *testing.T) {
	read := api.ExportedMemories{Memories: make([]mem.Memory, 2500)}
	places := foreign.NewPlaces(read, nil, mem.Project{Key: "p", Name: "p", Root: "/p"}, foreign.Agents{})
	parts, _, err := foreign.Requests(read, places, false)
	if err != nil || len(parts) < 3 {
		t.Fatalf("%d requests, %v", len(parts), err)
	}
	n := 0
	for _, p := range parts {
		if n += len(p.Memories); len(p.Memories) > 1000 {
			t.Errorf("%d memories in one request", len(p.Memories))
		}
	}
	if n != 2500 {
		t.Errorf("%d memories", n)
	}
}
