//go:build backends && linux

package backends

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"remanence/test/world"
)

// lines returns the lines of an export in one order: those of a table come in any.
func lines(text string) []string {
	out := strings.Split(text, "\n")
	slices.Sort(out)
	return out
}

// files returns the contents of all files below a directory by their names.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var text []byte
			text, err = os.ReadFile(file)
			out[strings.TrimPrefix(file, dir)] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// must returns a value, or ends the test.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// exports returns what is exported: all, a part of it, and Markdown files of the project.
func exports(t *testing.T, p *world.Person, name string) (all, part []string, notes map[string]string) {
	t.Helper()
	dir := filepath.Join(p.Home, name)
	run := func(args ...string) string {
		return p.Run(append([]string{"--no-daemon", "export", "--format"}, args...)...)
	}
	all = lines(run("jsonl"))
	part = lines(run("jsonl", "--project", filepath.Base(p.Project), "--since", "2d"))
	run("markdown", "--project", filepath.Base(p.Project), "-o", dir)
	return all, part, files(t, dir)
}

func TestAnExportIsTheSameFromTheFileAndFromTheServer(t *testing.T) {
	t.Parallel()
	p, server := newMover(t, 300)
	live(t, p)
	enrich(t, p)
	p.StopWorker() // it would go on writing
	all, part, notes := exports(t, p, "from-file")
	move(t, p, server.DSN())
	gotAll, gotPart, gotNotes := exports(t, p, "from-server")
	if !slices.Equal(all, gotAll) {
		t.Errorf("all: %s", firstDifference(strings.Join(all, "\n"), strings.Join(gotAll, "\n")))
	}
	if !slices.Equal(part, gotPart) || len(part) >= len(all) || len(part) < 10 {
		t.Errorf("a part, %d of %d: %s", len(part), len(all),
			firstDifference(strings.Join(part, "\n"), strings.Join(gotPart, "\n")))
	}
	if len(notes) < 10 || len(notes) != len(gotNotes) {
		t.Errorf("%d and %d notes", len(notes), len(gotNotes))
	}
	for name, text := range notes {
		if gotNotes[name] != text {
			t.Errorf("%s\nfile: %s\nserver: %s", name, text, gotNotes[name])
		}
	}
}

// imported is what an import said.
type imported struct {
	Rows, Known map[string]int
	ID, Backup  string
}

func importFile(t *testing.T, p *world.Person, file string) (v imported) {
	t.Helper()
	out := p.Run("import", file, "--json")
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return v
}

func TestAnExportIsTakenOverByAServer(t *testing.T) {
	t.Parallel()
	p, server := newMover(t, 300)
	live(t, p)
	file := filepath.Join(p.Home, "all.jsonl")
	p.Run("--no-daemon", "export", "--format", "jsonl", "-o", file)
	before := lines(string(must(os.ReadFile(file))(t)))
	p.StopWorker()
	p.Run("config", "set", "store.dsn", server.DSN())
	got := importFile(t, p, file)
	if got.Rows["memory"] < 300 || got.ID == "" || got.Backup != "" {
		t.Fatalf("taken over: %+v", got)
	}
	if after := lines(p.Run("--no-daemon", "export", "--format", "jsonl")); !slices.Equal(before, after) {
		t.Errorf("another export: %s", firstDifference(strings.Join(before, "\n"), strings.Join(after, "\n")))
	}
	if again := importFile(t, p, file); again.Rows["memory"] != 0 || again.Known["memory"] != got.Rows["memory"] {
		t.Errorf("taken over twice: %+v", again)
	}
	found(t, p, "till five cents")
	p.Run("add", "the scales are calibrated on Mondays") // whose id is new
	found(t, p, "scales calibrated")
	p.Run("import", "--undo", got.ID)
	if out := p.Run("search", "till five cents"); strings.Contains(out, "five cents") {
		t.Errorf("after the import was undone: %s", out)
	}
	found(t, p, "scales calibrated")
}

// Half a file changes nothing, and a server that is away is named as what it is.
func TestAnImportIntoAServerIsWholeOrNone(t *testing.T) {
	t.Parallel()
	p, server := newMover(t, 50)
	text := export(t, p)
	file := filepath.Join(p.Home, "half.jsonl")
	if err := os.WriteFile(file, []byte(text[:len(text)/2]), 0o600); err != nil {
		t.Fatal(err)
	}
	p.StopWorker()
	p.Run("config", "set", "store.dsn", server.DSN())
	out, err := p.Command("import", file).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "nothing was changed") {
		t.Errorf("half a file: %v, %s", err, out)
	}
	if n, err := server.Query("remanence", "SELECT (SELECT count(*) FROM remanence.memory) + "+
		"(SELECT count(*) FROM remanence.session) + (SELECT count(*) FROM remanence.project)"); n != "0" {
		t.Errorf("%s rows are there, %v", n, err)
	}
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Start() }() // it is stopped when the test has ended
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"import", file}, {"export", "--format", "jsonl"}} {
		out, err := p.Command(args...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "REM-S020") {
			t.Errorf("%v without a server: %v, %s", args, err, out)
		}
	}
}
