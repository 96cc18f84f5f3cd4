// Package foreign reads what other memory tools stored, in the forms in which they leave it: databases of claude-mem
// and engram, a dump of the SurrealDB plugin, notes in Markdown (those of basic-memory, of a vault, and Claude Code's
// own), state files, and JSON. It recognises the form, writes nothing, and decides nothing: what it returns is
// redacted, matched to projects and trusted by others. Start reading at [Read].
package foreign

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"remanence/internal/api"
	"remanence/internal/store/sqlite"
)

// MaxFile bounds what is read of a file, in bytes.
const MaxFile = 256 << 20

// ErrTooLarge is the error of a file with more than MaxFile bytes.
var ErrTooLarge = errors.New("too large")

// Read reads a file, or a folder if in is nil. name is its path; "" means standard input.
func Read(ctx context.Context, name string, in io.Reader) (api.ExportedMemories, error) {
	if in == nil {
		return readFolder(name)
	}
	within := &io.LimitedReader{R: in, N: MaxFile}
	out, err := readFile(ctx, name, bufio.NewReader(within))
	if within.N <= 0 {
		err = ErrTooLarge
	}
	return out, err
}

func readFile(ctx context.Context, name string, in *bufio.Reader) (api.ExportedMemories, error) {
	head, _ := in.Peek(512) // as much as there is
	switch {
	case string(head[:min(len(head), len(sqlite.Magic))]) == sqlite.Magic && name != "":
		return readTables(ctx, name)
	case strings.EqualFold(filepath.Ext(name), ".md"):
		return readNoteFile(name, in)
	case isSurrealQL(name, head):
		b, err := io.ReadAll(in)
		if err != nil {
			return api.ExportedMemories{}, err
		}
		return readSurrealQL(string(b))
	}
	return api.ReadExport(in)
}

func empty() api.ExportedMemories {
	return api.ExportedMemories{LeftOut: map[string]int{}, Dirs: map[string][]string{}}
}

// readTables reads a database of claude-mem or engram as an export, and counts the rows of tables that are not read.
func readTables(ctx context.Context, file string) (api.ExportedMemories, error) {
	others, err := sqlite.RowCounts(ctx, file)
	if err != nil {
		return api.ExportedMemories{}, err
	}
	names := map[string]string{"observations": "observations", "session_summaries": "summaries", "user_prompts": "prompts"}
	if _, isClaudeMem := others["sdk_sessions"]; isClaudeMem {
		names["sdk_sessions"] = "sessions"
	} else {
		names["sessions"] = "sessions"
	}
	tables, err := sqlite.Tables(ctx, file, names)
	if err != nil {
		return api.ExportedMemories{}, err
	}
	export, err := json.Marshal(tables)
	if err != nil {
		return api.ExportedMemories{}, err
	}
	out, err := api.ReadExport(bytes.NewReader(export))
	maps.DeleteFunc(others, func(table string, _ int) bool { return names[table] != "" })
	for table, n := range others {
		out.Drop("rows of "+table, "no table that memories are taken from", n)
	}
	return out, err
}

// readFolder reads state files, or the notes of a folder.
func readFolder(dir string) (api.ExportedMemories, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return api.ExportedMemories{}, err
	}
	if _, err := os.Stat(filepath.Join(dir, "STATE.md")); err == nil && filepath.Base(dir) == mindFolder {
		return readMind(filepath.Dir(dir))
	}
	if _, err := os.Stat(filepath.Join(dir, mindFolder, "STATE.md")); err == nil {
		return readMind(dir)
	}
	out, err := readNotes(dir)
	if err != nil {
		return out, fmt.Errorf("read folder: %w", err)
	}
	return out, nil
}
