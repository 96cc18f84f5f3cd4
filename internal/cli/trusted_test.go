package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/daemon"
	"remanence/internal/mem"
	"remanence/internal/mind"
	"remanence/internal/project"
)

// lay writes a file and the directories above it.
func lay(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func identified(t *testing.T, dir string) mem.Project {
	t.Helper()
	p, err := project.Identify(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTrustIsOfOnePlaceAndOneRepository(t *testing.T) {
	m := newMachine(t)
	dir := filepath.Join(t.TempDir(), "shop")
	lay(t, filepath.Join(dir, ".mind/STATE.md"), "# S\n\n## Current Phase\nx\n")
	book := &daemon.TrustList{Paths: m.Paths}
	if book.Trusts(identified(t, dir)) {
		t.Error("trusted before anybody said so")
	}
	if _, err := daemon.TrustProject(m.Paths, identified(t, dir), "", time.Now()); err != nil {
		t.Fatal(err)
	}
	if !book.Trusts(identified(t, dir)) {
		t.Error("not trusted")
	}
	if other := filepath.Join(t.TempDir(), "shop"); os.CopyFS(other, os.DirFS(dir)) != nil ||
		book.Trusts(identified(t, other)) {
		t.Error("a copy elsewhere is trusted")
	}
	here, elsewhere := identified(t, dir), identified(t, dir)
	elsewhere.Common = filepath.Join(dir, ".git")
	if elsewhere.Commit = "5464ea99c86096a31bfef16330e3117d7d8da2e9"; book.Trusts(elsewhere) {
		t.Error("a repository in the place of what was none is trusted")
	}
	if _, ok, err := daemon.DistrustProject(m.Paths, here); !ok || err != nil || book.Trusts(here) {
		t.Errorf("revoked: %v, %v, trusted %v", ok, err, book.Trusts(here))
	}
}

func TestAnotherFirstCommitAsksAgain(t *testing.T) {
	m := newMachine(t)
	dir := t.TempDir()
	history := "../project/testdata/history/"
	lay(t, filepath.Join(dir, ".git/HEAD"), "1041ef788003cb4eef248283195b3d02f5d7a906\n")
	lay(t, filepath.Join(dir, ".git/refs/heads/.keep"), "")
	for _, end := range []string{"idx", "pack"} {
		b, err := os.ReadFile(history + "pack." + end)
		if err != nil {
			t.Fatal(err)
		}
		lay(t, filepath.Join(dir, ".git/objects/pack/pack-1."+end), string(b))
	}
	p := identified(t, dir)
	got, err := daemon.TrustProject(m.Paths, p, "", time.Now())
	if err != nil || got.First != "5464ea99c86096a31bfef16330e3117d7d8da2e9" || !got.Covers(p) {
		t.Fatalf("got %+v, %v", got, err)
	}
	book := &daemon.TrustList{Paths: m.Paths}
	if !book.Trusts(p) {
		t.Error("not trusted")
	}
	if err := os.Remove(filepath.Join(dir, ".git/objects/pack/pack-1.idx")); err != nil {
		t.Fatal(err)
	}
	p.Commit = "9a180127d56869d22fe848928c25efed3c02238d" // another one is checked out
	if book.Trusts(p) {
		t.Error("a repository that does not hold the first commit is trusted")
	}
}

func TestWhatThisMachineMadeIsTrustedAlsoAfterTheFirstCommit(t *testing.T) {
	m := newMachine(t)
	dir := t.TempDir()
	if _, err := mind.Init(dir, "default", "a mark"); err != nil {
		t.Fatal(err)
	}
	p := identified(t, dir)
	if _, err := daemon.TrustProject(m.Paths, p, "a mark", time.Now()); err != nil {
		t.Fatal(err)
	}
	p.Common, p.Commit = filepath.Join(dir, ".git"), "9a180127d56869d22fe848928c25efed3c02238d"
	if book := (&daemon.TrustList{Paths: m.Paths}); !book.Trusts(p) {
		t.Error("it asks again after the first commit")
	}
	lay(t, filepath.Join(dir, ".mind/.origin"), "another mark\n")
	if book := (&daemon.TrustList{Paths: m.Paths}); book.Trusts(p) {
		t.Error("files of another origin are trusted")
	}
}

func TestADamagedListTrustsNoDirectory(t *testing.T) {
	m := newMachine(t)
	dir := t.TempDir()
	lay(t, m.Paths.TrustedFile(), `[{"root": "`+identified(t, dir).Root+`"`)
	if (&daemon.TrustList{Paths: m.Paths}).Trusts(identified(t, dir)) {
		t.Error("trusted")
	}
	if _, err := daemon.TrustProject(m.Paths, identified(t, dir), "", time.Now()); err == nil {
		t.Error("a list that cannot be read was written over")
	}
}
