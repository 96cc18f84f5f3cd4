package setup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"remanence/test/golden"
)

func TestThePluginRunsTheLeanHooks(t *testing.T) {
	golden.Compare(t, "testdata/plugin-hooks.json", PluginHooks())
}

func TestPasteIsAWholeSettingsFile(t *testing.T) {
	golden.Compare(t, "testdata/paste.json", Paste(entries(t, Full, `C:\Program Files\remanence.exe`)))
}

func TestSilentHooksWhatLeanHooks(t *testing.T) {
	lean, silent, none := entries(t, Lean, binary), entries(t, Silent, binary), entries(t, "", binary)
	if len(lean) != 13 || len(silent) != 13 || len(none) != 13 || len(entries(t, Full, binary)) != 16 {
		t.Errorf("got %d lean, %d silent, %d by default; want 13 each and 16 full", len(lean), len(silent), len(none))
	}
	if _, err := Entries("loud", binary); err == nil {
		t.Error("an unknown profile was taken")
	}
}

func TestOursIsOnlyWhatAnInstallationWrote(t *testing.T) {
	args := []string{"hook", "claude-code"}
	cases := []struct {
		command string
		args    []string
		want    bool
	}{
		{"/usr/bin/remanence", args, true},
		{"remanence", args, true},
		{"${CLAUDE_PLUGIN_ROOT}/bin/remanence", args, true},
		{`C:\Program Files\Remanence\Remanence.EXE`, args, true},
		{"/usr/bin/remanence", []string{"hook", "claude-code", "session-start"}, true},
		{"/usr/bin/remanence", []string{"hook", "codex"}, false},
		{"/usr/bin/remanence", []string{"search"}, false},
		{"/usr/bin/remanence", nil, false},
		{"/usr/bin/remanence-dev", args, false},
		{"/remanence/notify.sh", args, false},
		{`"/a b/remanence" hook claude-code`, nil, true},
		{"'/a b/remanence' hook claude-code stop", nil, true},
		{`"/home/o'neil/remanence" hook claude-code`, nil, true},
		{`'/a/"b"/remanence' hook claude-code`, nil, true},
		{"/a/remanence hook claude-code", nil, true},
		{" remanence.exe hook claude-code ", nil, true},
		{"/a/remanence hook claude-codex", nil, false},
		{"/a/remanence hook claude-code && say done", nil, false},
		{"say done; /a/remanence hook claude-code", nil, false},
		{`"/a/notify" "/a/remanence" hook claude-code`, nil, false},
		{"echo remanence hook claude-code", nil, false},
		{"", nil, false},
	}
	for _, c := range cases {
		if got := Ours(Handler{Type: "command", Command: c.command, Args: c.args}); got != c.want {
			t.Errorf("%q %v: got %v, want %v", c.command, c.args, got, c.want)
		}
		if Ours(Handler{Type: "prompt", Command: c.command, Args: c.args}) {
			t.Errorf("%q %v: a prompt was taken for ours", c.command, c.args)
		}
	}
}

func TestAShellRunsTheHookOfEveryPath(t *testing.T) {
	for _, name := range []string{
		"plain", "with blanks", "o'neil", "$HOME", "`true`", `\\server\share`, `a\b`, `a "quoted" word`, "a;b&c", "é",
	} {
		dir := filepath.Join(t.TempDir(), name)
		m := writeProgram(t, filepath.Join(dir, "remanence"))
		if err := checkBinary(m); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, e := range entries(t, Lean, m)[:1] {
			out, err := exec.Command("/bin/sh", "-c", e.Command).CombinedOutput()
			if err != nil || string(out) != "hook claude-code\n" {
				t.Errorf("%s: sh -c %s: got %q, %v", name, e.Command, out, err)
			}
			if h := (Handler{Type: "command", Command: e.Command}); !Ours(h) || programOf(h) != m {
				t.Errorf("%s: %s is not recognised; its program is %q", name, e.Command, programOf(h))
			}
		}
	}
	if err := checkBinary(`/a "b" o'c/remanence`); !errors.Is(err, ErrBinary) {
		t.Errorf("both kinds of quotation marks: got %v, want %v", err, ErrBinary)
	}
}

// writeProgram writes a program that prints its arguments.
func writeProgram(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
