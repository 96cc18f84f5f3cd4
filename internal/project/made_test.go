package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/project"
)

func TestFilesThatGitDoesNotKnowAreAmongTheChangedUnlessIgnored(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=x", "-c", "user.email=x@x.example"},
			args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	put := func(at time.Time, text string, names ...string) {
		t.Helper()
		for _, name := range names {
			file := filepath.Join(root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, at, at); err != nil {
				t.Fatal(err)
			}
		}
	}
	now, long := time.Now(), time.Now().Add(-time.Hour)
	git("init", "-q")
	put(long, "text", "known.go", "old.go")
	put(long, "*.log\n!keep.log\n/build/\nnode_modules\ndocs/**/draft.md\n# a comment\n", ".gitignore")
	put(long, "/here.txt\n!loud.log\n", "sub/.gitignore")
	put(long, "inside.txt\n", ".hidden/.gitignore")
	git("add", "known.go", ".gitignore", "sub/.gitignore", ".hidden/.gitignore")
	git("commit", "-q", "-m", "x")
	put(long, "mine.txt\n", ".git/info/exclude")
	put(now, "text", "new.go", "a/b/new.go", "x.log", "keep.log", "build/out.o", "a/build/out.go", "a/node_modules/m.js",
		"docs/a/b/draft.md", "docs/final.md",
		"sub/here.txt", "sub/below/here.txt", "sub/loud.log", "sub/quiet.log", "mine.txt", ".hidden/inside.txt",
		"hidden/inside.txt", "vendored/.git/HEAD", "vendored/theirs.go")
	p, err := project.Identify(root)
	if err != nil {
		t.Fatal(err)
	}
	got := project.Changed(p, now.Add(-time.Minute))
	slices.Sort(got)
	want := slices.DeleteFunc(strings.Fields(git("ls-files", "--others", "--exclude-standard")), func(f string) bool {
		return f == "old.go" || strings.HasPrefix(f, "vendored/") // not written since, and another repository
	})
	if !slices.Equal(got, want) || len(want) != 8 {
		t.Errorf("got  %q\nwant %q, as git says", got, want)
	}
}
