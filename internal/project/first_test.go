package project_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1" // git's name for an object
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/project"
)

// packedHistory is a repository whose twenty commits git itself put into one
// pack, most of them as differences of another; and their ids, oldest first.
func packedHistory(t *testing.T) (mem.Project, []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/history/commits.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(string(b))
	common := t.TempDir()
	for name, as := range map[string]string{
		"pack.idx":  "objects/pack/pack-1.idx",
		"pack.pack": "objects/pack/pack-1.pack",
	} {
		b, err := os.ReadFile(filepath.Join("testdata/history", name))
		if err != nil {
			t.Fatal(err)
		}
		lay(t, filepath.Join(common, as), string(b))
	}
	return mem.Project{Common: common, Commit: ids[len(ids)-1]}, ids
}

// commit adds a loose commit to a repository, which is then the one checked out.
func commit(t *testing.T, p *mem.Project, message string) string {
	t.Helper()
	text := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
	if p.Commit != "" {
		text += "parent " + p.Commit + "\n"
	}
	text += "author n <e@example.com> 0 +0000\ncommitter n <e@example.com> 0 +0000\n\nparent of " + message + "\n"
	whole := fmt.Sprintf("commit %d\x00%s", len(text), text)
	sum := sha1.Sum([]byte(whole))
	id := hex.EncodeToString(sum[:])
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	_, _ = w.Write([]byte(whole))
	_ = w.Close()
	lay(t, filepath.Join(p.Common, "objects", id[:2], id[2:]), z.String())
	p.Commit = id
	return id
}

func wantFirst(t *testing.T, what string, p mem.Project, want string) {
	t.Helper()
	got, err := project.First(p)
	if err != nil || got != want || !project.Holds(p, want) {
		t.Errorf("%s: got %q, %v, holds %v; want %q", what, got, err, project.Holds(p, want), want)
	}
}

func TestTheFirstCommitIsFoundHoweverItIsKept(t *testing.T) {
	p := mem.Project{Common: t.TempDir()}
	first := commit(t, &p, "one")
	wantFirst(t, "one loose", p, first)
	for i := range 5 {
		commit(t, &p, fmt.Sprint(i))
	}
	wantFirst(t, "loose", p, first)

	packed, ids := packedHistory(t)
	wantFirst(t, "packed", packed, ids[0])
	commit(t, &packed, "on top")
	wantFirst(t, "both", packed, ids[0])
	for i, id := range ids {
		if !project.Holds(packed, id) {
			t.Errorf("commit %d is not found", i)
		}
	}

	clone := mem.Project{Common: t.TempDir(), Commit: packed.Commit}
	lay(t, filepath.Join(clone.Common, "objects/info/alternates"), filepath.Join(packed.Common, "objects")+"\n")
	wantFirst(t, "objects of another repository", clone, ids[0])

	lay(t, filepath.Join(packed.Common, "shallow"), ids[17]+"\n")
	wantFirst(t, "cut off", packed, ids[17])

	if project.Holds(p, ids[0]) {
		t.Error("another repository holds it")
	}
}

func TestWithoutACommitThereIsNoFirstOne(t *testing.T) {
	for _, p := range []mem.Project{{}, {Common: t.TempDir()}} {
		if got, err := project.First(p); got != "" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
	}
}

func TestAHistoryThatIsNotThereIsAnError(t *testing.T) {
	p := mem.Project{Common: t.TempDir(), Commit: strings.Repeat("ab", 20)}
	lay(t, filepath.Join(p.Common, "objects/info/packs"), "")
	if got, err := project.First(p); err == nil {
		t.Errorf("got %q", got)
	}
}

func TestADamagedHistoryIsAnErrorAndNoCrash(t *testing.T) {
	p, ids := packedHistory(t)
	for _, name := range []string{"pack-1.idx", "pack-1.pack"} {
		f := filepath.Join(p.Common, "objects/pack", name)
		whole, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(whole); at += 5 {
			bad := append([]byte{}, whole...)
			bad[at] ^= 0xff
			for _, b := range [][]byte{whole[:at], bad} {
				lay(t, f, string(b))
				_, _ = project.First(p) // whatever it says, it says it
			}
		}
		lay(t, f, string(whole))
	}
	wantFirst(t, "mended", p, ids[0])
}

func TestADifferenceOfItselfIsAnErrorAndNoCrash(t *testing.T) {
	id := strings.Repeat("\x01", 20)
	entry := "\x70" + id + strings.Repeat("x", 40) // a difference of the commit with that id
	var index bytes.Buffer
	index.WriteString("\xfftOc\x00\x00\x00\x02")
	for first := range 256 {
		index.Write([]byte{0, 0, 0, byte(min(first, 1))}) // commits whose id begins so, or lower
	}
	index.WriteString(id + "\x00\x00\x00\x00" + "\x00\x00\x00\x0c") // its sum, and its place
	p := mem.Project{Common: t.TempDir(), Commit: hex.EncodeToString([]byte(id))}
	lay(t, filepath.Join(p.Common, "objects/pack/pack-1.idx"), index.String())
	lay(t, filepath.Join(p.Common, "objects/pack/pack-1.pack"), "PACK\x00\x00\x00\x02\x00\x00\x00\x01"+entry)
	if got, err := project.First(p); err == nil || !strings.Contains(err.Error(), "too many parts") {
		t.Errorf("got %q, %v, want that it is put together of too many parts", got, err)
	}
}

// lay writes a file and the directories it lies in.
func lay(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
