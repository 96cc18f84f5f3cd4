package worker

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASocketThatFitsNowhereSaysWhy(t *testing.T) {
	deep := filepath.Join(t.TempDir(), strings.Repeat("d", maxSocketPath()))
	if err := os.Mkdir(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", deep)
	t.Setenv("TMP", deep)
	l, _, err := listen("data", []string{deep}, slog.New(slog.DiscardHandler))
	if err == nil {
		_ = l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "too long for a socket") {
		t.Errorf("error %v", err)
	}
}
