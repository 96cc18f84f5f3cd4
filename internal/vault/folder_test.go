package vault

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// copied returns a copy of a folder of testdata as a vault.
func copied(t *testing.T, name string) *Vault {
	t.Helper()
	v := newVault(t)
	if err := os.CopyFS(v.Dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	return v
}

func look(t *testing.T, v *Vault) vaultfile.Changes {
	t.Helper()
	var got vaultfile.Changes
	if err := v.Look(func() ([]mem.Note, error) {
		return nil, nil
	}, func(l vaultfile.Changes) error { got = l; return nil }); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAMindStoneFolderWorksAsItIs(t *testing.T) {
	v := copied(t, "mindstone")
	got := look(t, v)
	if len(got.Notes) != 2 || len(got.Bad) > 0 {
		t.Fatalf("got %+v", got)
	}
	r, f := got.Notes[0], got.Notes[1]
	if r.Hits != 7 || r.Caught != 2 || r.HalfLife != 60 || !r.Critical ||
		r.Invariant != "Sum in tenths of a cent and round once, at the end." || r.Projects[0] != "bakery" {
		t.Errorf("got %+v", r)
	}
	if f.Description != "Where they come from, and when." || !f.Evergreen || !f.LastApplied.IsZero() ||
		f.Body != "The mill publishes a list on Mondays." {
		t.Errorf("got %+v", f)
	}
	p, err := v.Pages(40)
	if err != nil || !strings.HasPrefix(p.Identity.Text, "# Identity") || !strings.HasPrefix(p.User.Text, "Mo runs") ||
		len(p.Log) != 3 {
		t.Errorf("got %+v, %v", p, err)
	}
	before, err := os.ReadFile(filepath.Join(v.Dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Init(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(filepath.Join(v.Dir, indexFile)); err != nil || string(after) != string(before) {
		t.Errorf("an index that is the person's became\n%s", after)
	}
}

func TestTheIndexStandsBetweenWhatIsThePersons(t *testing.T) {
	v := copied(t, "mindstone")
	if err := os.WriteFile(filepath.Join(v.Dir, indexFile), []byte("mine\n"+indexBegin+"\nold\n"+indexEnd+"\nmine too\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("very ", 60) + "long"
	for name, text := range map[string]string{
		"fact_long.md":   "---\nname: short\ndescription: " + long + "\n---\n",
		"fact_longer.md": "---\nname: " + long + "\n---\n", "fact_gone.md": "---\nname: hidden\nstatus: forgotten\n---\n",
	} {
		if err := os.WriteFile(filepath.Join(v.Dir, memoryDir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.WriteIndex(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(v.Dir, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if !strings.HasPrefix(text, "mine\n"+indexBegin+"\n- [") || !strings.HasSuffix(text, indexEnd+"\nmine too\n") ||
		strings.Contains(text, "hidden") || strings.Contains(text, "\nold\n") {
		t.Errorf("got\n%s", text)
	}
	if !strings.Contains(text, "\n- [short](memory/fact_long.md)\n") || !strings.Contains(text, "\n- [very very") {
		t.Errorf("a description goes before a name:\n%s", text)
	}
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSpace(line))); n > 160 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestWhatIsNoPlainFileOfThePersonsIsLeftOutAlone(t *testing.T) {
	v := copied(t, "mindstone")
	outside := filepath.Join(t.TempDir(), "x.md")
	if err := os.WriteFile(outside, []byte("name: secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(v.Dir, memoryDir)
	for _, err := range []error{
		os.Symlink(outside, filepath.Join(dir, "a_link.md")), os.Link(outside, filepath.Join(dir, "b_hard.md")),
		os.WriteFile(filepath.Join(dir, "c_large.md"), make([]byte, maxFile+1), 0o600),
		os.WriteFile(filepath.Join(dir, "d_merge.md"),
			[]byte("---\nname: x\n<<<<<<< HEAD\nhits: 3\n=======\nhits: 4\n>>>>>>> other\n---\nx\n"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := look(t, v)
	if len(got.Notes) != 2 || len(got.Bad) != 4 {
		t.Errorf("got %d notes and %+v", len(got.Notes), got.Bad)
	}
	for _, name := range []string{
		"memory/a_link.md", "memory/b_hard.md", "memory/d_merge.md", "memory/../../x.md",
		"../x.md", "USER.md",
	} {
		if _, err := v.Write(mem.Note{File: name}, vaultfile.NoteChange{Description: new("x"), Whole: true}); err == nil {
			t.Errorf("%s: written", name)
		}
	}
	if b, err := os.ReadFile(outside); err != nil || string(b) != "name: secret\n" {
		t.Errorf("outside holds %q, %v", b, err)
	}
	if err := v.Erase("memory/../USER.md"); err == nil {
		t.Error("erased a page")
	}
}

func TestHintsAreByPartOfThePathWhateverItsCase(t *testing.T) {
	for _, tt := range []struct {
		toml, dir string
		tags      string
		boost     float64
		bad       bool
	}{
		{"", "/code/shop", "", 0, false},
		{
			"[hints]\n\"WORK/shop\" = \"Shop\"\n\"/work\" = \"all\"\n\"till\" = \"shop\"\n", "/home/Work/Shop-till", "all shop",
			0, false,
		},
		{"[hints]\nx = 3\n\"\" = \"every\"\n[settings]\nmatch_boost = 3\n", "/x", "", 3, false},
		{"[settings]\nmatch_boost = -2.0\n", "/x", "", 0, false},
		{"[settings]\nmatch_boost = nan\n", "/x", "", 0, false},
		{"[settings]\nmatch_boost = \"5\"\n", "/x", "", 0, false},
		{"[hints\n", "/x", "", 0, true},
	} {
		v := newVault(t)
		if err := os.WriteFile(filepath.Join(v.Dir, hintsFile), []byte(tt.toml), 0o600); err != nil {
			t.Fatal(err)
		}
		h, err := v.Hints(tt.dir)
		if got := strings.Join(h.Tags, " "); got != tt.tags || h.Boost != tt.boost || (err != nil) != tt.bad {
			t.Errorf("%q: got %q, %v, %v", tt.toml, got, h.Boost, err)
		}
	}
}

func TestAPageOfCommentsIsNotCopiedForEach(t *testing.T) {
	text := strings.Repeat("a<!-- b -->", 10_000)
	if got := pageText(text); got != strings.Repeat("a", 10_000) {
		t.Errorf("got %.40q, %d characters", got, len(got))
	}
	if n := testing.AllocsPerRun(3, func() { pageText(text) }); n > 100 {
		t.Errorf("%.0f allocations for a page of 10,000 comments", n)
	}
}

func TestMemoryThatQuotesOurMarkersDoesNotEndTheIndex(t *testing.T) {
	v := copied(t, "mindstone")
	note := "---\nname: " + indexEnd + "\ndescription: " + indexBegin + "\n---\n"
	if err := errors.Join(
		os.WriteFile(filepath.Join(v.Dir, indexFile), []byte(indexBegin+"\n"+indexEnd+"\nmine\n"), 0o600),
		os.WriteFile(filepath.Join(v.Dir, memoryDir, "fact_lines.md"), []byte(note), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i := range texts {
		if err := v.WriteIndex(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(v.Dir, indexFile))
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	if texts[0] != texts[1] || !strings.HasSuffix(texts[0], indexEnd+"\nmine\n") {
		t.Errorf("got\n%s\nand then\n%s", texts[0], texts[1])
	}
}

func TestErasingWhereTheFolderIsGoneIsDone(t *testing.T) {
	v := newVault(t)
	if err := os.MkdirAll(v.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := v.Erase(memoryDir + "/fact_a.md"); err != nil {
		t.Errorf("got %v, want it gone already", err)
	}
}

func TestAFileKeepsItsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here")
	}
	v := copied(t, "mindstone")
	file := filepath.Join(v.Dir, indexFile)
	if err := errors.Join(os.WriteFile(file, []byte(indexBegin+"\n"+indexEnd+"\n"), 0o600),
		os.Chmod(file, 0o666)); err != nil {
		t.Fatal(err)
	}
	if err := v.WriteIndex(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("got %v, %v, want the mode that it had", info.Mode(), err)
	}
}

// TestAnIndexKeepsWhatIsNotListed: which files of a folder that holds too many
// are listed is up to the file system.
func TestAnIndexKeepsWhatIsNotListed(t *testing.T) {
	v := newVault(t)
	dir := filepath.Join(v.Dir, memoryDir)
	put := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	index := func() string {
		t.Helper()
		if err := v.WriteIndex(); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(v.Dir, indexFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		put(fmt.Sprintf("fact_%d.md", i), fmt.Sprintf("---\nname: \"the (%d)\"\n---\n", i))
	}
	before := index()
	for i := range maxFiles {
		put(fmt.Sprintf("%d.txt", i), "")
	}
	if got := index(); got != before {
		t.Errorf("got %d entries, want the %d that are there", strings.Count(got, "\n- "), strings.Count(before, "\n- "))
	}
	for i := range 300 {
		if err := os.Remove(filepath.Join(dir, fmt.Sprintf("fact_%d.md", i))); err != nil {
			t.Fatal(err)
		}
	}
	if got := index(); strings.Contains(got, "\n- ") {
		t.Errorf("got\n%s\nwant no entry of a file that is gone", got)
	}
}
