package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestThePluginAndTheExtensionAreWrittenBelowTheDirectoryAlone(t *testing.T) {
	t.Chdir("../..")
	dir := t.TempDir()
	theirs, program := filepath.Join(dir, "gemini", "mine"), filepath.Join(dir, "program")
	if err := os.Mkdir(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{theirs, program} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := writePlugin(program, "1.2.3", filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"gemini/mine", "out/claude-code/.claude-plugin/plugin.json", "out/claude-code/bin/remanence",
		"out/gemini/README.md", "out/gemini/gemini-extension.json", "out/gemini/bin/remanence",
	} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
