package transcript

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/chars"
)

// Bounds of what is read of a session's subagents.
const (
	maxSubagents = 500      // records looked at
	maxMeta      = 64 << 10 // bytes of what is said about one
)

// subagent is one that has a record of its own beside that of its session.
type subagent struct{ id, kind string }

// subagents reads the transcripts of subagents that were written since the first event read of the session. Earlier
// ones were read before. One that cannot be read is skipped.
func (c *eventReader) subagents(ctx context.Context, record string) error {
	dir := subagentDir(record)
	if info, err := os.Lstat(dir); c.first.IsZero() || err != nil || !info.IsDir() {
		return nil //nolint:nilerr // most sessions have none
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil //nolint:nilerr // likewise
	}
	looked := 0
	for _, entry := range entries {
		name, isRecord := strings.CutSuffix(entry.Name(), ".jsonl")
		id, isAgent := strings.CutPrefix(name, "agent-")
		if !isRecord || !isAgent || id == "" || looked == maxSubagents {
			continue
		}
		// the clock of files is the coarser one
		if info, err := entry.Info(); err != nil || info.ModTime().Before(c.first.Add(-time.Second)) {
			continue
		}
		looked++
		if err := c.subagent(ctx, filepath.Join(dir, "agent-"+id), id); err != nil {
			return err
		}
	}
	return nil
}

// subagent reads one record; path is without its ending.
func (c *eventReader) subagent(ctx context.Context, path, id string) error {
	f, _, err := open(path + ".jsonl")
	if err != nil {
		return nil //nolint:nilerr // no plain file, or gone
	}
	defer f.Close()
	own := eventReader{
		Past: c.Past, session: c.session, until: c.until, give: c.give, calls: map[string]block{}, hidden: c.hidden,
		agent: subagent{id, kindOf(path + ".meta.json")},
	}
	return own.read(ctx, &lineReader{r: bufio.NewReaderSize(f, 64<<10)})
}

// kindOf is the type of a subagent by the file about it; "" if that does not say.
func kindOf(path string) string {
	f, _, err := open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var about struct {
		Type string `json:"agentType"`
	}
	err = json.NewDecoder(io.LimitReader(f, maxMeta)).Decode(&about)
	if err != nil && !errors.Is(err, io.EOF) {
		return ""
	}
	return chars.Clip(chars.Line(about.Type), maxID)
}

// subagentDir is the folder with the transcripts of a session's subagents.
func subagentDir(record string) string {
	return filepath.Join(strings.TrimSuffix(record, ".jsonl"), "subagents")
}
