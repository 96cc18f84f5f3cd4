//go:build unix

package project_test

import (
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/project"
)

func TestAMovedRepositoryIsKnownByItsLastCommit(t *testing.T) {
	here, ids := packedHistory(t)
	here.Key, here.Root, here.Origin = "p_here", "/src/new", "host/shop"
	there := t.TempDir()
	gone := filepath.Join(there, "gone")
	was := mem.Project{Key: "p_was", Root: "/src/old", Common: gone, Commit: ids[7]}
	other := was
	other.Key, other.Commit = "p_other", "0123456789012345678901234567890123456789"
	if got := project.Moved(here, []mem.Project{other, was}); got != "p_was" {
		t.Errorf("got %q", got)
	}
	for what, change := range map[string]func(*mem.Project){
		"still there":     func(p *mem.Project) { p.Common = there },
		"without commits": func(p *mem.Project) { p.Commit = "" },
		"another remote":  func(p *mem.Project) { p.Origin = "host/fork" },
		"no repository":   func(p *mem.Project) { p.Common = "" },
	} {
		p := was
		change(&p)
		if got := project.Moved(here, []mem.Project{p}); got != "" {
			t.Errorf("%s: got %q", what, got)
		}
	}
	if got := project.Moved(mem.Project{Key: "p_dir", Root: there}, []mem.Project{was}); got != "" {
		t.Errorf("a directory without a repository: got %q", got)
	}
}

func TestADirectoryThatBecomesARepositoryIsTheSameProject(t *testing.T) {
	root := t.TempDir()
	before, err := project.Identify(root)
	if err != nil {
		t.Fatal(err)
	}
	furnish(t, root)
	now, err := project.Identify(root)
	if err != nil || now.Key == before.Key {
		t.Fatalf("%+v, %v", now, err)
	}
	if got := project.Moved(now, []mem.Project{{Key: "p_x", Root: "/elsewhere"}, before}); got != before.Key {
		t.Errorf("got %q, want %q", got, before.Key)
	}
}
