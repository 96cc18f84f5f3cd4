package config

import "log/slog"

// LogLevel is the configured one.
func (c Config) LogLevel() slog.Level {
	var l slog.Level
	if l.UnmarshalText([]byte(Get[string](c, "log.level"))) != nil {
		return slog.LevelInfo
	}
	return l
}

// SpoolBytes is the configured cap of the spool.
func (c Config) SpoolBytes() int64 { return int64(Get[int](c, "spool.max_bytes")) }
