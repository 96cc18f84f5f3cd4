package project

import (
	"os"
	"path/filepath"
	"testing"
)

// The way to a file of git's costs more than the file, and every event reads some.
func TestARepositoryIsOpenedOnce(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"HEAD": "ref: refs/heads/main\n", "objects/none": "", "refs/none": "",
		"config": "",
	} {
		file := filepath.Join(dir, ".git", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := &roots{at: map[string]*os.Root{}}
	r, ok := repoAt(dir, open)
	if !ok {
		t.Fatal("got no repository")
	}
	first := open.at[r.git.path()]
	if first == nil {
		t.Fatal("got a closed folder, want one that stays open")
	}
	r.head()
	if again := open.at[r.git.path()]; again != first || len(open.at) != 1 {
		t.Errorf("got %d folders opened, the first again: %v; want one, once", len(open.at), again != first)
	}
	open.close()
	if _, err := first.Stat("HEAD"); err == nil {
		t.Error("the folder is open for ever")
	}
}
