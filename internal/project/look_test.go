//go:build unix

package project_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/project"
)

// tree is a project outside git with some files.
func tree(t *testing.T, files map[string]string) mem.Project {
	t.Helper()
	dir := real(t, t.TempDir())
	for name, text := range files {
		mkdir(t, dir, filepath.Dir(name))
		write(t, filepath.Join(dir, name), text)
	}
	return mem.Project{Key: "p_1", Root: dir}
}

func look(t *testing.T, p mem.Project) *project.Look {
	t.Helper()
	l := project.NewLook(p)
	t.Cleanup(l.Close)
	return l
}

func soon() time.Time { return time.Now().Add(time.Hour) }

func TestAnchorIsWhatGitCallsTheContent(t *testing.T) {
	p := tree(t, map[string]string{"empty": "", "a/b.go": "package b\n", "raw": "\x00\xff\r\n"})
	got := look(t, p).Anchors([]string{"empty", "a/b.go", "raw"}, soon())
	if len(got) != 3 {
		t.Fatalf("got %v, want three anchors", got)
	}
	for _, a := range got {
		out, err := command(p.Root, "hash-object", "--no-filters", a.File).Output()
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.TrimSpace(string(out)); a.Hash != want {
			t.Errorf("%s: got %q, git says %q", a.File, a.Hash, want)
		}
	}
}

func TestTheContentDecidesWhetherAFileIsAnother(t *testing.T) {
	day := 24 * time.Hour
	tests := map[string]struct {
		then func(t *testing.T, dir string)
		want mem.Freshness
	}{
		"nothing happened": {func(*testing.T, string) {}, mem.Fresh},
		"touched": {func(t *testing.T, dir string) {
			if err := os.Chtimes(filepath.Join(dir, "a.go"), time.Now().Add(day), time.Now().Add(day)); err != nil {
				t.Fatal(err)
			}
		}, mem.Fresh},
		"written again, the same": {func(t *testing.T, dir string) {
			_ = os.Remove(filepath.Join(dir, "a.go"))
			write(t, filepath.Join(dir, "a.go"), "one")
		}, mem.Fresh},
		"written": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "a.go"), "two") }, mem.FileChanged},
		"gone":    {func(_ *testing.T, dir string) { _ = os.Remove(filepath.Join(dir, "a.go")) }, mem.FileChanged},
		"both gone": {func(_ *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "sub"))
			_ = os.Remove(filepath.Join(dir, "a.go"))
		}, mem.FileGone},
		"a directory in place of a file": {func(t *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "sub"))
			_ = os.Remove(filepath.Join(dir, "a.go"))
			mkdir(t, dir, "a.go")
		}, mem.FileGone},
		"a file in place of a directory": {func(t *testing.T, dir string) {
			_ = os.RemoveAll(filepath.Join(dir, "sub"))
			_ = os.Remove(filepath.Join(dir, "a.go"))
			write(t, filepath.Join(dir, "sub"), "")
		}, mem.FileGone},
		"grown huge": {func(t *testing.T, dir string) {
			sparse(t, filepath.Join(dir, "a.go"), 1<<30)
		}, mem.FileChanged},
		"the new one came": {func(t *testing.T, dir string) { write(t, filepath.Join(dir, "new.go"), "x") }, mem.FileChanged},
		"no project any more": {func(t *testing.T, dir string) {
			if err := os.Rename(dir, dir+"-away"); err != nil {
				t.Fatal(err)
			}
		}, mem.Fresh},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := tree(t, map[string]string{"a.go": "one", "sub/b.go": "two"})
			since := time.Now()
			anchors := look(t, p).Anchors([]string{"a.go", "sub/b.go", "new.go"}, soon())
			if len(anchors) != 3 || anchors[2].Hash != "" {
				t.Fatalf("anchors %v, want three, the last of a file that is not there", anchors)
			}
			tt.then(t, p.Root)
			if got := look(t, p).Freshness(anchors, since); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAFileNotWrittenSinceIsNotRead(t *testing.T) {
	p := tree(t, map[string]string{"a.go": "one"})
	other := []mem.Anchor{{File: "a.go", Hash: strings.Repeat("0", 40)}}
	if got := look(t, p).Freshness(other, time.Now().Add(time.Hour)); got != mem.Fresh {
		t.Errorf("got %q, want it taken for the same", got)
	}
	if got := look(t, p).Freshness(other, time.Now().Add(-time.Hour)); got != mem.FileChanged {
		t.Errorf("got %q for one that was, want %q", got, mem.FileChanged)
	}
}

func TestAFileWrittenAfterwardsIsNoAnchor(t *testing.T) {
	p := tree(t, map[string]string{"a.go": "one"})
	if got := look(t, p).Anchors([]string{"a.go"}, time.Now().Add(-time.Hour)); len(got) != 0 {
		t.Errorf("got %v: the content of the file an hour ago is unknown", got)
	}
}

func TestOnlyPlainFilesWithinTheProjectAreAnchors(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	write(t, outside, "s")
	p := tree(t, map[string]string{"a.go": "one", "big": ""})
	symlink(t, "a.go", filepath.Join(p.Root, "link.go"))
	symlink(t, outside, filepath.Join(p.Root, "out.go"))
	symlink(t, "loop.go", filepath.Join(p.Root, "loop.go"))
	mkfifo(t, filepath.Join(p.Root, "pipe"))
	mkdir(t, p.Root, "dir")
	sparse(t, filepath.Join(p.Root, "big"), 1<<20+1)
	t.Chdir(p.Root) // a socket's path has to be short
	l, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for file, hashed := range map[string]bool{
		"a.go": true, "link.go": true, "./a.go": true,
		"out.go": false, "loop.go": false, "pipe": false, "dir": false, "dir/": false, "big": false, "socket": false,
		outside: false, "../x": false, "": false, "a\x00.go": false, strings.Repeat("x/", 5000): false, "/dev/zero": false,
	} {
		got := look(t, p).Anchors([]string{file}, soon())
		if ok := len(got) == 1 && got[0].Hash != ""; ok != hashed {
			t.Errorf("%.40q: anchors %v, want one with a hash: %v", file, got, hashed)
		}
		before := []mem.Anchor{{File: file, Hash: "0"}}
		if got := look(t, p).Freshness(before, time.Time{}); !hashed && got == mem.Fresh &&
			(file == "pipe" || file == "dir") {
			t.Errorf("%q: fresh, though it is no file any more", file)
		}
	}
}

func TestALookIsBounded(t *testing.T) {
	files, names := map[string]string{}, []string{}
	for i := range 80 {
		name := fmt.Sprintf("f%02d", i)
		files[name], names = "x", append(names, name)
	}
	p := tree(t, files)
	l, known := look(t, p), 0
	for _, n := range names {
		known += len(l.Anchors([]string{n}, soon()))
	}
	if known != 64 {
		t.Errorf("%d files were looked at, want 64", known)
	}
	if got := l.Freshness([]mem.Anchor{{File: "f79", Hash: "0"}}, time.Time{}); got != mem.Fresh {
		t.Errorf("past its bound a look says %q, want nothing", got)
	}
	if got := look(t, p).Anchors(names, soon()); len(got) != mem.MaxAnchors {
		t.Errorf("%d anchors, want %d", len(got), mem.MaxAnchors)
	}

	heavy := tree(t, map[string]string{"0": "", "1": "", "2": "", "3": "", "4": ""})
	l, known = look(t, heavy), 0
	for i := range 5 {
		sparse(t, filepath.Join(heavy.Root, fmt.Sprint(i)), 1<<20)
		known += len(l.Anchors([]string{fmt.Sprint(i)}, soon()))
	}
	if known != 4 {
		t.Errorf("%d files of 1 MiB were read, want 4", known)
	}
}

func BenchmarkAnchors(b *testing.B) {
	dir := b.TempDir()
	names := []string{}
	for i := range mem.MaxAnchors {
		names = append(names, fmt.Sprintf("file%d.go", i))
		if err := os.WriteFile(filepath.Join(dir, names[i]), []byte(strings.Repeat("some line of code\n", 1200)),
			0o600); err != nil {
			b.Fatal(err)
		}
	}
	at := soon()
	for b.Loop() {
		l := project.NewLook(mem.Project{Root: dir})
		if len(l.Anchors(names, at)) != len(names) {
			b.Fatal("not every file has an anchor")
		}
		l.Close()
	}
}
