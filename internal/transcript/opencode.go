package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"remanence/internal/agent"
	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// openCodeFile is the database with all sessions of OpenCode, below the home directory. A session has the path of a
// file in it: the database, and the id of the session.
const openCodeFile = ".local/share/opencode/opencode.db"

const (
	openCodeWithin = 10 * time.Second // for one query
	maxOpenCode    = MaxRead          // bytes read of one session, from its beginning
)

// openCodeSession returns the database and the session that a path names.
func openCodeSession(path string) (file, session string, ok bool) {
	file, session = filepath.Split(path)
	file = filepath.Clean(file)
	return file, session, filepath.Base(file) == filepath.Base(openCodeFile)
}

// listOpenCode lists the sessions in OpenCode's database, without those of subagents. One that does not exist or has
// another form has none. One that is locked is an error, since its sessions are not gone.
func listOpenCode(ctx context.Context, home string) (out []mem.TranscriptFile, err error) {
	file := filepath.Join(home, filepath.FromSlash(openCodeFile))
	const sessions = `SELECT s.id, s.directory, min(m.time_created) AS began, max(m.time_updated) AS ended,
			(SELECT sum(octet_length(data)) FROM part WHERE session_id = s.id) AS bytes
		FROM session s JOIN message m ON m.session_id = s.id WHERE s.parent_id IS NULL GROUP BY s.id`
	err = queryOpenCode(ctx, file, sessions, nil, func(row map[string]any) error {
		t := mem.TranscriptFile{
			Agent: openCodeClient, Path: filepath.Join(file, text(row["id"])), Session: text(row["id"]),
			Cwd: text(row["directory"]), Bytes: number(row["bytes"]),
			Began: time.UnixMilli(number(row["began"])).UTC(), Ended: time.UnixMilli(number(row["ended"])).UTC(),
		}
		if t.Session == filepath.Base(t.Session) && t.Cwd != "" && t.Bytes > 0 {
			out = append(out, t)
		}
		return nil
	})
	if errors.Is(err, mem.ErrLocked) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return nil, err
	}
	return out, nil //nolint:nilerr // as of other files that cannot be read
}

// openCodeLine is a part of a message of OpenCode, in the order in which they were written.
type openCodeLine struct {
	Part    json.RawMessage `json:"openCodePart"`
	ID      string          `json:"id"`
	Of      string          `json:"messageID"`
	At      int64           `json:"time"` // in milliseconds since 1970
	About   json.RawMessage `json:"about"`
	Session string          `json:"session"`
	Cwd     string          `json:"directory"`
}

// errEnough ends a reading at its bound.
var errEnough = errors.New("enough")

// openOpenCode returns a session of OpenCode as JSON lines, one for each part of a message. A part that is longer than
// a line may be is left out.
func openOpenCode(file, session string) (source, int64, error) {
	const parts = `SELECT p.id, p.message_id, p.time_created, p.data, m.data AS about, s.directory
		FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = p.session_id
		WHERE p.session_id = ? AND octet_length(p.data) < ? ORDER BY m.time_created, m.id, p.id`
	var b bytes.Buffer
	args := []any{session, MaxLine}
	err := queryOpenCode(context.Background(), file, parts, args, func(row map[string]any) error {
		part, about := []byte(text(row["data"])), []byte(text(row["about"]))
		if !json.Valid(part) || !json.Valid(about) {
			return nil
		}
		b.Write(marshal(openCodeLine{
			Part: part, ID: text(row["id"]), Of: text(row["message_id"]), At: number(row["time_created"]), About: about,
			Session: session, Cwd: text(row["directory"]),
		}))
		b.WriteByte('\n')
		if b.Len() > maxOpenCode {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, 0, err
	}
	return inMemory{bytes.NewReader(b.Bytes())}, int64(b.Len()), nil
}

// inMemory is a record that is no file.
type inMemory struct{ *bytes.Reader }

func (inMemory) Close() error { return nil }

var _ io.Closer = inMemory{}

// queryOpenCode reads rows of a database of OpenCode, which has to be a file that open would open.
func queryOpenCode(ctx context.Context, file, query string, args []any, give func(map[string]any) error) error {
	f, _, err := fsx.Open(fsx.Host{}, file, fsx.Options{OneName: true, NoPollable: true})
	if err != nil {
		return err
	}
	defer f.Close()
	ctx, done := context.WithTimeout(ctx, openCodeWithin)
	defer done()
	if err := sqlite.Query(ctx, file, query, args, give); err != nil {
		return fmt.Errorf("read sessions of OpenCode: %w", err)
	}
	return nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func number(v any) int64 {
	n, _ := v.(int64)
	return n
}

// openCode reads a part of a message.
func (d *Reader) openCode(l openCodeLine) []record {
	d.session, d.cwd = l.Session, l.Cwd
	var about struct {
		Role    string          `json:"role"`
		Finish  string          `json:"finish"`
		Summary json.RawMessage `json:"summary"`
	}
	var part struct {
		Type      string `json:"type"`
		Text      string `json:"text"`
		Synthetic bool   `json:"synthetic"` // written by the client or a plugin
		Tool      string `json:"tool"`
		CallID    string `json:"callID"`
		State     struct {
			Status   string          `json:"status"`
			Input    json.RawMessage `json:"input"`
			Output   string          `json:"output"`
			Error    string          `json:"error"`
			Metadata json.RawMessage `json:"metadata"`
		} `json:"state"`
	}
	if json.Unmarshal(l.About, &about) != nil || json.Unmarshal(l.Part, &part) != nil || part.Synthetic ||
		about.Role == Assistant && string(about.Summary) == "true" { // what a compaction wrote
		return nil
	}
	at := time.UnixMilli(l.At).UTC().Format(time.RFC3339Nano)
	switch {
	case part.Type == "text" && about.Role == User:
		return []record{said(User, l.Of, at, message{}, block{Type: "text", Text: agent.Unquoted(part.Text)})}
	case part.Type == "text" && about.Role == Assistant:
		m := message{ID: l.Of}
		if about.Finish == "stop" {
			m.StopReason = "end_turn"
		}
		return []record{said(Assistant, l.ID, at, m, block{Type: "text", Text: part.Text})}
	case part.Type == "tool" && (part.State.Status == "completed" || part.State.Status == "error"):
		call := block{Type: "tool_use", ID: part.CallID, Name: part.Tool, Input: part.State.Input}
		payload := map[string]any{
			"hook_event_name": "tool.execute.after",
			"output":          map[string]any{"output": part.State.Output, "metadata": part.State.Metadata},
		}
		if part.State.Status == "error" {
			payload["hook_event_name"], payload["error"] = "message.part.updated", part.State.Error
		}
		return []record{
			said(Assistant, l.ID, at, message{ID: l.Of}, call), returned(openCodeClient, part.CallID, at, payload),
		}
	}
	return nil
}
