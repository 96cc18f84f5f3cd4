package transcript

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Bounds of what List reads of one transcript, in bytes.
const (
	maxHead = 4 << 20
	minEnd  = 16 << 10 // looked at first
	maxEnd  = 4 << 20
)

// places are where other clients keep their transcripts, below the person's home directory.
func places() map[string][]string {
	return map[string][]string{
		codexClient:   {".codex/sessions/*/*/*/rollout-*.jsonl", ".codex/archived_sessions/rollout-*.jsonl"},
		geminiClient:  {".gemini/tmp/*/chats/session-*.jsonl"},
		copilotClient: {".copilot/session-state/*/events.jsonl"},
		qwenClient:    {".qwen/projects/*/chats/*.jsonl"},
	}
}

// List returns the transcripts of sessions below the folder of Claude Code's projects, and those of other clients below
// a home directory, those that ended last first. An empty home has none. Transcripts of subagents, files that hold no
// conversation and files that cannot be read are left out. A folder that does not exist has none. An error may come
// with those that were found.
func List(ctx context.Context, projects, home string) ([]mem.TranscriptFile, error) {
	out, err := listClaude(projects)
	if err != nil {
		return nil, err
	}
	if home != "" {
		for client, patterns := range places() {
			for _, pattern := range patterns {
				out = append(out, listOther(client, os.DirFS(home), home, pattern)...)
			}
		}
		var more []mem.TranscriptFile
		more, err = listOpenCode(ctx, home)
		out = append(out, more...)
	}
	slices.SortFunc(out, func(a, b mem.TranscriptFile) int {
		return cmp.Or(b.Ended.Compare(a.Ended), strings.Compare(a.Session, b.Session), strings.Compare(a.Path, b.Path))
	})
	return out, err
}

// listOther lists the transcripts of another client.
func listOther(client string, files fs.FS, home, pattern string) (out []mem.TranscriptFile) {
	paths, _ := fs.Glob(files, pattern) // of a pattern that is well formed
	for _, path := range paths {
		t := mem.TranscriptFile{Agent: client, Path: filepath.Join(home, filepath.FromSlash(path))}
		if readEnds(&t) == nil && !t.Began.IsZero() && t.Session != "" {
			out = append(out, t)
		}
	}
	return out
}

// listClaude lists the transcripts of Claude Code.
func listClaude(projects string) ([]mem.TranscriptFile, error) {
	dirs, err := os.ReadDir(projects)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list transcripts: %w", err)
	}
	var out []mem.TranscriptFile
	for _, dir := range dirs {
		entries, err := os.ReadDir(filepath.Join(projects, dir.Name()))
		if err != nil {
			continue // no folder, or closed to us
		}
		for _, entry := range entries {
			session, isRecord := strings.CutSuffix(entry.Name(), ".jsonl")
			if !isRecord || session == "" || strings.HasPrefix(session, "agent-") || !entry.Type().IsRegular() {
				continue // clients of before 2.1 keep subagents there
			}
			path := filepath.Join(projects, dir.Name(), entry.Name())
			t := mem.TranscriptFile{Agent: claudeClient, Session: session, Path: path}
			if readEnds(&t) == nil && !t.Began.IsZero() {
				out = append(out, t)
			}
		}
	}
	return out, nil
}

// readEnds sets what the first and the last lines of a transcript say.
func readEnds(t *mem.TranscriptFile) error {
	f, size, err := open(t.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	t.Bytes = size + subagentBytes(t.Path)
	if err := readHead(t, f); err != nil || t.Began.IsZero() {
		return err
	}
	t.Ended = t.Began
	for n := int64(minEnd); n <= maxEnd; n *= 4 {
		b := make([]byte, min(size, n))
		if _, err := f.ReadAt(b, size-int64(len(b))); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if at := newestStamp(b); at.After(t.Began) {
			t.Ended = at
			break
		}
		if size <= n {
			break
		}
	}
	return nil
}

// newestStamp returns the time of the last line that has one; the zero time if none has.
func newestStamp(b []byte) time.Time {
	for len(b) > 0 {
		i := bytes.LastIndexByte(b, '\n') + 1
		var r struct {
			Timestamp string `json:"timestamp"`
		}
		if json.Unmarshal(b[i:], &r) == nil && r.Timestamp != "" {
			return stampOf(r.Timestamp)
		}
		b = b[:max(0, i-1)]
	}
	return time.Time{}
}

// readHead reads up to the first message of the conversation.
func readHead(t *mem.TranscriptFile, f io.Reader) error {
	var reader Reader
	lines := lineReader{r: bufio.NewReaderSize(f, 64<<10)}
	for read := int64(0); read < maxHead; {
		line, n, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		read += n
		records, _ := reader.records(line)
		t.Session = cmp.Or(t.Session, reader.session)
		t.Cwd = cmp.Or(t.Cwd, reader.cwd)
		for _, r := range records {
			t.Cwd = cmp.Or(t.Cwd, r.Cwd)
			if (r.Type == "user" || r.Type == "assistant") && !r.Sidechain && t.Cwd != "" && !stamp(r).IsZero() {
				t.Began = stamp(r)
				return nil
			}
		}
	}
	return nil
}

// subagentBytes is the size of the transcripts of a session's subagents.
func subagentBytes(record string) (n int64) {
	entries, err := os.ReadDir(subagentDir(record))
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasSuffix(entry.Name(), ".jsonl") {
			n += info.Size()
		}
	}
	return n
}
