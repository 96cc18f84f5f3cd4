package cli

import (
	"log/slog"
	"os"
	"sync"
)

// liveConfig is the configuration as the file has it now. The file is read
// again when it changes.
type liveConfig struct {
	file   string
	getenv func(string) string
	log    *slog.Logger

	mu   sync.Mutex
	seen os.FileInfo // nil: no file
	have bool
	cfg  Config
}

func newLiveConfig(file string, getenv func(string) string, log *slog.Logger) *liveConfig {
	return &liveConfig{file: file, getenv: getenv, log: log}
}

func (l *liveConfig) now() Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.file)
	if err != nil {
		info = nil
	}
	if l.have && sameFileState(l.seen, info) {
		return l.cfg
	}
	cfg, err := LoadConfig(l.file, l.getenv)
	if err != nil {
		l.log.Warn("configuration", "error", err)
		cfg.Warnings = append(cfg.Warnings, err.Error())
		if l.have { // half an edit: what was in force stays
			cfg.Values = l.cfg.Values
		}
	}
	l.cfg, l.seen, l.have = cfg, info, true
	return cfg
}

func sameFileState(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
