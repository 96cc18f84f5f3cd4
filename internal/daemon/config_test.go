package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/config"
)

func TestAChangeOfTheFileIsReportedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	live := newLiveConfig(file, environment(nil), slog.New(slog.DiscardHandler))
	var levels []slog.Level
	live.Now()
	live.OnChange = func(c config.Config) { levels = append(levels, c.LogLevel()) }
	live.Now()
	if err := os.WriteFile(file, []byte("log.level = 'debug'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	live.Now()
	live.Now()
	if len(levels) != 1 || levels[0] != slog.LevelDebug {
		t.Errorf("got levels %v, want one change, to debug", levels)
	}
}
