package daemon

import (
	"log/slog"
	"os"
	"sync"

	"remanence/internal/config"
	"remanence/internal/event"
)

// liveConfig is the current configuration. The file is read again when it changes.
type liveConfig struct {
	file   string
	getenv func(string) string
	log    *slog.Logger
	// Changed, if set, is called with every configuration but the first. It is set
	// before a second goroutine uses the value.
	OnChange func(config.Config)

	mu            sync.Mutex
	seen          os.FileInfo // nil: no file
	loaded        bool
	cfg           config.Config
	eventSettings event.Settings // of cfg: every event asks for them
}

func newLiveConfig(file string, getenv func(string) string, log *slog.Logger) *liveConfig {
	return &liveConfig{file: file, getenv: getenv, log: log}
}

func (l *liveConfig) Now() config.Config {
	cfg, news := l.reload()
	if news && l.OnChange != nil {
		l.OnChange(cfg)
	}
	return cfg
}

// settings returns the engine's part of the configuration.
func (l *liveConfig) settings() event.Settings {
	l.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.eventSettings
}

// reload returns the configuration, and whether it changed since the last call.
func (l *liveConfig) reload() (cfg config.Config, news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.file)
	if err != nil {
		info = nil
	}
	if l.loaded && sameFileState(l.seen, info) {
		return l.cfg, false
	}
	news = l.loaded
	if cfg, err = config.LoadConfig(l.file, l.getenv); err != nil {
		l.log.Warn("configuration", "error", err)
		cfg.Warnings = append(cfg.Warnings, err.Error())
		if l.loaded { // half an edit: what was in force stays
			cfg.Values = l.cfg.Values
		}
	}
	l.cfg, l.eventSettings, l.seen, l.loaded = cfg, cfg.Settings(), info, true
	return cfg, news
}

func sameFileState(a, b os.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
