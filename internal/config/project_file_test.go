package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyListedKeysCountInAProjectFile(t *testing.T) {
	root := t.TempDir()
	if _, _, err := ReadProjectFile(root); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("without a file: %v", err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(ProjectFile(root)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(ProjectFile(root), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("project.id = ' till '\nproject.name = 3\nprivacy.exclude_paths = ['a', 'b']\nlog.level = 'debug'\n" +
		"hooks.user_prompt.token_budget = 80\nhooks.pre_read.token_budget = -1\nhooks.nothing.token_budget = 1\n")
	f, warnings, err := ReadProjectFile(root)
	if err != nil || f.ID != "till" || f.Name != "" || len(f.ExcludePaths) != 2 || len(f.TokenBudgets) != 1 ||
		f.TokenBudgets["user_prompt"] != 80 {
		t.Errorf("read %+v, %v", f, err)
	}
	said := strings.Join(warnings, "\n")
	for _, key := range []string{"project.name", "log.level", "hooks.pre_read", "hooks.nothing"} {
		if !strings.Contains(said, key) {
			t.Errorf("nothing is said of %s: %s", key, said)
		}
	}
	write("project.id = ")
	if _, _, err := ReadProjectFile(root); !errors.Is(err, ErrSyntax) {
		t.Errorf("half a file: %v", err)
	}
	write(strings.Repeat("# a comment\n", maxProjectFile))
	if _, _, err := ReadProjectFile(root); !errors.Is(err, ErrSyntax) {
		t.Errorf("a file that is too large: %v", err)
	}
}

func TestAProjectFileBehindALinkIsNotRead(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "config.toml"), []byte("project.id = 'till'\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Dir(ProjectFile(root))); err != nil {
		t.Skip("no links here: ", err)
	}
	if f, _, err := ReadProjectFile(root); err == nil || f.ID != "" {
		t.Errorf("read %+v, %v, want nothing", f, err)
	}
}
