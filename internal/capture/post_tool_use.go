package capture

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Bounds of captured text, in characters.
const (
	maxCaptured = mem.MemoriesCounted // memories of tools a session makes; further calls stay events

)

// DropResponse removes the tool's response from the event and keeps its size in tokens.
func DropResponse(m *event.Context) {
	m.ResponseTokens, m.Response = chars.Tokens(string(m.Response)), nil
}

// Observe adds a memory of a tool call unless the tool is on the skip list or the
// session has reached its limit.
func (s *Service) Observe(ctx context.Context, m *event.Context, mm mem.Memory) {
	if slices.Contains(m.Settings.SkipTools, m.Tool) {
		return
	}
	if m.SessionInfo.Memories >= maxCaptured {
		full, err := s.Store.List(
			ctx,
			mem.Query{Session: m.Session, Tags: []string{extract.AutoCaptured}, Offset: maxCaptured - 1, Limit: 1},
		)
		if err != nil || len(full) > 0 {
			return
		}
	}
	m.Add(mm)
}

// OwnCall reports whether the call uses Remanence itself: its tools, command line or
// files. Injected text must not become a memory again.
func (s *Service) OwnCall(m *event.Context) bool {
	if strings.HasPrefix(m.Tool, "mcp__") && strings.Contains(m.Tool, "remanence") || m.Tool == "ToolSearch" {
		return true
	}
	in := extract.Fields(m.Input)
	if extract.RunsRemanence(extract.Text(in["command"])) {
		return true
	}
	file := cmp.Or(extract.Text(in["file_path"]), extract.Text(in["path"]))
	return slices.ContainsFunc(s.OwnDirs, func(dir string) bool { return extract.Within(dir, file) })
}
