package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
)

// The program of a test is called otherwise than ours.
func TestAProgramOfAnotherNameIsNotShownAsOneForHooks(t *testing.T) {
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	code := Main(t.Context(), config.System{
		Args: []string{"install", "claude-code"}, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out,
		Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Now: time.Now,
	})
	if said := out.String(); code != fault.ExitFailed || !strings.Contains(said, "\n  fix  give it the name remanence") ||
		strings.Contains(said, `"hooks"`) {
		t.Errorf("got status %d:\n%s\nwant the fix, and no hooks to paste", code, said)
	}
	if _, err := os.Lstat(filepath.Join(home, ".claude", "settings.json")); err == nil {
		t.Error("settings were written")
	}
}
