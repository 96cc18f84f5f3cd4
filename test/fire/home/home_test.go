//go:build fire

// Package home proves what happens in the homes and projects of others: files
// that are not ours keep their bytes, what a project or a web page says moves
// nothing, and what was switched off stays off.
package home

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"remanence/test/world"
)

func TestMain(m *testing.M) {
	world.Slack = "20s"
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // much of it is waiting
	os.Exit(world.Main(m))
}

// tree is everything below some directories: modes, contents and what links say.
func tree(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			what := info.Mode().String()
			switch {
			case info.Mode().IsRegular():
				b, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				what += " " + string(b)
			case info.Mode().Type() == fs.ModeSymlink:
				to, _ := os.Readlink(file)
				what += " -> " + to
			}
			all[file] = what
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// same says how two trees differ.
func same(t *testing.T, when string, got, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-before +after):\n%s", when, diff)
	}
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newcomer is a person who never had Remanence, with settings of his own. His
// test runs beside others.
func newcomer(t *testing.T) (p *world.Person, temp string) {
	t.Helper()
	t.Parallel()
	temp, err := os.MkdirTemp("", "rem") // short enough for a socket in it, unlike one that is named after the test
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temp) }) // after the person has left
	p = world.NewPerson(t)
	if err := os.RemoveAll(filepath.Join(p.Home, ".local")); err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "TMPDIR="+temp)
	put(t, filepath.Join(p.Home, ".claude/settings.json"), settings)
	put(t, filepath.Join(p.Home, ".profile"), "export A=1\n")
	return p, temp
}

const settings = "\ufeff{ \"model\" : \"sonnet\",\r\n  \"big\": 9007199254740993, \"one\": 1.0,\n" +
	"\t\"hooks\": {\"Stop\": [ {\"hooks\":[{\"type\":\"command\", \"command\":\"true\"}]} ]}, \"model\": \"opus\"}"

// session plays a short session that leaves something behind.
func session(p *world.Person, id string) {
	p.T.Helper()
	for _, e := range []struct {
		name string
		set  map[string]any
	}{
		{"SessionStart.startup", map[string]any{"source": "startup"}},
		{"UserPromptSubmit", map[string]any{
			"prompt_id": id + "-1",
			"prompt":    "From now on we use table tests in this repo.",
		}},
		{"PostToolUse.Bash", map[string]any{"prompt_id": id + "-1", "tool_use_id": id + "-t1"}},
		{"Stop", map[string]any{
			"prompt_id":              id + "-1",
			"last_assistant_message": "I decided to use one mutex for each session instead of a global one.",
		}},
	} {
		e.set["session_id"] = id
		if a := p.Hook(p.Payload(e.name, e.set)); a.Status != 0 || len(a.Stderr) > 0 {
			p.T.Fatalf("%s: status %d, %s", e.name, a.Status, a.Stderr)
		}
	}
}

// late calls every hook of a session that began before.
func late(p *world.Person, id string) {
	p.T.Helper()
	for i, name := range world.Events(p.T) {
		set := map[string]any{"session_id": id, "prompt_id": fmt.Sprint(id, "-", i), "tool_use_id": fmt.Sprint(id, "-t", i)}
		if strings.HasPrefix(name, "SessionStart.startup") {
			continue // a client that starts now
		}
		if a := p.Hook(p.Payload(name, set)); a.Status != 0 || len(a.Stdout)+len(a.Stderr) > 0 {
			p.T.Errorf("%s: status %d, says %s%s", name, a.Status, a.Stdout, a.Stderr)
		}
	}
}
