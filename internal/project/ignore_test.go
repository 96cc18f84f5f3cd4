package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPatternsFitPathsPartByPart(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"a/b", "a/b", true},
		{"a/b", "a", false},
		{"a/b", "a/b/c", false},
		{"a/*.go", "a/x.go", true},
		{"a/*", "a/b/c", false},
		{"a/[", "a/[", false},
		{"**", "a/b", true},
		{"**/b", "b", true},
		{"**/b", "a/a/b", true},
		{"**/b", "a/b/c", false},
		{"a/**", "a", true},
		{"a/**/b", "a/b", true},
		{"a/**/b", "a/b/x/b", true},
		{"a/**/b/c", "a/b/x/b/c", true},
		{"**/a/**/b", "x/a/y/a/b", true},
		{"**/a/**/b", "x/b/y/b", false},
		{"a/**/b/**", "a/x/y", false},
	} {
		if got := matches(strings.Split(tt.pattern, "/"), strings.Split(tt.name, "/")); got != tt.want {
			t.Errorf("%s of %s: got %v, want %v", tt.name, tt.pattern, got, tt.want)
		}
	}
}

// A repository may come from anybody: with every "**" tried at every place this one would go on for years.
func TestAPatternOfManyStarsIsJudgedAllTheSame(t *testing.T) {
	pattern := append(slices.Repeat([]string{"**", "a"}, 30), "b")
	if matches(pattern, slices.Repeat([]string{"a"}, 200)) {
		t.Error("it fits a path without its last part")
	}
}

func TestSoManyRulesCountAndNoMore(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".gitignore":     "first.txt\n" + strings.Repeat("x\n", maxRules-2) + "last.txt\nbeyond.txt\n",
		"sub/.gitignore": "inside.txt\n",
		"first.txt":      "", "last.txt": "", "beyond.txt": "", "sub/inside.txt": "",
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	got := made(root, map[string]bool{".gitignore": true, "sub/.gitignore": true}, "", time.Time{}, 100)
	slices.Sort(got)
	if want := []string{"beyond.txt", "sub/inside.txt"}; !slices.Equal(got, want) {
		t.Errorf("made = %q, want %q", got, want)
	}
}
